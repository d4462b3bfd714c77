"""Pages of a memory with a long past cost no more than those of a short one."""

from datetime import timedelta
from functools import partial

import pytest
from django.test import Client
from django.utils import timezone

from memoryweb.memory.models import AuthorKind, File
from memoryweb.memory.models.writer import Place, Writer, write_transaction
from memoryweb.memory.writing.write import write
from tests.aging import age
from tests.steps import counts_steps, database_steps
from tests.web.pages import text, url
from tests.world import World

MANY = 1500
PAGES: tuple[tuple[str, list[str], str], ...] = (
    ("agents_revisions", ["note.md"], ""),
    ("agents_revisions", ["note.md"], "?page=2"),
    ("agents_revisions", ["note.md"], "?kind=person"),
    ("agents_revisions", ["note.md"], "?kind=import"),
    ("agents_revisions", ["note.md"], "?person={bob}"),
    ("agents_moments", [], ""),
    ("agents_moments", [], "?at=2099-01-01T00:00"),
    ("agents_moments", [], "?at=2001-01-01T00:00"),
    ("agents_moments", [], "?at={soon}"),
    ("agents_moments", [], "?show=changes&at=2001-01-01T00:00&until={soon}"),
)


@pytest.fixture
def note(world: World) -> File:
    writer = Writer(AuthorKind.PERSON, user=world.bob)
    with write_transaction(world.team) as tx:
        for number in range(60):
            place = Place(world.agent, None, "note.md")
            file = write(tx, place, f"- Lamp {number}.\n", writer=writer).file
    return file


@pytest.mark.slow
@counts_steps
def test_a_long_history_costs_the_same(world: World, note: File, vera: Client) -> None:
    soon = f"{timezone.now() + timedelta(minutes=1):%Y-%m-%dT%H:%M}"
    queries = [query.format(bob=world.bob.pk, soon=soon) for *_page, query in PAGES]
    addresses = [
        url(world.team, name, world.agent.pk, *args, query=query)
        for (name, args, _query), query in zip(PAGES, queries, strict=True)
    ]
    few = {one: database_steps(partial(vera.get, one)) for one in addresses}
    age(note, MANY)
    many = {one: database_steps(partial(vera.get, one)) for one in addresses}
    assert {one: many[one] for one in addresses if many[one] > few[one] * 1.5} == {}


def test_a_filtered_history_is_counted_no_further_than_needed(
    world: World, note: File, vera: Client
) -> None:
    age(note, MANY)
    address = url(world.team, "agents_revisions", world.agent.pk, "note.md", query="?kind=person")
    assert "1–25 of more than 275" in text(vera.get(address))
    last = text(vera.get(f"{address}&page=60"))
    assert "1476–1500 of 1500" in last
    assert "page=59" in last
    assert "page=61" not in last
