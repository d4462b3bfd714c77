from datetime import timedelta
from threading import Barrier, Thread

import pytest
from django.db import connection
from django.db.models import Q
from django.utils import timezone
from django_scopes import scope

from memoryweb.agents.models import Agent, Owner
from memoryweb.audit.models import Event
from memoryweb.memory.models import AuthorKind, File, Proposal
from memoryweb.memory.models.refusals import Decided, MemoryRefused, SecretRefused, Stale
from memoryweb.memory.models.writer import Place, Writer, write_transaction
from memoryweb.memory.review import Inbox, check, proposals
from memoryweb.memory.writing import proposing, write
from memoryweb.runs.models import Run
from tests.snapshot import restored_world
from tests.world import World

pytestmark = pytest.mark.databases


def _write(world: World, owner: Owner | None, text: str) -> File:
    with write_transaction(world.team) as tx:
        place = Place(world.agent, owner, "MEMORY.md")
        writer = Writer(AuthorKind.PERSON, user=world.alice)
        return write.write(tx, place, text, writer=writer).file


def _proposed(world: World, content: str, *, base: int | None = None) -> Proposal:
    file = File.objects.of(world.agent.pk, world.customer.pk).get(path="MEMORY.md")
    run = Run.objects.create(
        team=world.team,
        agent=world.agent,
        owner=world.customer,
        kind="dream",
        trigger="cron",
        status="needs_review",
    )
    with write_transaction(world.team, run=run) as tx:
        made = proposing.propose(
            tx, run=run, file=file, content=content, origins={}, broken=[], base=base
        )
    return Proposal.objects.select_related("file").get(pk=made.pk)


def _accept(world: World, proposal: Proposal) -> None:
    with write_transaction(world.team) as tx:
        proposals.accept(tx, proposal, by=world.alice)


def test_what_was_written_after_the_proposal_was_loaded_is_not_overwritten(world: World) -> None:
    _write(world, world.customer, "- one\n")
    proposal = _proposed(world, "- proposed\n")
    file = _write(world, world.customer, "- by a person\n")
    with pytest.raises(Stale) as refused:
        _accept(world, proposal)
    assert refused.value.file.raw_content == "- by a person\n"
    assert Proposal.objects.get(pk=proposal.pk).state == "pending"
    assert File.objects.get(pk=file.pk).raw_content == "- by a person\n"


def test_a_change_of_an_older_text_is_not_accepted_over_a_newer_one(world: World) -> None:
    _write(world, world.customer, "- one\n")
    _write(world, world.customer, "- by a person\n")
    with pytest.raises(Stale):
        _accept(world, _proposed(world, "- proposed\n", base=1))


def test_a_proposal_is_accepted_once(world: World) -> None:
    _write(world, world.customer, "- one\n")
    proposal = _proposed(world, "- proposed\n")
    _accept(world, proposal)
    with pytest.raises(Decided):
        _accept(world, proposal)


def test_a_proposal_with_a_secret_is_refused_and_stays_undecided(world: World) -> None:
    _write(world, world.customer, "- one\n")
    proposal = _proposed(world, "- the key is here\n")
    proposal.raw_content = (
        "- the key is " + "AKIA" + "QXNBTM4PLZ7RWD2K\n"
    )  # before it was looked for
    proposal.save(update_fields=["raw_content"])
    with pytest.raises(SecretRefused):
        _accept(world, proposal)
    assert Proposal.objects.get(pk=proposal.pk).state == "pending"


@pytest.mark.django_db(transaction=True)
def test_of_two_who_accept_at_once_one_is_told_that_it_was_decided() -> None:
    world = restored_world()
    _write(world, world.customer, "- one\n")
    proposal = _proposed(world, "- proposed\n")
    start, said = Barrier(2), []

    def accept() -> None:
        with scope(team=world.team):
            mine = Proposal.objects.select_related("file").get(pk=proposal.pk)
        start.wait(10)
        try:
            _accept(world, mine)
            said.append("accepted")
        except MemoryRefused as refused:
            said.append(refused.code)
        finally:
            connection.close()

    threads = [Thread(target=accept) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert sorted(said) == ["accepted", "decided"]
    assert File.objects.get(pk=proposal.file_id).revision == 2


def test_what_nobody_decides_in_thirty_days_of_their_own_counts_as_rejected(world: World) -> None:
    _write(world, world.customer, "- one\n")
    _write(world, None, "- one\n")
    personal = _proposed(world, "- one\n- two\n")
    with write_transaction(world.team) as tx:
        file = File.objects.of(world.agent.pk, None).get(path="MEMORY.md")
        run = Run.objects.create(
            team=world.team, agent=world.agent, kind="dream", trigger="cron", status="needs_review"
        )
        shared = proposing.propose(
            tx, run=run, file=file, content="- one\n- two\n", origins={}, broken=[]
        )
    now = timezone.now()
    assert proposals.expire(now + timedelta(days=29)) == 0
    assert proposals.expire(now + timedelta(days=31)) == 1
    personal.refresh_from_db()
    shared.refresh_from_db()
    assert (personal.state, personal.decided_by, shared.state) == ("rejected", None, "pending")
    assert personal.run
    assert personal.run.status == "succeeded"
    event = Event.objects.get(action="proposal.rejected")
    assert (event.actor_kind, event.reason_code) == ("system", "expired")
    [item] = Inbox(world.team, lambda *_: Q(), is_decided=True)
    assert (item.id, item.state, item.decided_by) == (str(personal.pk), "Not decided in time", None)
    assert check(world.team) == []
    assert proposals.expire(now + timedelta(days=31)) == 0


def test_of_a_simulated_night_it_waits_as_long_as_any(world: World) -> None:
    _write(world, world.customer, "- one\n")
    proposal = _proposed(world, "- one\n- two\n")
    Run.objects.filter(proposals=proposal).update(clock=timezone.now() - timedelta(days=400))
    assert proposals.expire(timezone.now() + timedelta(days=1)) == 0


def test_what_an_undo_lets_wait_again_waits_as_long_as_any(world: World) -> None:
    _write(world, world.customer, "- one\n")
    proposal = _proposed(world, "- one\n- two\n")
    Proposal.objects.update(created_at=timezone.now() - timedelta(days=40))
    with write_transaction(world.team) as tx:
        proposals.reject(tx, Proposal.objects.get(pk=proposal.pk), by=world.alice)
    with write_transaction(world.team) as tx:
        proposals.undo(tx, Proposal.objects.get(pk=proposal.pk), by=world.alice)
    assert proposals.expire(timezone.now()) == 0
    assert check(world.team) == []


def test_of_an_archived_agent_nothing_expires(world: World) -> None:
    _write(world, world.customer, "- one\n")
    _proposed(world, "- one\n- two\n")
    Agent.objects.filter(pk=world.agent.pk).update(archived_at=timezone.now())
    assert proposals.expire(timezone.now() + timedelta(days=31)) == 0
