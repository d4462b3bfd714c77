"""Pages of a memory with a long past cost no more than those of a short one."""

from functools import partial

import pytest
from django.test import Client

from memoryweb.memory.transaction import write_transaction
from memoryweb.memory.write import Place, Writer, write
from memoryweb.workspace.author_kinds import AuthorKind
from memoryweb.workspace.models import File
from tests.aging import age
from tests.steps import counts_steps, database_steps
from tests.web.pages import url
from tests.world import World

MANY = 4000
PAGES: tuple[tuple[str, list[str], str], ...] = (
    ("agents_revisions", ["note.md"], ""),
    ("agents_revisions", ["note.md"], "?page=2"),
    ("agents_moments", [], ""),
    ("agents_moments", [], "?at=2099-01-01T00:00"),
)


@pytest.fixture
def note(world: World) -> File:
    writer = Writer(AuthorKind.PERSON, user=world.bob)
    with write_transaction(world.team) as work:
        for number in range(60):
            place = Place(world.agent, None, "note.md")
            file = write(work, place, f"- Lamp {number}.\n", writer=writer).file
    return file


@counts_steps
def test_a_long_history_costs_the_same(world: World, note: File, vera: Client) -> None:
    addresses = [url(world.team, name, world.agent.pk, *args, query=q) for name, args, q in PAGES]
    few = {one: database_steps(partial(vera.get, one)) for one in addresses}
    age(note, MANY)
    many = {one: database_steps(partial(vera.get, one)) for one in addresses}
    assert {one: many[one] for one in addresses if many[one] > few[one] * 1.5} == {}
