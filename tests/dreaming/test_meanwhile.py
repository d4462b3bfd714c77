"""The model takes its time; people go on writing in other transactions."""

import json
from collections.abc import Callable

import pytest
from django.db import connection
from django.utils import timezone
from django_scopes import scopes_disabled
from pytest_django import Settings

from memoryweb.agents.models import Agent, Owner
from memoryweb.dreaming.models import Operation
from memoryweb.memory import facts
from memoryweb.memory.models import AuthorKind, Fact, File, Proposal
from memoryweb.memory.models.refusals import Stale
from memoryweb.memory.models.writer import Writer, write_transaction
from memoryweb.memory.review import proposals
from memoryweb.runs.models import Run
from tests.dreaming.nights import NIGHT, add, answer, dream, memory, note, text_of
from tests.fakes import Behaviour, ModelServer, Received
from tests.snapshot import restored_world
from tests.world import World

pytestmark = [pytest.mark.databases, pytest.mark.django_db(transaction=True)]
LINE = "Marta's team ships on Thursdays."


def _cited(asked: Received) -> Behaviour:
    return Behaviour(json.dumps(answer(add(LINE, asked.data["notes"][0]["id"]))))


def _while(act: Callable[[], object]) -> Callable[[Received], Behaviour]:
    def behaviour(asked: Received) -> Behaviour:
        with scopes_disabled():
            act()
        connection.close()
        return _cited(asked)

    return behaviour


def _noted() -> World:
    world = restored_world()
    note(world, world.customer, NIGHT, LINE)
    return world


def _by_person(world: World, text: str) -> File:
    return memory(world, world.customer, text, Writer(AuthorKind.PERSON, user=world.alice))


def test_a_memory_that_a_person_began_meanwhile_is_read_and_kept(model_server: ModelServer) -> None:
    world = _noted()
    model_server.then(_while(lambda: _by_person(world, "# Mine\n\n- Marta rows.\n")))
    model_server.default = _cited
    assert dream(world, world.customer).status == "succeeded"
    assert text_of(world, world.customer) == f"# Mine\n\n- Marta rows.\n\n## Plans\n\n- {LINE}\n"
    assert len(model_server.requests) == 2


@pytest.mark.parametrize("task_seconds", [300, 0], ids=["in one task", "in two"])
def test_what_was_made_from_an_older_memory_is_not_accepted_over_a_newer_one(
    model_server: ModelServer, settings: Settings, task_seconds: int
) -> None:
    settings.TASK_SECONDS = task_seconds
    world = _noted()
    _by_person(world, "# Memory\n\n- Edit 0.\n")
    model_server.default = _while(
        lambda: _by_person(world, f"# Memory\n\n- Edit {len(model_server.requests)}.\n")
    )
    run = dream(world, world.customer)
    assert (run.status, run.reason) == ("needs_review", "current")
    proposal = Proposal.objects.get(run=run)
    with write_transaction(world.team) as tx, pytest.raises(Stale):
        proposals.accept(tx, proposal, by=world.alice)
    assert text_of(world, world.customer) == "# Memory\n\n- Edit 2.\n"
    assert len(model_server.requests) == 2


@pytest.mark.parametrize("is_confirmed", [False, True])
def test_what_a_person_confirms_meanwhile_stays(
    model_server: ModelServer, is_confirmed: bool
) -> None:
    world = restored_world()
    note(world, world.customer, NIGHT, "We moved to Faro.")
    memory(world, world.customer, "- I live in Porto.\n")
    change = {"op": "replace", "old": ["s1"], "text": "We moved to Faro.", "sources": ["n1"]}

    def confirm() -> None:
        with write_transaction(world.team) as tx:
            by = Writer(AuthorKind.PERSON, user=world.alice)
            facts.confirm(tx, Fact.objects.get(raw_text="I live in Porto."), writer=by)

    def behaviour(_asked: Received) -> Behaviour:
        with scopes_disabled():
            if is_confirmed:
                confirm()
        connection.close()
        return Behaviour(json.dumps(answer(change)))

    model_server.then(behaviour)
    dream(world, world.customer)
    assert ("Porto" in text_of(world, world.customer)) is is_confirmed
    assert ("Faro" in text_of(world, world.customer)) is not is_confirmed
    assert len(model_server.requests) == 1


@pytest.mark.parametrize("what", ["paused", "archived"])
def test_what_is_paused_or_archived_meanwhile_is_not_written_to(
    model_server: ModelServer, what: str
) -> None:
    world = _noted()

    def stop() -> None:
        if what == "paused":
            Owner.objects.filter(pk=world.customer.pk).update(keeping=False, using=False)
        else:
            Agent.objects.filter(pk=world.agent.pk).update(archived_at=timezone.now())

    model_server.then(_while(stop))
    run = dream(world, world.customer)
    assert (run.status, run.reason) == ("skipped", what)
    assert not File.objects.filter(owner=world.customer, path="DREAMS.md").exists()


def test_a_secret_that_a_model_brings_is_stored_nowhere(model_server: ModelServer) -> None:
    world = _noted()
    secret = "AKIA" + "QXNBTM4PLZ7RWD2K"
    said = answer(add(f"The key is {secret}."), add(LINE))
    model_server.answer({**said, "diary": f"I saw {secret}.", "reason": f"Saw {secret}."})
    run = dream(world, world.customer)
    assert run.status == "succeeded"
    assert "It looks like a secret." in run.report.diary
    stored = [
        *Run.objects.values_list("answer", "checked", "inputs", "error"),
        *Proposal.objects.values_list("raw_content", "broken"),
        *File.objects.values_list("raw_content"),
        *Operation.objects.values_list("before", "after", "against"),
    ]
    assert secret not in str(stored)
