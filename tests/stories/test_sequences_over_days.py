"""What people and dreams do to one statement, one after the other, over days."""

from datetime import timedelta

import pytest

from memoryweb.memory import facts
from memoryweb.memory.models import Contradiction, Fact, File, SourceClass
from memoryweb.memory.models.writer import Memory, write_transaction
from memoryweb.memory.snapshots import service as snapshots
from memoryweb.memory.statements import repair
from memoryweb.memory.writing import write
from tests.dreaming.nights import NIGHT, answer, dream, text_of
from tests.fakes import ModelServer
from tests.snapshots.archives import of
from tests.stories.telling import edits, person, reverts, says
from tests.world import World

CELLO, VIOLA = "My brother Tom plays the cello.", "My brother Tom plays the viola."
HAMBURG, BERLIN, OTHER = "We live in Hamburg.", "We moved to Berlin.", "We live in Oslo."
GREEN, BLACK = "I drink green tea in the morning.", "I drink black tea in the evening."
BOTH = "I drink green tea in the morning and black tea in the evening."
FRIDAYS = "We ship on Fridays, so please never plan a call with me on a Friday afternoon."


@pytest.fixture(autouse=True)
def equal(world: World) -> object:
    """Files and statements say the same in the end."""
    yield
    assert repair.check(world.team).differing == ()


def lines(world: World) -> list[str]:
    return [one[2:] for one in text_of(world, world.customer).split("\n") if one[:2] == "- "]


def nights(world: World, first: int, *more: int) -> None:
    for days in (first, *more):
        dream(world, world.customer, NIGHT + timedelta(days=days))


def test_corrected_then_reverted_then_imported(world: World) -> None:
    """A correction holds when its source goes; a person who imports the old line says it anew."""
    talk = says(world, "first", CELLO, "My sister Ines is a nurse.")
    nights(world, 0)
    edits(world, "MEMORY.md", CELLO, VIOLA)
    nights(world, 1)
    reverts(world, talk)
    assert lines(world) == [VIOLA]
    says(world, "again", CELLO, day=NIGHT - timedelta(days=3))
    nights(world, 2, 3)
    assert lines(world) == [VIOLA]
    place = (Memory(world.agent, world.customer), of({"MEMORY.md": f"# Memory\n\n- {CELLO}\n"}))
    token = snapshots.preview(*place, by=person(world)).token
    with write_transaction(world.team) as tx:
        snapshots.apply(tx, *place, token, by=person(world))
    nights(world, 4, 5)
    assert lines(world) == [CELLO]


def test_replaced_then_restored_by_a_person(world: World) -> None:
    """Their restore is the later word: no night takes it back on the strength of the old notes."""
    says(world, "first", HAMBURG)
    nights(world, 0)
    says(world, "second", BERLIN, day=NIGHT + timedelta(days=1))
    nights(world, 1)
    assert lines(world) == [BERLIN]
    with write_transaction(world.team) as tx:
        facts.restore(tx, Fact.objects.get(raw_text=HAMBURG), writer=person(world))
    nights(world, 2, 3)
    assert HAMBURG in lines(world)


def test_confirmed_then_contradicted_then_resolved_then_undone(world: World) -> None:
    says(world, "first", HAMBURG)
    nights(world, 0)
    standing = Fact.objects.get(raw_text=HAMBURG)
    with write_transaction(world.team) as tx:
        facts.confirm(tx, standing, writer=person(world))
    with write_transaction(world.team) as tx:
        source = SourceClass.THIRD_PARTY
        facts.contradict(tx, standing, OTHER, source=source, grounds=[])
    found = Contradiction.objects.get()
    with write_transaction(world.team) as tx:
        facts.resolve(tx, found, "keep_b", writer=person(world), text="")
    assert lines(world) == [OTHER]
    nights(world, 1)
    with write_transaction(world.team) as tx:
        facts.undo(tx, found, writer=person(world))
    nights(world, 2, 3)
    assert lines(world) == [HAMBURG]
    assert Fact.objects.get(raw_text=HAMBURG).confirmed_at is not None


