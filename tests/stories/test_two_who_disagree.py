"""Two people say different things of what all share, night after night: one stands in the file,
one contradiction waits, and what a person decides of it holds."""

from datetime import date, timedelta

import pytest
from django.test import Client

from memoryweb.agents.owners import person_owner
from memoryweb.dreaming.models import Operation
from memoryweb.memory.models import Contradiction, Conversation, Evidence, Fact
from tests.dreaming.nights import NIGHT, answer, dream, text_of
from tests.fakes import ModelServer
from tests.soaking import first_in_gate
from tests.stories.telling import says
from tests.web.pages import url
from tests.world import World, signed_in

MONDAY = "The weekly meeting is on Monday at 9:00."
FRIDAY = "The weekly meeting is on Friday at 9:00."
BOTH = "The weekly meeting is on Monday and on Friday at 9:00."
LATER = NIGHT + timedelta(days=10)


def _says(world: World, text: str, day: date, *more: str) -> Conversation:
    who = world.bob if text == MONDAY else world.alice
    owner = person_owner(world.team, who)
    return says(world, f"{who.name} {day}", text, *more, day=day, owner=owner, shared=True)


def _nights(world: World, count: int) -> Contradiction:
    """Bob and Alice in turn, and a dream after each."""
    for night in range(count):
        day = NIGHT + timedelta(days=night)
        _says(world, FRIDAY if night % 2 else MONDAY, day)
        dream(world, None, day)
    return Contradiction.objects.get()


def _lines(world: World) -> list[str]:
    lines = text_of(world, None).split("\n")
    return [line[2:] for line in lines if "weekly meeting" in line]


def _decide(world: World, found: Contradiction, decision: str, text: str = "") -> None:
    address = url(world.team, "review_decide", "contradiction", found.pk)
    client: Client = signed_in(world.alice)
    answer = client.post(address, {"decision": decision, "value": text}, follow=True)
    assert answer.status_code == 200


def _open(world: World) -> int:
    return Contradiction.objects.filter(state=Contradiction.State.OPEN).count()


@pytest.mark.parametrize(
    ("by", "nights"),
    first_in_gate(2, [("rules", 4), ("a model", 4), ("rules", 10), ("a model", 10)]),
)
def test_many_nights_make_one_contradiction_with_all_that_was_said(
    world: World, model_server: ModelServer, settings: object, by: str, nights: int
) -> None:
    model_server.obey()
    if by == "rules":
        settings.MODEL_PROVIDER = ""  # type: ignore[attr-defined]
    found = _nights(world, nights)
    assert found.state == Contradiction.State.OPEN
    assert _lines(world) == [MONDAY]
    assert set(found.facts.values_list("raw_text", "state")) == {
        (MONDAY, Fact.State.DISPUTED),
        (FRIDAY, Fact.State.PENDING),
    }
    said = Evidence.objects.filter(fact__contradiction=found, message__isnull=False)
    assert said.values("message").distinct().count() == nights
    assert Fact.objects.filter(attribute=found.facts.all()[0].attribute).count() == 2


@pytest.mark.parametrize(
    ("decision", "stand"),
    [
        ("KEEP_A", [MONDAY]),
        ("KEEP_B", [FRIDAY]),
        ("MERGE", [BOTH]),
        ("IGNORE", [MONDAY, FRIDAY]),
    ],
)
@pytest.mark.first_two
def test_what_was_decided_holds_on_another_night_and_can_be_undone(
    world: World, decision: str, stand: list[str]
) -> None:
    found = _nights(world, 2)
    _decide(world, found, decision, BOTH)
    assert (_lines(world), _open(world)) == (stand, 0)
    dream(world, None, LATER)
    assert (_lines(world), _open(world)) == (stand, 0)
    _decide(world, found, "undo")
    assert (_lines(world), _open(world)) == ([MONDAY], 1)
    assert Contradiction.objects.get() == found


def test_a_pair_that_was_left_alone_stays_away_when_both_say_it_again(world: World) -> None:
    found = _nights(world, 4)
    _decide(world, found, "IGNORE")
    for night, text in ((LATER, FRIDAY), (LATER + timedelta(days=1), MONDAY)):
        _says(world, text, night)
        dream(world, None, night)
    assert (_lines(world), _open(world)) == ([MONDAY, FRIDAY], 0)
    assert Contradiction.objects.get().state == Contradiction.State.IGNORED


@pytest.mark.parametrize(("goes", "why"), [(1, "persons_word"), (2, "unproved")])
def test_no_model_takes_out_one_of_two_that_a_person_kept(
    world: World, model_server: ModelServer, settings: object, goes: int, why: str
) -> None:
    settings.MODEL_PROVIDER = ""  # type: ignore[attr-defined]
    found = _nights(world, 2)
    _decide(world, found, "IGNORE")
    settings.MODEL_PROVIDER = "openai"  # type: ignore[attr-defined]
    _says(world, FRIDAY, LATER, "The kitchen has a new kettle.")  # it is asked about news alone
    asked = {"op": "retire", "old": f"s{goes}", "why": "superseded", "sources": ["n1", "n2"]}
    model_server.answer(answer(asked))
    dream(world, None, LATER)
    names = [one.body["response_format"]["json_schema"]["name"] for one in model_server.requests]
    assert names.count(names[0]) == 1
    assert Operation.objects.latest("pk").code == why
    assert _lines(world) == [MONDAY, FRIDAY]
    assert set(Fact.objects.filter(raw_text__in=(MONDAY, FRIDAY)).values_list("state")) == {
        (Fact.State.ACTIVE,)
    }
    still_open = Contradiction.objects.filter(state=Contradiction.State.OPEN)
    assert all(one.is_question for one in still_open)
