"""Which texts go to an embedding endpoint, and when vectors come and go."""

from typing import Any
from urllib.parse import urlsplit

import pytest
from django.db import connection
from django.utils import timezone
from django_scopes import scope

from memoryweb.agents.models import Agent
from memoryweb.agents.owners import set_paused
from memoryweb.audit.record import SYSTEM
from memoryweb.llm import choices
from memoryweb.llm.choices import Own
from memoryweb.llm.models import TeamEmbedding
from memoryweb.memory import vectors
from memoryweb.memory.agents import archive_agent, restore_agent
from memoryweb.memory.forgetting import decisions, finding
from memoryweb.memory.forgetting.hiding import Wish, hide, open_request
from memoryweb.memory.index import reindexing
from memoryweb.memory.models import ForgetRequest, Passage
from memoryweb.memory.models.writer import Memory, write_transaction
from memoryweb.runs import engine
from memoryweb.runs.models import Run
from tests.embeddings import answered, by_topic, enable, make, sent, with_vectors
from tests.fakes import Behaviour, ModelServer, Received
from tests.llm.test_own_models import HOST, KEY, Net, net
from tests.memory.test_search import find, save, say
from tests.world import World

__all__ = ["net"]
pytestmark = [pytest.mark.databases, pytest.mark.django_db]
FERRY, ROSES = "The ferry leaves at nine.", "I water my roses."
TOOTHACHE = "Bob has toothache."


def forget(world: World, word: str) -> ForgetRequest:
    memory = Memory(world.agent, world.customer)
    with write_transaction(world.team) as tx:
        request = open_request(tx, Wish(memory, ForgetRequest.Via.API, word))
        hide(tx, request, finding.of_text(memory, word).meant)
    return request


@pytest.fixture
def talk(world: World, embeddings: ModelServer) -> World:
    say(world, FERRY, ROSES)
    enable(world.team)
    return world


def test_nothing_is_sent_before_an_admin_has_enabled_it(
    world: World, embeddings: ModelServer
) -> None:
    say(world, FERRY)
    assert make() == []
    assert embeddings.requests == []


def test_new_texts_get_vectors_and_others_are_not_sent_again(
    talk: World, embeddings: ModelServer
) -> None:
    make()
    assert {FERRY, ROSES} <= with_vectors()
    before = len(sent(embeddings))
    assert make() == []
    say(talk, "Tea is at five.", name="later")
    make()
    assert sent(embeddings)[before:] == ["Tea is at five."]
    assert Run.objects.filter(agent=talk.agent, kind=Run.Kind.VECTORS).count() == 1


def test_no_call_holds_the_texts_of_two_owners(talk: World, embeddings: ModelServer) -> None:
    say(talk, "Bob has toothache.", owner=talk.bobs_memory, name="bobs")
    save(talk, "KNOWLEDGE.md", "The kettle is shared.")
    make()
    for received in embeddings.requests:
        texts = " ".join(received.body["input"])
        assert sum(one in texts for one in (FERRY, "toothache", "kettle")) <= 1


def test_what_is_to_be_forgotten_is_not_sent_until_that_is_undone(
    talk: World, embeddings: ModelServer
) -> None:
    request = forget(talk, FERRY)
    make()
    assert FERRY not in sent(embeddings)
    assert ROSES in with_vectors()
    with write_transaction(talk.team) as tx:
        decisions.undo(tx, request, None)
    say(talk, "Tea is at five.", name="later")
    make()
    assert FERRY in with_vectors()


def test_nothing_is_sent_of_somebody_whose_memory_is_paused(
    talk: World, embeddings: ModelServer
) -> None:
    set_paused(owner=talk.customer, paused=True, by=SYSTEM)
    make()
    assert FERRY not in sent(embeddings)
    set_paused(owner=talk.customer, paused=False, by=SYSTEM)
    say(talk, "Bob has toothache.", owner=talk.bobs_memory, name="bobs")
    make()
    assert FERRY in with_vectors()


def test_nothing_of_an_agent_for_local_models_goes_to_another_host(
    talk: World, embeddings: ModelServer, settings: Any
) -> None:
    talk.agent.local_models_only = True
    talk.agent.save(update_fields=["local_models_only"])
    make()
    assert FERRY not in sent(embeddings)
    before = len(embeddings.requests)
    assert find(talk, "ferry", talk.customer).total == 1
    assert len(embeddings.requests) == before
    settings.LOCAL_MODEL_HOSTS = [urlsplit(embeddings.url).netloc]
    say(talk, "Tea is at five.", name="later")
    make()
    assert FERRY in with_vectors()


@pytest.mark.django_db(transaction=True)
def test_a_switch_to_local_models_holds_for_the_next_call_of_a_run(
    talk: World, embeddings: ModelServer
) -> None:
    say(talk, TOOTHACHE, owner=talk.bobs_memory, name="bobs")
    made = answered(by_topic)

    def switched(received: Received) -> Behaviour:
        if {FERRY, TOOTHACHE} & {*received.body["input"]}:
            with scope(team=talk.team):
                Agent.objects.filter(pk=talk.agent.pk).update(local_models_only=True)
            connection.close()
        return made(received)

    embeddings.default = switched
    ended = {(run.status, run.reason) for run in make()}
    assert ("skipped", "endpoint_changed") in ended
    assert len({FERRY, TOOTHACHE} & {*sent(embeddings)}) == 1


