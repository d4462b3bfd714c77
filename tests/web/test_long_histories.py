"""Pages of a memory with a long past cost no more than those of a short one."""

from functools import partial

import pytest
from django.test import Client

from memoryweb.memory.transaction import write_transaction
from memoryweb.memory.write import Place, Writer, write
from memoryweb.workspace.author_kinds import AuthorKind
from memoryweb.workspace.models import File, Revision
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
    _age(note)
    many = {one: database_steps(partial(vera.get, one)) for one in addresses}
    assert {one: many[one] for one in addresses if many[one] > few[one] * 1.5} == {}


def _age(file: File) -> None:
    """As if its last revision had been written so many times more."""
    last = file.revisions.get(number=file.revision)
    file.revision += MANY
    rows = []
    for number in range(last.number + 1, file.revision + 1):
        last.pk, last.number = None, number
        rows.append(Revision(**{f.attname: getattr(last, f.attname) for f in _FIELDS}))
    Revision.objects.bulk_create(rows)
    file.save(update_fields=["revision"])


_FIELDS = [field for field in Revision._meta.concrete_fields if not field.primary_key]
