import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memoryweb.memory.models import AuthorKind, File
from memoryweb.memory.models.refusals import FileMissing
from memoryweb.memory.models.writer import Place, Writer, write_transaction
from memoryweb.memory.prompt import files
from memoryweb.memory.writing.write import delete, write
from tests.statements import statements
from tests.world import World

MACHINE = Writer(AuthorKind.AGENT)


def test_a_file_that_is_switched_off_and_on_has_its_old_place(world: World) -> None:
    for enabled in (False, True):
        with write_transaction(world.team) as tx:
            files.switch(tx, _file(world, "SOUL.md"), enabled=enabled)
    assert _prompt(world) == ["AGENTS.md", "SOUL.md", "PROFILE.md", "MEMORY.md"]


def test_a_file_moves_up_and_to_the_end(world: World) -> None:
    with write_transaction(world.team) as tx:
        files.step(tx, _file(world, "MEMORY.md"), -1)
        files.put_before(tx, _file(world, "AGENTS.md"), "")
    assert _prompt(world) == ["SOUL.md", "MEMORY.md", "PROFILE.md", "AGENTS.md"]


def test_two_who_move_files_at_once_both_have_their_way(world: World) -> None:
    """Each move starts from the order as it is by then, not as it was on the page."""
    soul, memory = _file(world, "SOUL.md"), _file(world, "MEMORY.md")
    with write_transaction(world.team) as tx:
        files.put_before(tx, memory, "AGENTS.md")
    with write_transaction(world.team) as tx:
        files.switch(tx, soul, enabled=False)
    assert _prompt(world) == ["MEMORY.md", "AGENTS.md", "PROFILE.md"]


def test_a_deleted_file_cannot_be_arranged(world: World) -> None:
    file = _file(world, "SOUL.md")
    with write_transaction(world.team) as tx:
        delete(tx, file, writer=Writer(AuthorKind.SYSTEM))
    with write_transaction(world.team) as tx, pytest.raises(FileMissing):
        files.switch(tx, file, enabled=False)


def test_arranging_takes_the_same_statements_for_many_files(world: World) -> None:
    counted = []
    for number in range(2):
        with write_transaction(world.team) as tx:
            for more in range(20 * number):
                write(tx, Place(world.agent, None, f"n{more}.md"), "x", writer=MACHINE)
        with CaptureQueriesContext(connection) as queries, write_transaction(world.team) as tx:
            files.step(tx, _file(world, "MEMORY.md"), -1)
        counted.append(len(statements(queries)))
    assert counted[0] == counted[1]


def _file(world: World, path: str) -> File:
    return File.objects.get(agent=world.agent, owner=None, path=path)


def _prompt(world: World) -> list[str]:
    found = File.objects.of(world.agent.pk, None).enabled_in_order()
    return list(found.values_list("path", flat=True))
