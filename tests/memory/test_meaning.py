"""Search by meaning: what finds, what only ranks, and what a bad endpoint changes."""

import math
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django_scopes import scope

from memoryweb.agents.models import GLOBAL_AGENT_ID, Agent, Owner, Reader
from memoryweb.llm.models import TeamEmbedding
from memoryweb.memory import prompt
from memoryweb.memory.index.hits import Found
from memoryweb.memory.models import AuthorKind, Passage
from memoryweb.memory.models.writer import Place, Writer, write_transaction
from memoryweb.memory.search.engine import search, search_each
from memoryweb.memory.writing import write
from memoryweb.runs.models import Run
from tests.embeddings import Vectors, answered, body, enable, make, with_vectors
from tests.fakes import Behaviour, ModelServer
from tests.memory.test_search import save, say
from tests.world import World

pytestmark = [pytest.mark.databases, pytest.mark.django_db]

SYSTEM = Writer(AuthorKind.SYSTEM)
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
    assert (found.total, found.hits[0].relevance, found.notice) == (1, 0, "")


def test_nearness_ranks_what_words_found(talk: World) -> None:
    say(talk, "The blue cup is full.", "The blue kettle is full.", name="cups")
    make()
    assert said(find(talk, "blue drink"))[:2] == [
        "The blue kettle is full.",
        "The blue cup is full.",
    ]


def test_filters_hold_for_what_is_near(talk: World) -> None:
    save(talk, "KNOWLEDGE.md", "The harbour is open.")
    save(talk, "KNOWLEDGE.md", "My own crossing the water.", talk.customer)
    make()
    assert said(find(talk, "boat", kinds=["message"])) == [TALK[0]]
    assert said(find(talk, "boat", scope="shared", kinds=["file"])) == ["The harbour is open."]
    assert said(find(talk, "ferry path:KNOW owner:me")) == ["My own crossing the water."]
    assert said(find(talk, "boat after:2027-01-01")) == []
    assert said(find(talk, 'boat "kettle"')) == []
    assert said(find(talk, "boat at:2026-11-28")) == []


def test_of_others_nothing_is_near(talk: World) -> None:
    assert said(find(talk, "boat", talk.bobs_memory)) == []
    twin = Reader(talk.twin.agent, talk.twin.customer)
    assert search(twin, "boat").hits == ()


def test_many_agents_are_searched_by_one_call(talk: World, embeddings: ModelServer) -> None:
    before = len(embeddings.requests)
    founds = search_each([talk.agent, talk.other_agent], talk.customer, find_query("boat"))
    assert [said(found) for found in founds] == [[TALK[0]], []]
    assert len(embeddings.requests) == before + 1


def find_query(text: str) -> Any:
    from memoryweb.memory.index import query_syntax  # noqa: PLC0415

    return query_syntax.parse(text)


def test_a_prompt_holds_nothing_that_only_is_near(talk: World) -> None:
    built = prompt.build(Reader(talk.agent, talk.customer), "When does the boat go?")
    assert built.is_silent
    built = prompt.build(Reader(talk.agent, talk.customer), "When does the ferry leave?")
    assert [one.hit.text for one in built.hits][:1] == [TALK[0]]


def test_global_blocks_are_near_by_the_installations_endpoint(talk: World) -> None:
    agent = Agent.objects.get(pk=GLOBAL_AGENT_ID)
    with write_transaction(agent.team) as tx:
        write.write(tx, Place(agent, None, "RULES.md"), "Harbours are closed.", writer=SYSTEM)
    make()
    assert "Harbours are closed." in said(find(talk, "boat"))
    TeamEmbedding.objects.filter(team_id=talk.team.pk).update(choice="none")
    make()
    assert with_vectors() == set()