def _merged(world: World, server: ModelServer) -> None:
    says(world, "first", GREEN, BLACK)
    nights(world, 0)
    assert set(lines(world)) == {GREEN, BLACK}
    says(world, "second", "My sister Ines is a nurse.", day=NIGHT + timedelta(days=1))
    merge = {"op": "merge", "old": ["s1", "s2"], "text": BOTH, "sources": ["s1", "s2"]}
    server.answer(answer(merge))
    nights(world, 1)
    assert lines(world) == [BOTH]


def test_a_merged_line_that_is_deleted_takes_its_halves_along(
    world: World, model_server: ModelServer
) -> None:
    model_server.obey()
    _merged(world, model_server)
    edits(world, "MEMORY.md", f"- {BOTH}\n", "")
    model_server.obey()
    nights(world, 2, 3)
    assert not {GREEN, BLACK, BOTH} & set(lines(world))


def test_a_revision_from_before_a_merge_is_restored(
    world: World, model_server: ModelServer
) -> None:
    model_server.obey()
    _merged(world, model_server)
    file = File.objects.get(owner=world.customer, path="MEMORY.md")
    with write_transaction(world.team) as tx:
        write.restore(tx, file, file.revision - 1, writer=person(world))
    nights(world, 2, 3)
    assert {GREEN, BLACK} <= set(lines(world))
    assert BOTH not in lines(world)


def test_what_took_one_half_of_a_line_is_reverted(world: World) -> None:
    says(world, "first", FRIDAYS)
    nights(world, 0)
    talk = says(world, "second", "We ship on Thursdays.", day=NIGHT + timedelta(days=1))
    nights(world, 1)
    ended = "<!-- until 2026-11-21: We ship on Fridays -->"
    assert set(lines(world)) == {"We ship on Thursdays.", f"{FRIDAYS} {ended}"}
    reverts(world, talk)
    nights(world, 2, 3)
    assert lines(world) == [FRIDAYS]


RING = "I wear the red ring on Sundays."


def _acts(world: World, act: str, text: str, *more: str) -> None:
    fact = Fact.objects.filter(raw_text=text).exclude(path="").latest("pk")
    with write_transaction(world.team) as tx:
        getattr(facts, act)(tx, fact, *more, writer=person(world))


def test_two_statements_made_one_then_retired_then_restored(world: World) -> None:
    """Reworded into what another says; when that isn't true, neither comes back by itself."""
    says(world, "first", CELLO, VIOLA.replace("Tom", "Ben"))
    nights(world, 0)
    one = VIOLA.replace("Tom", "Ben")
    _acts(world, "edit", CELLO, one)
    assert lines(world) == [one]
    nights(world, 1)
    _acts(world, "not_true", one)
    nights(world, 2, 3)
    assert lines(world) == []
    _acts(world, "restore", CELLO)
    nights(world, 4)
    assert lines(world) == [CELLO]
    _acts(world, "restore", one)
    nights(world, 5, 6)
    assert set(lines(world)) == {CELLO, one}


def test_a_statement_on_two_lines_is_edited_retired_and_restored(world: World) -> None:
    says(world, "first", RING)
    nights(world, 0)
    edits(world, "MEMORY.md", f"- {RING}\n", f"- {RING}\n\n## Habits\n\n- {RING}\n")
    _acts(world, "edit", RING, "I wear the blue ring on Sundays.")
    nights(world, 1)
    assert RING not in lines(world)
    _acts(world, "not_true", "I wear the blue ring on Sundays.")
    nights(world, 2)
    assert not [one for one in lines(world) if "ring" in one]
    _acts(world, "restore", "I wear the blue ring on Sundays.")
    nights(world, 3, 4)
    assert [one for one in lines(world) if "ring" in one] == ["I wear the blue ring on Sundays."]


def test_what_expired_and_was_restored_stays(world: World) -> None:
    until = f"My gym card is valid until {NIGHT + timedelta(days=1):%Y-%m-%d}."
    says(world, "first", until)
    nights(world, 0)
    assert lines(world) == [until]
    nights(world, 2)
    assert lines(world) == []
    assert Fact.objects.get(raw_text=until).state == Fact.State.EXPIRED
    _acts(world, "restore", until)
    nights(world, 3, 4)
    assert lines(world) == [until]
