"""Two people disagree over days, by whichever door each of them comes: what was said first stands,
the other waits outside file and prompt, and one contradiction asks; what is decided can be
undone."""

from datetime import timedelta
from itertools import product

import pytest
from django.test import Client
from django.utils import timezone

from memoryweb.agents.models import Agent
from memoryweb.agents.owners import person_owner, room_owner
from memoryweb.memory.facts import sides_of
from memoryweb.memory.models import Contradiction, Fact
from tests.clock import Clock
from tests.soaking import first_in_gate
from tests.stories import disagreeing as by
from tests.stories.disagreeing import Days, Says
from tests.web.pages import url
from tests.world import World, signed_in

MEETING = ("The weekly meeting is on Monday at 9:00.", "The weekly meeting is on Friday at 9:00.")
THINGS = (
    MEETING,
    ("Our landlord is called Novak.", "Our landlord is called Kremer."),
    ("We ship on Thursdays.", "We ship on Tuesdays."),
    ("Unsere Bank ist die Volksbank.", "Unsere Bank ist die Sparkasse."),
)
PRINTER = ("The printer is in room 4.", "The printer is in room 7.")
NUMBERS = (
    ("The shop opens at nine.", "The shop opens at ten."),
    ("Der Laden öffnet um neun.", "Der Laden öffnet um zehn."),
    ("商店九点开门。", "商店十点开门。"),
    ("倉庫は大阪にあります。", "倉庫は京都にあります。"),
)
DENIED = ("Kenji is vegetarian.", "Kenji is not vegetarian.")
DECIDED = (("KEEP_A", MEETING), ("KEEP_B", DENIED), ("IGNORE", PRINTER))
HOMES = (("I live in Berlin.", "Alice lives in Munich."),)
WAYS: dict[str, tuple[Says, Says]] = {
    "two tokens": (by.message, by.message),
    "two tokens, for all": (by.shared, by.shared),
    "two in a room": (by.room, by.room),
    "two who let it be remembered": (by.remember, by.remember),
    "two who do so by hand": (by.hand_remember, by.hand_remember),
    "a program against a line": (by.memory, by.program),
    "a program against what was remembered": (by.remember, by.program),
    "a program against a message": (by.message, by.program),
    "a token against a line": (by.memory, by.remember),
    "a token against a message": (by.message, by.remember),
    "a message against a line": (by.memory, by.message),
    "a message against what was remembered": (by.remember, by.message),
    "a note against a line": (by.memory, by.note),
    "a note against a message": (by.message, by.note),
    "two lines": (by.memory, by.memory),
}


@pytest.fixture
def days(world: World, monkeypatch: pytest.MonkeyPatch) -> Days:
    Agent.objects.filter(pk=world.agent.pk).update(owner_isolation=False)
    return Days(world, Clock(timezone.now(), monkeypatch))


def _in_room(days: Days) -> None:
    Agent.objects.filter(pk=days.world.agent.pk).update(owner_isolation=True)
    days.owner = room_owner(days.world.team, "slack", "R1")


def _disagree(days: Days, way: str, pair: tuple[str, str]) -> Contradiction:
    """A day each, and what follows of it asked."""
    if by.room in WAYS[way]:
        _in_room(days)
    first, second = WAYS[way]
    first(days, "Alice", pair[0])
    days.ends()
    assert [line for line in days.lines() if pair[0] in line], days.lines()
    second(days, "Bob", pair[1])
    days.ends()
    return Contradiction.objects.get()


def _check_asked(days: Days, found: Contradiction, pair: tuple[str, str]) -> None:
    assert found.state == Contradiction.State.OPEN
    assert [line for line in days.lines() if pair[0] in line], days.lines()
    states = {
        fact.raw_text.partition(": ")[2] or fact.raw_text: fact.state for fact in found.facts.all()
    }
    is_in_file = any(pair[1] in line for line in days.lines())
    assert not is_in_file
    assert pair[1] not in days.prompt().split("# 2026-")[0]
    assert states == {pair[0]: Fact.State.DISPUTED, pair[1]: Fact.State.PENDING}


@pytest.mark.parametrize(("one", "other"), first_in_gate(1, THINGS))
@pytest.mark.parametrize("way", [way for way in WAYS if way != "two lines"])
@pytest.mark.first_two
def test_one_contradiction_asks(days: Days, way: str, one: str, other: str) -> None:
    _check_asked(days, _disagree(days, way, (one, other)), (one, other))


@pytest.mark.parametrize("way", first_in_gate(3, [way for way in WAYS if way != "two lines"]))
def test_a_person_s_word_about_themselves_stands(days: Days, way: str) -> None:
    [pair] = HOMES
    _check_asked(days, _disagree(days, way, pair), pair)


@pytest.mark.parametrize(
    "way", ["two who let it be remembered", "a program against what was remembered"]
)
def test_what_is_denied_without_a_value_is_asked_too(days: Days, way: str) -> None:
    _check_asked(days, _disagree(days, way, DENIED), DENIED)
    days.ends()
    _check_asked(days, Contradiction.objects.get(), DENIED)


