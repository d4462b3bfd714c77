"""The model takes its time; the world goes on in other transactions."""

import json
from datetime import timedelta

import pytest
from django.db import connection
from django_scopes import scopes_disabled

from memoryweb.agents.models import Owner
from memoryweb.extraction.models import Extraction
from memoryweb.memory.exceptions import Stale
from memoryweb.memory.review.proposals import accept
from memoryweb.memory.transaction import write_transaction
from memoryweb.review.models import Proposal
from memoryweb.runs.models import Run
from tests.extraction.answering import CARLA, NOTE, answer, put, workspace
from tests.extraction.talking import NOON, ask, bullets, extract, soon, talk, text_of
from tests.fakes import Behaviour, ModelServer, Received
from tests.snapshot import restored_world
from tests.waiting import until

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_memory_that_changed_is_read_again(model_server: ModelServer) -> None:
    world = restored_world()

    def edited(_: Received) -> Behaviour:
        put(world, "MEMORY.md", "# Memory\n\n- Ann is a nurse.\n")
        connection.close()
        return Behaviour(json.dumps(answer(memory_update="# Memory\n\n- Nothing known.\n")))

    model_server.then(edited)
    model_server.default = lambda asked: Behaviour(
        json.dumps(answer(memory_update=f"{asked.data['memory']}- {CARLA}\n"))
    )
    assert extract(world, talk(world)).status == "succeeded"
    assert text_of(world, "MEMORY.md") == f"# Memory\n\n- Ann is a nurse.\n- {CARLA}\n"


def test_a_memory_that_changes_again_and_again_is_left_to_a_person(
    model_server: ModelServer,
) -> None:
    world = restored_world()

    def edited(asked: Received) -> Behaviour:
        put(world, "MEMORY.md", f"# Memory\n\n- Edit {len(model_server.requests)}.\n")
        connection.close()
        return Behaviour(json.dumps(answer(memory_update=f"{asked.data['memory']}- {CARLA}\n")))

    model_server.default = edited
    assert extract(world, talk(world)).status == "needs_review"
    assert len(model_server.requests) == 2
    assert text_of(world, "MEMORY.md") == "# Memory\n\n- Edit 2.\n"
    with write_transaction(world.team) as work, pytest.raises(Stale):
        accept(work, Proposal.objects.get(), by=world.alice)
    assert "current" in [broken["guard"] for broken in Proposal.objects.get().broken]
    assert bullets(text_of(world, NOTE)) == [f"- 12:03 {CARLA}"]


def test_what_arrives_runs_when_the_cooldown_ends(model_server: ModelServer) -> None:
    world = restored_world()

    def meanwhile(_: Received) -> Behaviour:
        later = talk(world, conversation="d", at=NOON + timedelta(days=1))
        ask(world, later, finished=True)
        connection.close()
        return Behaviour(json.dumps(answer()))

    model_server.then(meanwhile)
    run = extract(world, talk(world))
    follower = Run.objects.get(status="queued")
    assert run.finished_at is not None
    assert follower.due_at is not None
    assert follower.due_at - run.finished_at == timedelta(minutes=5)
    model_server.answer(answer())
    soon(follower)
    assert text_of(world, "memory/2026-03-02.md")


def test_memory_that_is_paused_keeps_nothing_of_the_answer(model_server: ModelServer) -> None:
    world = restored_world()

    def paused(_: Received) -> Behaviour:
        with scopes_disabled():
            Owner.objects.filter(pk=world.customer.pk).update(paused=True)
        connection.close()
        return Behaviour(json.dumps(answer()))

    model_server.then(paused)
    run = extract(world, talk(world))
    assert (run.status, run.reason) == ("skipped", "paused")
    assert workspace(world.customer) == {}


def test_a_worker_that_lost_its_lease_writes_nothing(model_server: ModelServer) -> None:
    world = restored_world()

    def taken(_: Received) -> Behaviour:
        with scopes_disabled():
            Run.objects.update(fence=77)
        connection.close()
        return Behaviour(json.dumps(answer()))

    model_server.then(taken)
    extract(world, talk(world))
    assert until(lambda: model_server.requests)
    assert workspace(world.customer) == {}
    assert not Extraction.objects.exists()
