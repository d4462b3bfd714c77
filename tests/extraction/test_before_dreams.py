"""What was said is noted before its owner dreams, however the dream was asked for."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from memoryweb.agents.models import Agent, Owner
from memoryweb.agents.owners import system_owner
from memoryweb.audit.record import SYSTEM
from memoryweb.dreaming import schedule
from memoryweb.llm.exceptions import Unavailable
from memoryweb.memory.models import Conversation, File
from memoryweb.memory.models.writer import Memory, write_transaction
from memoryweb.runs import engine
from memoryweb.runs.models import Run
from tests.commands.calling import run as call
from tests.extraction.talking import ask, talk
from tests.world import World

pytestmark = pytest.mark.django_db
SAID = [("user", "I am allergic to penicillin, please remember that.")]


@pytest.fixture
def yesterday() -> datetime:
    return datetime.now(UTC) - timedelta(days=1)


def at_night(world: World, _owner: Owner) -> None:
    world.agent.next_dream_at = timezone.now()
    world.agent.save()
    schedule.tick(timezone.now())
    list(engine.run_pending())


def by_hand(world: World, owner: Owner) -> None:
    request_dream(world, owner)
    list(engine.run_pending())


def on_a_topic(world: World, owner: Owner) -> None:
    request_dream(world, owner, topic="penicillin")
    list(engine.run_pending())


def for_everyone(world: World, _owner: Owner) -> None:
    schedule.request_all(world.agent, actor=SYSTEM, trigger=Run.Trigger.PERSON)
    list(engine.run_pending())


def by_command(world: World, _owner: Owner) -> None:
    assert not call("dream", *_of(world)).failure


def by_command_for_one(world: World, owner: Owner) -> None:
    assert not call("dream", *_of(world), "--owner", str(owner)).failure


def awaited(world: World, owner: Owner) -> None:
    assert engine.work(request_dream(world, owner).pk) is not None


def _of(world: World) -> tuple[str, ...]:
    return "--team", world.team.slug, "--agent", world.agent.name


def request_dream(world: World, owner: Owner | None, **more: Any) -> Run:
    with write_transaction(world.team) as tx:
        by = Run.Trigger.PERSON
        return schedule.request(tx, Memory(world.agent, owner), trigger=by, **more).run


def memory_of(world: World, owner: Owner | None) -> str:
    found = File.objects.of(world.agent.pk, owner.pk if owner else None).filter(path="MEMORY.md")
    return "".join(found.values_list("raw_content", flat=True))


WAYS = (at_night, by_hand, on_a_topic, for_everyone, by_command, by_command_for_one, awaited)


@pytest.mark.parametrize("dream", WAYS)
@pytest.mark.first_two
def test_what_no_extraction_covered_is_noted_first(
    world: World, yesterday: datetime, dream: Callable[[World, Owner], None]
) -> None:
    talk(world, SAID, at=yesterday)
    dream(world, world.customer)
    assert "penicillin" in memory_of(world, world.customer)
    assert not Conversation.objects.filter(waiting=True).exists()


@pytest.mark.parametrize("isolated", [True, False])
def test_what_is_shared_is_noted_before_the_shared_dream(
    world: World, yesterday: datetime, isolated: bool
) -> None:
    world.agent.owner_isolation = isolated
    world.agent.save()
    owner = system_owner(world.team) if isolated else world.home.person
    talk(world, SAID, at=yesterday, owner=owner)
    assert schedule.with_new_notes(world.agent, timezone.now()) == [None]
    assert engine.work(request_dream(world, None).pk) is not None
    assert "penicillin" in memory_of(world, None)


def test_another_owners_talk_is_left_alone(world: World, yesterday: datetime) -> None:
    talk(world, SAID, at=yesterday, owner=world.sender)
    engine.work(request_dream(world, world.customer).pk)
    assert Conversation.objects.get().waiting


@pytest.mark.parametrize(
    ("owner", "agent", "source"),
    [({"keeping": False}, {}, "api"), ({}, {"auto_summarize": False}, "api"), ({}, {}, "cron")],
)
def test_what_is_never_extracted_brings_no_dream(
    world: World, owner: dict[str, Any], agent: dict[str, Any], source: str
) -> None:
    talk(world, SAID, source=source)
    Owner.objects.filter(pk=world.customer.pk).update(**{"keeping": True} | owner)
    Agent.objects.filter(pk=world.agent.pk).update(**{"auto_summarize": True} | agent)
    assert schedule.with_new_notes(Agent.objects.get(pk=world.agent.pk), timezone.now()) == []


def test_a_dream_waits_for_the_extraction_that_another_worker_has(world: World) -> None:
    extraction = ask(world, talk(world, SAID), finished=True)
    assert extraction is not None
    running = {"status": "running", "lease_until": timezone.now() + timedelta(minutes=3)}
    Run.objects.filter(pk=extraction.pk).update(**running)
    dream = request_dream(world, world.customer)
    engine.work_next()
    dream.refresh_from_db()
    assert (dream.status, dream.attempts) == ("queued", 0)
    assert dream.due_at is not None
    assert dream.due_at > timezone.now()


def test_a_dream_goes_on_when_its_extraction_ends(world: World) -> None:
    ask(world, talk(world, SAID))
    dream = request_dream(world, world.customer)
    assert [one.kind for one in engine.run_pending()] == ["extraction", "dream"]
    dream.refresh_from_db()
    assert dream.finished_at is not None


@pytest.mark.parametrize("failed", [False, True])
def test_a_dream_does_without_a_model_that_is_away(
    world: World, monkeypatch: pytest.MonkeyPatch, failed: bool
) -> None:
    """Asked once, however often the dream looks; also where it has failed before."""

    def away(*_args: object) -> None:
        tries.append(1)
        raise Unavailable("away")

    tries: list[int] = []
    monkeypatch.setitem(engine._handlers, "extraction", away)
    extraction = ask(world, talk(world, SAID), finished=failed)
    assert extraction is not None
    if failed:
        engine.work_next()
    assert engine.work(request_dream(world, world.customer).pk) is not None
    assert len(tries) == 1 + failed
    assert Run.objects.get(kind="dream").reason == "no_notes"
    assert Conversation.objects.get().waiting
