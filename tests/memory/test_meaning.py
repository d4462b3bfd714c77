"""Search by meaning: what finds, what only ranks, and what a bad endpoint changes."""

import pytest

from memoryweb.agents.models import Owner, Reader
from memoryweb.memory.index.hits import Found
from memoryweb.memory.search.engine import search
from memoryweb.runs.models import Run
from tests.embeddings import enable, make
from tests.fakes import ModelServer
from tests.memory.test_search import say
from tests.world import World

pytestmark = [pytest.mark.databases, pytest.mark.django_db]

TALK = (
    "The ferry leaves at nine.",
    "I water my roses.",
    "My toothache is back.",
    "We painted the fence.",
    "The printer is broken.",
    "Snow again this morning.",
)


@pytest.fixture
def talk(world: World, embeddings: ModelServer) -> World:
    say(world, *TALK)
    enable(world.team)
    assert {run.status for run in make()} == {Run.Status.SUCCEEDED}
    return world


def find(world: World, text: str, owner: Owner | None = None, **more: object) -> Found:
    reader = Reader(world.agent, owner or world.customer)
    return search(reader, text, **more)  # type: ignore[arg-type]


def said(found: Found) -> list[str]:
    return [hit.text for hit in found.hits]


def test_what_is_near_is_found_without_a_word_of_the_query(talk: World) -> None:
    found = find(talk, "boat")
    assert said(found) == [TALK[0]]
    assert found.hits[0].relevance == 0
    assert found.notice == ""