@pytest.mark.django_db(transaction=True)
def test_what_was_hidden_during_the_call_gets_no_vector(
    talk: World, embeddings: ModelServer
) -> None:
    def meanwhile(received: Received) -> Behaviour:
        if FERRY in received.body["input"]:
            forget(talk, FERRY)
            connection.close()
        return answered(by_topic)(received)

    embeddings.default = meanwhile
    make()
    assert FERRY in sent(embeddings)
    assert with_vectors() >= {ROSES}
    assert FERRY not in with_vectors()


def test_a_changed_line_loses_its_vector_with_its_words(talk: World) -> None:
    save(talk, "KNOWLEDGE.md", "- The ferry is red.\n- The kettle is blue.\n")
    make()
    save(talk, "KNOWLEDGE.md", "- New here.\n- The ferry is green.\n- The kettle is blue.\n")
    found = {text.removeprefix("- ") for text in with_vectors()}
    assert {"The kettle is blue."} == found & {
        *("The ferry is red.", "The ferry is green.", "The kettle is blue.", "New here.")
    }


def test_an_index_that_is_made_again_gets_its_vectors_again(talk: World) -> None:
    make()
    reindexing.rebuild(talk.team)
    assert FERRY not in with_vectors()
    make()
    assert FERRY in with_vectors()
    assert reindexing.check(talk.team).differences == ()


def test_who_turns_it_off_has_no_vectors_a_minute_later(
    talk: World, embeddings: ModelServer
) -> None:
    make()
    enable(talk.team, "none")
    before = len(embeddings.requests)
    make()
    assert with_vectors() == set()
    assert len(embeddings.requests) == before


def test_nothing_of_an_archived_agent_is_sent_until_it_is_back(
    talk: World, embeddings: ModelServer, settings: Any
) -> None:
    make()
    with write_transaction(talk.team) as tx:
        archive_agent(tx, talk.agent)
    settings.EMBEDDING_MODEL = "another"
    embeddings.requests.clear()
    make()
    assert not with_vectors() & {FERRY, ROSES}
    assert not {FERRY, ROSES} & {*sent(embeddings)}
    with write_transaction(talk.team) as tx:
        restore_agent(tx, talk.agent)
    say(talk, "Tea is at five.", name="later")
    make()
    assert with_vectors() >= {FERRY, ROSES, "Tea is at five."}


def test_another_model_makes_all_of_them_anew(
    talk: World, embeddings: ModelServer, settings: Any
) -> None:
    make()
    settings.EMBEDDING_MODEL = "another"
    embeddings.default = answered(lambda text: by_topic(text)[:4])
    make()
    with scope(team=talk.team):
        sizes = {len(bytes(row.vector or b"")) for row in Passage.objects.exclude(vector=None)}
    assert sizes == {8}


def test_a_teams_own_endpoint_gets_its_texts_with_its_key(
    world: World, embeddings: ModelServer, settings: Any, net: Net
) -> None:
    settings.EMBEDDING_MODEL = ""
    say(world, FERRY)
    own = Own("embedding", f"https://{HOST}/v1", "theirs", KEY)
    choices.set_own(table=TeamEmbedding, team_id=world.team.pk, own=own, by=SYSTEM)
    enable(world.team, "own")
    make()
    assert FERRY in with_vectors()
    for received in embeddings.requests:
        assert received.path == "/v1/embeddings"
        assert received.headers["authorization"] == f"Bearer {KEY}"


def test_a_private_address_gets_nothing(
    world: World, embeddings: ModelServer, settings: Any, net: Net
) -> None:
    say(world, FERRY)
    own = Own("embedding", f"https://{HOST}/v1", "theirs", KEY)
    choices.set_own(table=TeamEmbedding, team_id=world.team.pk, own=own, by=SYSTEM)
    enable(world.team, "own")
    net.names[HOST] = [["10.0.0.1"]]
    assert {run.reason for run in make()} == {"model_host_refused"}
    assert embeddings.requests == []


def test_a_text_that_the_endpoint_refuses_keeps_no_other_from_its_vector(
    talk: World, embeddings: ModelServer
) -> None:
    def picky(received: Received) -> Behaviour:
        if ROSES in received.body["input"]:
            return Behaviour(status=400, raw=b"{}", streams=False)
        return answered(by_topic)(received)

    embeddings.default = picky
    make()
    assert FERRY in with_vectors()
    assert ROSES not in with_vectors()


def test_a_text_that_is_refused_alone_holds_nothing_up(
    talk: World, embeddings: ModelServer
) -> None:
    make()
    embeddings.default = lambda received: (
        Behaviour(status=400, raw=b"{}", streams=False)
        if "Bob has toothache." in received.body["input"]
        else answered(by_topic)(received)
    )
    say(talk, "Bob has toothache.", owner=talk.bobs_memory, name="bobs")
    say(talk, "Tea is at five.", name="later")
    assert {run.status for run in make()} == {Run.Status.SUCCEEDED}
    assert "Tea is at five." in with_vectors()


def test_a_run_goes_on_where_its_worker_stopped(
    talk: World, embeddings: ModelServer, settings: Any
) -> None:
    say(talk, *[f"Message {n} of a long talk." for n in range(80)], name="long")
    counted = []

    def dies(received: Received) -> Behaviour:
        counted.append(received)
        if len(counted) == 3:
            return Behaviour(status=503, raw=b"{}", streams=False)
        return answered(by_topic)(received)

    embeddings.default = dies
    make()
    half = len(with_vectors())
    assert half
    Run.objects.filter(kind=Run.Kind.VECTORS).update(due_at=timezone.now())
    embeddings.default = answered(by_topic)
    list(engine.run_pending())
    said = [text for text in sent(embeddings) if text.startswith("Message")]
    assert len(with_vectors()) > half
    assert {*said} <= with_vectors()
    assert len(said) <= 80 + vectors.BATCH