@pytest.mark.parametrize("pair", [PRINTER, *NUMBERS], ids=lambda pair: pair[0])
@pytest.mark.parametrize(
    "way", ["two who let it be remembered", *first_in_gate(0, ["two who do so by hand"])]
)
@pytest.mark.first_two
def test_another_number_of_one_thing_is_asked_too(
    days: Days, way: str, pair: tuple[str, str]
) -> None:
    _check_asked(days, _disagree(days, way, pair), pair)
    days.ends()
    _check_asked(days, Contradiction.objects.get(), pair)


@pytest.mark.parametrize("pair", [MEETING, *HOMES], ids=lambda pair: pair[0])
def test_two_lines_that_people_wrote_both_stand_and_are_asked(
    days: Days, pair: tuple[str, str]
) -> None:
    found = _disagree(days, "two lines", pair)
    assert days.lines() == list(pair)
    assert set(found.facts.values_list("state", flat=True)) == {Fact.State.DISPUTED}


# In the gate each decision with one of them.
@pytest.mark.parametrize(
    ("decision", "pair"),
    first_in_gate(
        3,
        sorted(
            product(("KEEP_A", "KEEP_B", "IGNORE"), (MEETING, DENIED, PRINTER)),
            key=lambda case: case not in DECIDED,
        ),
    ),
)
@pytest.mark.first_two
def test_a_decision_holds_through_the_next_night_and_can_be_undone(
    days: Days, decision: str, pair: tuple[str, str]
) -> None:
    found = _disagree(days, "two who let it be remembered", pair)
    client: Client = signed_in(days.world.alice)
    address = url(days.world.team, "review_decide", "contradiction", found.pk)
    stands = {"KEEP_A": [pair[0]], "KEEP_B": [pair[1]], "IGNORE": [*pair]}[decision]
    assert client.post(address, {"decision": decision}, follow=True).status_code == 200
    days.ends()
    assert days.lines() == stands
    days.ends()
    assert days.lines() == stands
    client.post(address, {"decision": "undo"}, follow=True)
    assert days.lines() == [pair[0]]
    assert Contradiction.objects.get().state == Contradiction.State.OPEN


@pytest.mark.parametrize("says", [by.remember, by.message, by.shared])
def test_i_is_whoever_speaks(days: Days, says: Says) -> None:
    """Two people who live in two towns do not disagree."""
    says(days, "Alice", "I live in Berlin.")
    says(days, "Bob", "I live in Munich.")
    days.ends()
    assert sorted(days.lines()) == ["Alice: I live in Berlin.", "Bob: I live in Munich."]
    assert not Contradiction.objects.exists()


@pytest.mark.parametrize("says", [by.remember, by.room])
def test_a_new_value_beside_a_name_leaves_the_rest_of_the_old_line(days: Days, says: Says) -> None:
    if says is by.room:
        _in_room(days)
    says(days, "Alice", "I live in Berlin and my cat is called Rex.")
    days.ends()
    moved = days.day
    says(days, "Alice", "I live in Munich.")
    days.ends()
    mark = f"<!-- until {moved}: I live in Berlin -->"
    old = f"Alice: I live in Berlin and my cat is called Rex. {mark}"
    assert sorted(days.lines()) == [old, "Alice: I live in Munich."]


def test_on_one_day_both_are_asked_too(days: Days) -> None:
    by.message(days, "Alice", MEETING[0])
    days.clock.put(days.clock.now + timedelta(hours=1))
    by.remember(days, "Bob", MEETING[1])
    days.ends()
    _check_asked(days, Contradiction.objects.get(), MEETING)


def test_who_says_otherwise_themselves_is_not_asked(days: Days) -> None:
    by.remember(days, "Bob", MEETING[0])
    days.ends()
    by.remember(days, "Bob", MEETING[1])
    days.ends()
    assert days.lines() == [MEETING[1]]
    assert not Contradiction.objects.exists()


@pytest.mark.parametrize(
    "said", [PRINTER, ("The team was in Paris.", "The team was in Rome.")], ids=lambda said: said[0]
)
def test_what_one_person_says_of_two_things_or_two_of_the_past_disputes_nothing(
    days: Days, said: tuple[str, str]
) -> None:
    """Of two things of one name their person may be asked whether the older one still holds."""
    by.remember(days, "Bob", said[0])
    days.ends()
    by.remember(days, "Bob" if said == PRINTER else "Alice", said[1])
    days.ends()
    assert days.lines() == [*said]
    assert set(Fact.objects.values_list("state", flat=True)) == {Fact.State.ACTIVE}
    asked = [[one.is_about(side) for side in sides_of(one)] for one in Contradiction.objects.all()]
    assert asked == ([[True, False]] if said == PRINTER else [])


def test_in_one_s_own_memory_one_s_own_word_stands(days: Days) -> None:
    """Whatever name others call them by."""
    Agent.objects.filter(pk=days.world.agent.pk).update(owner_isolation=True)
    days.owner = person_owner(days.world.team, days.world.alice)
    by.message(days, "Alice", "I live in Berlin.")
    days.ends()
    said = {"content": "Alice lives in Munich.", "owner": "me"}
    days.call(days.person("Alice"), "/tools/remember", said)
    days.ends()
    assert days.lines() == ["I live in Berlin."]
    waiting = Contradiction.objects.get().facts.get(state=Fact.State.PENDING)
    assert waiting.raw_text == "Alice lives in Munich."
