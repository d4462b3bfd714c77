"""Decisions about statements that have changed since: a person's later word is never lost."""

import pytest

from memoryweb.memory import facts
from memoryweb.memory.facts import StatementGone
from memoryweb.memory.models import AuthorKind, Contradiction, Fact, File, SourceClass
from memoryweb.memory.models.writer import Place, Writer, write_transaction
from memoryweb.memory.statements import repair
from memoryweb.memory.writing import write
from tests.world import World

MACHINE = Writer(AuthorKind.AGENT)
TOLD = "# Memory\n\n## About\n\n- city: Leeds\n- Anna sings.\n"


def _alice(world: World) -> Writer:
    return Writer(AuthorKind.PERSON, user=world.alice)


def _save(world: World, text: str, writer: Writer | None = None) -> File:
    with write_transaction(world.team) as tx:
        place = Place(world.agent, None, "KNOWLEDGE.md")
        return write.write(tx, place, text, writer=writer or _alice(world)).file


def _text(world: World) -> str:
    assert repair.check(world.team).differing == ()
    return File.objects.get(agent=world.agent, path="KNOWLEDGE.md").raw_content


def _rival(world: World, said: str = "city: York") -> Contradiction:
    with write_transaction(world.team) as tx:
        standing = Fact.objects.get(file__isnull=False, attribute="city")
        facts.contradict(tx, standing, said, source=SourceClass.THIRD_PARTY, grounds=[])
    return Contradiction.objects.get(state="open")


def _resolve(world: World, found: Contradiction, how: str, text: str = "") -> None:
    with write_transaction(world.team) as tx:
        facts.resolve(tx, found, how, text=text, writer=_alice(world))


def test_what_was_decided_is_not_undone_over_a_later_edit(world: World) -> None:
    _save(world, TOLD)
    found = _rival(world)
    _resolve(world, found, "KEEP_A")
    _save(world, TOLD.replace("Leeds", "Bath"))
    with write_transaction(world.team) as tx, pytest.raises(StatementGone):
        facts.undo(tx, found, writer=_alice(world))
    assert _text(world) == TOLD.replace("Leeds", "Bath")


def test_a_merged_line_that_was_edited_since_stays(world: World) -> None:
    _save(world, TOLD)
    found = _rival(world)
    _resolve(world, found, "MERGE", "city: Leeds and York")
    _save(world, TOLD.replace("Leeds", "Leeds, then York"))
    with write_transaction(world.team) as tx, pytest.raises(StatementGone):
        facts.undo(tx, found, writer=_alice(world))
    assert _text(world) == TOLD.replace("Leeds", "Leeds, then York")


@pytest.mark.parametrize(
    ("how", "after"), [("KEEP_A", "Bath"), ("KEEP_B", "York"), ("MERGE", "York or Bath")]
)
def test_what_a_person_edited_while_it_was_contradicted_is_what_stands(
    world: World, how: str, after: str
) -> None:
    _save(world, TOLD)
    _rival(world)
    _save(world, TOLD.replace("Leeds", "Bath"))
    for found in Contradiction.objects.filter(state="open"):
        assert facts.sides_of(found)[0].raw_text == "city: Bath"
        _resolve(world, found, how, "city: York or Bath")
        assert _text(world) == TOLD.replace("Leeds", after)
    assert not Contradiction.objects.filter(state="open").exists()


def test_a_side_that_left_is_no_side_any_more(world: World) -> None:
    _save(world, TOLD)
    found = _rival(world)
    _rival(world, "city: Bath")
    with write_transaction(world.team) as tx:
        facts.not_true(tx, Fact.objects.get(raw_text="city: York"), writer=_alice(world))
    assert [one.raw_text for one in facts.sides_of(found)] == ["city: Leeds", "city: Bath"]


def test_what_stands_again_is_not_put_in_twice(world: World) -> None:
    _save(world, TOLD, MACHINE)
    _save(world, TOLD.replace("- Anna sings.\n", ""), MACHINE)
    gone = Fact.objects.get(raw_text="Anna sings.")
    _save(world, TOLD, MACHINE)
    with write_transaction(world.team) as tx, pytest.raises(StatementGone):
        facts.restore(tx, gone, writer=_alice(world))
    assert _text(world) == TOLD


def test_what_is_put_in_the_words_of_another_line_is_that_line(world: World) -> None:
    _save(world, TOLD)
    fact, other = (Fact.objects.get(raw_text=text) for text in ("city: Leeds", "Anna sings."))
    with write_transaction(world.team) as tx:
        facts.edit(tx, fact, "Anna sings.", writer=_alice(world))
    assert _text(world) == TOLD.replace("- city: Leeds\n", "")
    fact.refresh_from_db()
    assert (fact.why, fact.superseded_by) == (Fact.Why.REWORDED, other)
