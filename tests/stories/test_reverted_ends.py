"""A conversation that ended something older is reverted: what it alone had ended lives again."""

from collections.abc import Mapping
from datetime import timedelta
from uuid import UUID

import pytest

from memoryweb.memory import facts, undoing
from memoryweb.memory.forgetting import erasing, requests
from memoryweb.memory.lines.sources import Kind, Source
from memoryweb.memory.models import Conversation, Fact, File
from memoryweb.memory.models.writer import write_transaction
from memoryweb.memory.statements import repair
from memoryweb.runs import engine
from tests.dreaming.nights import NIGHT, dream, text_of
from tests.extraction.talking import extract
from tests.stories.telling import person, prompt, reverts, says
from tests.world import World

LEEDS, PORTO, LISBON = "I live in Leeds.", "I moved to Porto.", "I moved to Lisbon."
BOB, MOVED = "My name is Bob Carter and I live in Leeds.", "We moved to Porto."
CELLO, NO_CELLO = "My sister plays the cello.", "My sister no longer plays the cello."
BOTH = "My sister plays the cello and she lives in York."
CHANGES = ((LEEDS, PORTO), (BOB, MOVED), (CELLO, NO_CELLO), (BOTH, NO_CELLO))

pytestmark = pytest.mark.databases


@pytest.fixture(autouse=True)
def equal(world: World) -> object:
    """Files and statements say the same in the end."""
    yield
    assert repair.check(world.team).differing == ()


def hears(world: World, days: int, *texts: str) -> Conversation:
    day = NIGHT + timedelta(days=days)
    talk = says(world, f"talk {days} {texts[0]}", *texts, day=day, is_noted=False)
    extract(world, talk)
    return talk


def tells(world: World, days: int, *texts: str) -> Conversation:
    talk = hears(world, days, *texts)
    night(world, days)
    return talk


def night(world: World, days: int) -> None:
    dream(world, world.customer, NIGHT + timedelta(days=days))


def lines(world: World) -> list[str]:
    return [one[2:] for one in text_of(world, world.customer).split("\n") if one[:2] == "- "]


def undoes(world: World, talk: Conversation, saves: tuple[tuple[UUID, int], ...]) -> None:
    source = Source(world.agent, Kind.CONVERSATION, talk.pk)
    files = {File.objects.get(pk=key): number for key, number in saves}
    with write_transaction(world.team) as tx:
        undoing.undo_revert(tx, source, files, writer=person(world))


def states(world: World) -> Mapping[str, tuple[object, ...]]:
    """Without why one ended: the undoing only knows that another took its place."""
    rows = Fact.objects.filter(owner=world.customer).select_related("superseded_by")
    return {
        one.raw_text: (
            one.state in Fact.OVER,
            one.superseded_by and one.superseded_by.raw_text,
            one.ended,
            one.corrected_at,
            one.confirmed_at,
            one.source,
        )
        for one in rows
    }


@pytest.mark.parametrize(("old", "new"), CHANGES)
def test_it_stands_again_and_the_undoing_ends_it_again(world: World, old: str, new: str) -> None:
    tells(world, 0, old)
    before = states(world)[old]
    talk = tells(world, 2, new)
    ended, its = lines(world), states(world)
    assert ended != [old]
    done = reverts(world, talk)
    assert lines(world) == [old]
    assert states(world)[old] == before
    undoes(world, talk, done.saves)
    assert (lines(world), states(world)) == (ended, its)
    night(world, 3)
    assert lines(world) == ended
    reverts(world, talk)
    night(world, 4)
    assert lines(world) == [old]
    assert new not in prompt(world, "Where do I live?")


@pytest.mark.parametrize(("old", "new"), CHANGES)
def test_it_goes_with_its_own_source(world: World, old: str, new: str) -> None:
    """What lives again is still of whoever said it."""
    first = tells(world, 0, old)
    second = tells(world, 2, new)
    reverts(world, second)
    reverts(world, first)
    night(world, 3)
    assert lines(world) == []


def test_before_any_dream_it_is_given_again(world: World) -> None:
    tells(world, 0, LEEDS)
    talk = hears(world, 2, PORTO)
    assert LEEDS not in prompt(world, "Where do I live?")
    reverts(world, talk)
    assert LEEDS in prompt(world, "Where do I live?")
    night(world, 3)
    assert lines(world) == [LEEDS]


