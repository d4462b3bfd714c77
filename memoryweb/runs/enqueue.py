"""Asking for a run. Asking twice gets the same one."""

from dataclasses import dataclass
from datetime import date, datetime

from django.db import IntegrityError, transaction
from django.utils import timezone
from django_q.brokers import get_broker
from django_q.tasks import async_task
from django_scopes import scopes_disabled

from memoryweb.accounts.models import Integration, User
from memoryweb.agents.models import Agent, Owner
from memoryweb.runs.claim import last_finished
from memoryweb.runs.exceptions import OwnerOfOtherTeam
from memoryweb.runs.models import Run


@dataclass(frozen=True)
class QueuedRun:
    run: Run
    created: bool


def enqueue(
    *,
    agent: Agent,
    owner: Owner | None,
    kind: str,
    trigger: str,
    user: User | None = None,
    integration: Integration | None = None,
    night: date | None = None,
    clock: datetime | None = None,
    topic: str = "",
    due_at: datetime | None = None,
) -> QueuedRun:
    """The run of that night, whatever became of it, or the one active run by hand, or a new one.

    The call to the workers is part of the caller's transaction. Until `due_at` nobody takes it.
    """
    if owner is not None and owner.team_id != agent.team_id:
        raise OwnerOfOtherTeam(f"{owner.pk} is not of the team of agent {agent.pk}.")
    run = Run(
        team_id=agent.team_id,
        agent=agent,
        owner=owner,
        kind=kind,
        trigger=trigger,
        user=user,
        integration=integration,
        night=night,
        clock=clock,
        topic=topic,
        due_at=due_at or timezone.now(),
    )
    with scopes_disabled(), transaction.atomic():
        return _existing_or_new(run)


def _existing_or_new(run: Run) -> QueuedRun:
    # Whoever loses the race of two requests finds the winner's run on the second look; that one
    # may have finished meanwhile, hence the third.
    for is_last in (False, False, True):
        if existing := _existing(run):
            return QueuedRun(existing, created=False)
        run.turn_at = last_finished(run)
        try:
            with transaction.atomic():
                run.save(force_insert=True)
        except IntegrityError:
            if is_last:
                raise
        else:
            break
    wake_up(run)
    return QueuedRun(run, created=True)


def _existing(run: Run) -> Run | None:
    same = Run.objects.filter(
        team_id=run.team_id, agent=run.agent, owner=run.owner, kind=run.kind, night=run.night
    ).select_related("agent", "owner")
    return (same if run.night else same.active()).first()


# Telling a worker that there is something to do. A lost or a second call does no harm.

WAKE = "memoryweb.runs.tasks.wake"
TICK = "memoryweb.runs.tasks.tick"


def wake_up(run: Run, now: datetime | None = None) -> None:
    """Send the run's id to the workers, unless it isn't due yet (the tick will).

    The database is the broker: the call commits or rolls back with the run itself.
    """
    if run.due_at is not None and run.due_at > (now or timezone.now()):
        return
    # Not saved: the run's row tells how it went; a row more for each call would only be purged.
    async_task(WAKE, str(run.id), save=False, group="wake")


def call_tick() -> None:
    async_task(TICK, save=False, group="tick")


def waiting_calls() -> int:
    """Calls that no worker has taken yet."""
    return int(get_broker().queue_size())
