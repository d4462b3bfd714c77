"""Asking for a run, and taking one: compare-and-set on its fence, while its team's other claims
wait."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from uuid import UUID

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import Count, Exists, F, IntegerField, Max, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils import timezone
from django_q.brokers import get_broker
from django_q.tasks import async_task
from django_scopes import scopes_disabled

from memoryweb.accounts.models import Integration, Team, User
from memoryweb.agents.models import Agent, Owner
from memoryweb.core.prepared_queries import PreparedQuery
from memoryweb.runs.models import NEVER, Run

# Who is next: teams take turns, and in a team whoever has waited longest.
#
# A queue may be long, and every claim asks. So each waiting run carries its `turn_at`: an index has
# a team's queue in order, and a claim compares the first ones of the teams.

WAITING = (Run.Status.QUEUED, Run.Status.FAILED)


def due(now: datetime) -> QuerySet[Run]:
    """Queued, or failed with a next try, whose time has come. Finished runs have no `due_at`."""
    return Run.objects.filter(status__in=WAITING, due_at__lte=now)


def startable(now: datetime) -> QuerySet[Run]:
    """Due, its team below its share, and its (agent, owner, kind) not running already."""
    return _free(now).filter(team__in=_teams(now, settings.RUNS_PER_TEAM).values("pk"))


def fairest(
    now: datetime,
    share: int,
    *,
    kinds: Collection[str] | None = None,
    run_id: UUID | None = None,
) -> QuerySet[Run]:
    """The next startable run of each team, the fairest first, in one statement. `share`: how many
    of a team run at once."""
    runs = _free(now).filter(team=OuterRef("pk"))
    if kinds is not None:
        runs = runs.filter(kind__in=list(kinds))
    if run_id is not None:
        runs = runs.filter(pk=run_id)
    heads = _teams(now, share).annotate(head=Subquery(runs.order_by(*_TURN).values("pk")[:1]))
    found = Run.objects.filter(pk__in=heads.values("head"))
    return found.order_by(_running(now, "team"), *_TURN).select_related("team", "agent", "owner")


def last_finished(run: Run) -> datetime:
    """When a run of its (agent, owner, kind) last ended: the turn of those that wait."""
    finished = _alike(run).filter(finished_at__isnull=False)
    at: datetime | None = finished.aggregate(at=Max("finished_at"))["at"]
    return at or NEVER


def has_its_turn(run: Run, now: datetime) -> None:
    """What else waits of its (agent, owner, kind) goes behind those who waited longer."""
    _alike(run).filter(status__in=WAITING, due_at__isnull=False).update(turn_at=now)


_TURN = ("turn_at", "due_at", "pk")


def _alike(run: Run) -> QuerySet[Run]:
    return Run.objects.filter(agent=run.agent_id, owner=run.owner_id, kind=run.kind)


def _free(now: datetime) -> QuerySet[Run]:
    """Due, and no other of the same (agent, owner, kind) running."""
    twins = _live(now).filter(team=OuterRef("team"), agent=OuterRef("agent"), kind=OuterRef("kind"))
    shared_twin = Q(owner=None) & Exists(twins.filter(owner=None))
    return due(now).filter(~Exists(twins.filter(owner=OuterRef("owner"))), ~shared_twin)


def _teams(now: datetime, share: int) -> QuerySet[Team]:
    """Those below their share."""
    return Team.objects.alias(live=_running(now, "pk")).filter(live__lt=share)


def _live(now: datetime) -> QuerySet[Run]:
    """Running runs. One whose lease ran out takes no one's place."""
    return Run.objects.filter(status=Run.Status.RUNNING, lease_until__gt=now).order_by()


def _running(now: datetime, team: str) -> Coalesce:
    """How many of the team run, whose key stands in that column."""
    live = _live(now).filter(team=OuterRef(team)).values("team")
    counted = live.annotate(count=Count("pk")).values("count")
    return Coalesce(Subquery(counted, output_field=IntegerField()), 0)


def claim(*, kinds: Collection[str] | None = None, run_id: UUID | None = None) -> Run | None:
    """The fairest startable run, now ours, or None. An attempt counts from here on.

    Whoever loses the race for one run looks again: somebody else has won, so this ends.
    """
    with scopes_disabled():
        while True:
            with transaction.atomic():
                of = None if kinds is None else tuple(kinds)
                run = next(iter(_look(timezone.now(), settings.RUNS_PER_TEAM, of, run_id)), None)
                if run is None or _take(run, timezone.now()):
                    return run


def lease_end(now: datetime) -> datetime:
    return now + timedelta(seconds=settings.LEASE_SECONDS)


@PreparedQuery
def _look(
    now: datetime, share: int, kinds: Collection[str] | None, run_id: UUID | None
) -> QuerySet[Run]:
    runs = fairest(now, share, kinds=kinds, run_id=run_id)
    # The team's row is the lock (PostgreSQL): two claims at once could exceed the team's share.
    return runs.select_for_update(of=("team",), no_key=True)[:1]


def _take(run: Run, now: datetime) -> bool:
    """Asks again whether the run may start: what `_look` saw may be older than the lock."""
    changes = {
        "status": Run.Status.RUNNING,
        "phase": run.phase or Run.Phase.CLAIMED,
        "attempts": run.attempts + 1,
        "lease_until": lease_end(now),
        "heartbeat_at": now,
        "started_at": run.started_at or now,
    }
    found = startable(now).filter(pk=run.pk, fence=run.fence)
    if not found.update(fence=F("fence") + 1, **changes):
        return False
    has_its_turn(run, now)
    for name, value in changes.items():
        setattr(run, name, value)
    run.fence += 1
    return True


class RunError(Exception):
    """What a handler raises to end or postpone its run; `reason` is a code, `error` a sentence."""

    def __init__(self, reason: str, error: str = "") -> None:
        super().__init__(error or reason)
        self.reason = reason
        self.error = error


class Retry(RunError):
    """Try again, after `after` seconds or when the usual back-off says.

    `costs`: the attempt counts. It does not where the run itself is not at fault.
    """

    def __init__(
        self, reason: str, after: float | None = None, error: str = "", *, costs: bool = True
    ) -> None:
        super().__init__(reason, error)
        self.after = after
        self.costs = costs


class GiveUp(RunError):
    """Trying again would not help: the run ends here, with this status."""

    def __init__(self, reason: str, status: str = "failed", error: str = "") -> None:
        super().__init__(reason, error)
        self.status = status


class OutOfTime(Exception):
    """The task that works on the run has no time for its next step: another one goes on."""


class LeaseLost(Exception):
    """The run is someone else's by now. Whoever meets this writes nothing more."""


class OwnerOfOtherTeam(ValueError):
    """A run's owner must belong to the team of its agent."""


# Asking for a run. Asking twice gets the same one.


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