def test_a_fuller_sentence_gives_way_to_the_shorter_ones(world: World) -> None:
    tells(world, 0, "I drink green tea.")
    talk = tells(world, 2, "I drink green tea in the morning.")
    merged = lines(world)
    done = reverts(world, talk)
    assert lines(world) == ["I drink green tea."]
    undoes(world, talk, done.saves)
    assert lines(world) == merged


@pytest.mark.parametrize(("old", "new"), CHANGES[:2])
@pytest.mark.parametrize("nights", [1, 2])
def test_what_two_conversations_said_stays(world: World, old: str, new: str, nights: int) -> None:
    tells(world, 0, old)
    first = says(world, "first", new, day=NIGHT + timedelta(days=2))
    if nights == 2:
        night(world, 2)
    says(world, "second", new, day=NIGHT + timedelta(days=3))
    night(world, 3)
    before = lines(world)
    reverts(world, first)
    assert lines(world) == before
    night(world, 4)
    assert lines(world) == before


@pytest.mark.parametrize(("old", "new"), CHANGES)
def test_what_a_person_confirmed_stays(world: World, old: str, new: str) -> None:
    tells(world, 0, old)
    talk = tells(world, 2, new)
    before = lines(world)
    with write_transaction(world.team) as tx:
        newer = Fact.objects.get(raw_text=new)
        facts.confirm(tx, newer, writer=person(world))
    reverts(world, talk)
    night(world, 3)
    assert lines(world) == before


@pytest.mark.parametrize("is_erased", [False, True])
def test_what_is_to_be_forgotten_never_comes_back(world: World, is_erased: bool) -> None:
    tells(world, 0, LEEDS)
    talk = tells(world, 2, PORTO)
    with write_transaction(world.team) as tx:
        old = Fact.objects.get(raw_text=LEEDS)
        asked = requests.forget_fact(tx, old, writer=person(world), is_theirs=True)
    if is_erased:
        with write_transaction(world.team) as tx:
            erasing.erase_now(tx, asked)
        assert {run.error for run in engine.run_pending()} == {""}
    reverts(world, talk)
    night(world, 3)
    assert lines(world) == []


def test_what_a_person_took_out_stays_out(world: World) -> None:
    tells(world, 0, LEEDS)
    talk = tells(world, 2, PORTO)
    with write_transaction(world.team) as tx:
        facts.not_true(tx, Fact.objects.get(raw_text=LEEDS), writer=person(world))
    reverts(world, talk)
    night(world, 3)
    assert lines(world) == []


def test_of_a_chain_what_was_reverted_is_passed_over(world: World) -> None:
    tells(world, 0, LEEDS)
    second = tells(world, 2, PORTO)
    third = tells(world, 3, LISBON)
    reverts(world, second)
    assert lines(world) == [LISBON]
    ended = states(world)
    done = reverts(world, third)
    assert lines(world) == [LEEDS]
    undoes(world, third, done.saves)
    assert lines(world) == [LISBON]
    assert states(world)[LEEDS][0] is True
    assert states(world)[LEEDS][3] == ended[LEEDS][3]


def test_a_mark_stays_while_a_later_change_stands(world: World) -> None:
    tells(world, 0, BOB)
    second = tells(world, 2, MOVED)
    tells(world, 3, LISBON)
    before = lines(world)
    reverts(world, second)
    night(world, 4)
    assert lines(world) == before


def test_of_other_people_nothing_changes(world: World) -> None:
    for owner in (world.customer, world.bobs_memory):
        says(world, f"first {owner.pk}", LEEDS, owner=owner)
        dream(world, owner)
    later = NIGHT + timedelta(days=2)
    talks = [
        says(world, f"second {owner.pk}", PORTO, day=later, owner=owner)
        for owner in (world.customer, world.bobs_memory)
    ]
    dream(world, world.customer, later)
    dream(world, world.bobs_memory, later)
    before = text_of(world, world.bobs_memory)
    reverts(world, talks[0])
    assert lines(world) == [LEEDS]
    assert text_of(world, world.bobs_memory) == before
