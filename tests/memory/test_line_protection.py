import pytest

from memoryweb.audit.models import Event
from memoryweb.memory.lines.origins import protected_lines
from memoryweb.memory.models import AuthorKind, File
from memoryweb.memory.models.refusals import Stale
from memoryweb.memory.models.writer import Place, Writer, write_transaction
from memoryweb.memory.writing.machine_guards import keep, release
from memoryweb.memory.writing.write import write
from tests.world import World


@pytest.fixture
def memory(world: World) -> File:
    """Line 1 is a dream's; lines 2 to 4 are Bob's."""
    world.agent.files.filter(path="MEMORY.md").delete()
    place = Place(world.agent, None, "MEMORY.md")
    with write_transaction(world.team) as tx:
        write(tx, place, "dreamt", writer=Writer(AuthorKind.DREAM, is_vouched=True))
        writer = Writer(AuthorKind.PERSON, user=world.bob)
        return write(tx, place, "dreamt\none\ntwo\nthree", writer=writer).file


def test_released_lines_are_no_longer_protected(world: World, memory: File) -> None:
    assert protected_lines(memory) == {2, 3, 4}
    with write_transaction(world.team) as tx:
        assert release(tx, memory, 1, 3, expected=memory.sha256) == 2
    assert protected_lines(memory) == {4}


def test_keeping_undoes_it(world: World, memory: File) -> None:
    with write_transaction(world.team) as tx:
        release(tx, memory, 2, 4, expected=memory.sha256)
        assert keep(tx, memory, 3, 4, expected=memory.sha256) == 2
    assert protected_lines(memory) == {3, 4}


def test_released_lines_stay_so_through_a_revision(world: World, memory: File) -> None:
    with write_transaction(world.team) as tx:
        release(tx, memory, 2, 2, expected=memory.sha256)
        place = Place(world.agent, None, "MEMORY.md")
        write(
            tx,
            place,
            "new\ndreamt\none\ntwo\nthree",
            writer=Writer(AuthorKind.DREAM, is_vouched=True),
        )
    memory.refresh_from_db()
    assert protected_lines(memory) == {4, 5}


def test_the_numbers_are_about_one_text(world: World, memory: File) -> None:
    with pytest.raises(Stale), write_transaction(world.team) as tx:
        release(tx, memory, 2, 4, expected="0" * 64)
    assert protected_lines(memory) == {2, 3, 4}


def test_both_leave_an_event_and_nothing_leaves_none(world: World, memory: File) -> None:
    with write_transaction(world.team) as tx:
        keep(tx, memory, 2, 4, expected=memory.sha256)
        release(tx, memory, 2, 4, expected=memory.sha256)
        keep(tx, memory, 2, 4, expected=memory.sha256)
    actions = Event.objects.filter(action__startswith="line.").order_by("seq")
    assert list(actions.values_list("action", flat=True)) == ["line.released", "line.kept"]
