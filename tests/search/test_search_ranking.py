"""The engine and a plain reference order alike on whichever database runs: so they are equal."""

import pytest

from memoryweb.agents.models import Reader
from memoryweb.memory.models import Fact
from memoryweb.memory.search.engine import search
from tests.memory.searching import Reference, fill, hits, queries
from tests.snapshot import restored, restored_world
from tests.soaking import first_in_gate
from tests.world import World

pytestmark = [pytest.mark.databases, pytest.mark.django_db]


def _filled() -> World:
    world = restored_world()
    fill(world)
    # The reference knows no trust: statements that nobody vouches for weigh like any other text.
    Fact.objects.update(source="agent")
    return world


@pytest.fixture
def world(db: None) -> World:
    return restored("searched", _filled)


@pytest.mark.parametrize("start", first_in_gate(1, range(0, 500, 100)))
def test_queries_have_the_first_ten_hits_of_the_reference(world: World, start: int) -> None:
    reader = Reader(world.agent, world.customer)
    reference = Reference(reader)
    for query in queries()[start : start + 100]:
        assert hits(search(reader, query)) == reference.search(query), query


def test_without_an_owner_it_is_the_reference_over_shared_text(world: World) -> None:
    reader = Reader(world.agent)
    reference = Reference(reader)
    for query in queries(count=50, seed=3):
        assert hits(search(reader, query)) == reference.search(query), query


def test_the_pages_of_a_search_are_the_reference_in_order(world: World) -> None:
    reader = Reader(world.agent, world.customer)
    wanted = Reference(reader).search("harbour ferry 会议", limit=1000)
    found, cursor = search(reader, "harbour ferry 会议", limit=7), "first"
    said = []
    while cursor:
        said += hits(found)
        cursor = found.cursor
        found = search(reader, "harbour ferry 会议", limit=7, cursor=cursor)
    assert said == wanted
    assert found.total == len(wanted)
