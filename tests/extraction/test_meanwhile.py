"""The model takes its time; the world goes on in other transactions."""

import json
from datetime import timedelta

import pytest
from django.db import connection
from django_scopes import scopes_disabled

from memoryweb.agents.models import Owner
from memoryweb.extraction.models import Extraction
from memoryweb.extraction.requests import leave_out
from memoryweb.memory.models import Message
from memoryweb.memory.models.writer import write_transaction
from memoryweb.runs.models import Run
from tests.extraction.answering import answer, workspace
from tests.extraction.talking import NOON, ask, extract, soon, talk, text_of
from tests.fakes import Behaviour, ModelServer, Received
from tests.snapshot import restored_world
from tests.waiting import until

pytestmark = [pytest.mark.databases, pytest.mark.django_db(transaction=True)]


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
            Owner.objects.filter(pk=world.customer.pk).update(keeping=False, using=False)
        connection.close()
        return Behaviour(json.dumps(answer()))

    model_server.then(paused)
    run = extract(world, talk(world))
    assert (run.status, run.reason) == ("skipped", "paused")
    assert workspace(world.customer) == {}


def test_what_is_left_out_while_the_model_thinks_is_not_noted(model_server: ModelServer) -> None:
    world = restored_world()

    def left_out(_: Received) -> Behaviour:
        with write_transaction(world.team) as tx:
            said = Message.objects.select_related("conversation").get(external_id="t4")
            leave_out(tx, said, 0, len(said.raw_content))
        connection.close()
        return Behaviour(json.dumps(answer()))

    model_server.then(left_out)
    model_server.answer(answer())  # it insists, but the message says so no longer
    run = extract(world, talk(world))
    assert (run.status, len(model_server.requests)) == ("no_change", 2)
    assert "cello" in str(model_server.requests[0].data)
    assert "cello" not in str(model_server.requests[1].data)
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