def test_without_an_endpoint_no_statement_and_no_call_is_added(
    world: World, embeddings: ModelServer, settings: Any
) -> None:
    say(world, *TALK)
    find(world, "ferry")
    with CaptureQueriesContext(
        connection,
    ) as offered:
        find(world, "ferry")
    settings.EMBEDDING_MODEL = ""
    with CaptureQueriesContext(connection) as without:
        find(world, "ferry")
    assert len(offered) == len(without) + 1  # which endpoint the team has chosen
    assert embeddings.requests == []
    assert not any("embedding" in one["sql"] for one in without.captured_queries)


def _numbers(*values: Any) -> Vectors:
    return lambda _text: list(values)


HUGE = body({"data": [{"embedding": [0.5] * 20_000}]})
BAD: dict[str, Behaviour | Callable[[Any], Behaviour]] = {
    "slow": Behaviour(hang=True),
    "gone": Behaviour(cut=True, raw=b'{"data": [', streams=False),
    "error": Behaviour(status=500, raw=b"{}", streams=False),
    "redirect": Behaviour(status=302, raw=b"", headers={"Location": "/"}, streams=False),
    "no JSON": Behaviour(raw=b"<html>", streams=False),
    "a list": body([1, 2]),
    "too few": body({"data": []}),
    "one index for all": lambda got: body(
        {"data": [{"index": 7, "embedding": [1.0] * 6} for _ in got.body["input"]]}
    ),
    "other dimension": answered(_numbers(1.0, 0.0)),
    "no numbers": answered(lambda _text: []),
    "NaN": answered(_numbers(math.nan, *[0.0] * 5)),
    "infinite": answered(_numbers(math.inf, *[0.0] * 5)),
    "too large": answered(_numbers(10**400, *[0.0] * 5)),
    "texts": answered(_numbers("1", *[0.0] * 5)),
    "true": answered(_numbers(True, *[0.0] * 5)),
    "huge": HUGE,
    "endless": Behaviour(raw=b" " * (5 * 1024 * 1024), streams=False),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_answer_to_a_query_leaves_what_words_find(
    talk: World, embeddings: ModelServer, name: str
) -> None:
    bad = BAD[name]
    embeddings.default = bad if callable(bad) else lambda _: bad
    found = find(talk, "ferry boat")
    assert said(found) == [TALK[0]]
    assert "only words" in found.notice
    before = len(embeddings.requests)
    assert find(talk, "ferry").notice == found.notice
    assert len(embeddings.requests) == before  # left alone for a while


def test_an_endpoint_that_was_taken_out_of_the_settings_is_not_waited_for(
    talk: World, embeddings: ModelServer, settings: Any
) -> None:
    settings.EMBEDDING_MODEL, settings.MODEL_HOSTS = "", ["models.example"]
    before = len(embeddings.requests)
    found = find(talk, "ferry boat")
    assert (said(found), found.notice) == ([TALK[0]], "")
    make()
    assert len(embeddings.requests) == before


@pytest.mark.parametrize("name", sorted({*BAD} - {"slow"}))
def test_a_bad_answer_to_a_run_writes_no_vector(
    talk: World, embeddings: ModelServer, name: str
) -> None:
    before = with_vectors()
    bad = BAD[name]
    embeddings.default = bad if callable(bad) else lambda _: bad
    say(talk, "The harbour is frozen.", name="later")
    make()
    assert with_vectors() == before
    runs = Run.objects.filter(kind=Run.Kind.VECTORS, agent=talk.agent)
    run = runs.latest("created_at")
    assert run.status == Run.Status.FAILED


def test_vectors_of_no_direction_change_no_order(talk: World, embeddings: ModelServer) -> None:
    say(talk, *[f"Ferry number {n} to the island." for n in range(9)], name="ferries")
    make()
    with scope(team=talk.team):
        Passage.objects.update(vector=None, space=None)
    words = said(find(talk, "ferry island"))
    for made in (_numbers(*[0.0] * 6), _numbers(*[0.3] * 6), _numbers(1e300, *[0.0] * 5)):
        TeamEmbedding.objects.update(made_for="")
        embeddings.default = answered(made)
        make()
        assert len(with_vectors()) > 9
        assert said(find(talk, "ferry island")) == words
