"""Is background work done, and audit kept safe? Asked by `healthcheck` and `/readyz`."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import DEFAULT_DB_ALIAS
from django.db.models import Count, Min, Q, QuerySet, Subquery
from django.utils.timesince import timesince
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django_scopes import scopes_disabled

from memoryweb.accounts.models import Membership, Team
from memoryweb.accounts.permissions import Role
from memoryweb.agents.models import Agent
from memoryweb.audit import keys, ledger
from memoryweb.audit.triggers import check_triggers
from memoryweb.core.database_unavailable import write_refusal
from memoryweb.runs import queue
from memoryweb.runs.models import ACTIVE, Beat, Metric, Run

TICK_LATE = timedelta(minutes=3)
RUN_LATE = timedelta(minutes=10)


@dataclass(frozen=True)
class Health:
    at: datetime
    last_tick: datetime | None
    oldest_waiting: datetime | None  # due since then, and nothing stands in its way
    expired_leases: int
    unprotected: tuple[str, ...]  # of keys, or of what keeps audit events unchanged
    unwritable: str  # why the database takes no change
    notices: tuple[str, ...]  # what keeps no work from being done

    @property
    def is_ready(self) -> bool:
        return self.has_worker and not self.unprotected and not self.unwritable

    @property
    def has_worker(self) -> bool:
        return not _idle(self.last_tick, self.at)

    @property
    def problems(self) -> list[str]:
        """Whole sentences; none: all is well."""
        return [*self.failures, *self.notices]

    @property
    def failures(self) -> list[str]:
        found = [self.unwritable, *self.unprotected, _idle(self.last_tick, self.at)]
        found = [problem for problem in found if problem]
        if self.oldest_waiting and self.at - self.oldest_waiting > RUN_LATE:
            found.append(
                _("A run has been waiting for %(minutes)d minutes. See the worker's log.")
                % {"minutes": int((self.at - self.oldest_waiting).total_seconds() // 60)}
            )
        if self.expired_leases:
            found.append(
                ngettext(
                    "%(count)d run lost its worker. It is queued again within a minute.",
                    "%(count)d runs lost their worker. They are queued again within a minute.",
                    self.expired_leases,
                )
                % {"count": self.expired_leases}
            )
        return found


def with_ticks(rows: "QuerySet[Any]", until: datetime) -> "QuerySet[Any]":
    """To be told of an idle worker without another statement. `until`: a little later than now."""
    told: QuerySet[Any] = rows.annotate(ticked_at=Subquery(_ticks(until)))
    return told


def idle_worker(now: datetime, rows: Collection[Any] = ()) -> str:
    """What pages say where something waits for a worker that does not run; empty: one does. `rows`
    were read with `with_ticks`."""
    at = next((row.ticked_at for row in rows), None) if rows else last_tick(now)
    return _idle(at, now)


def last_tick(now: datetime) -> datetime | None:
    return _ticks(now + TICK_LATE).first()


def _ticks(until: datetime) -> "QuerySet[Beat, datetime]":
    """One that is still to come was noted by a clock that ran ahead, and says nothing."""
    with scopes_disabled():
        beats = Beat.objects.filter(name="tick", at__lte=until)
        return beats.values_list("at", flat=True)


def check(now: datetime) -> Health:
    with scopes_disabled():
        waiting = queue.startable(now).aggregate(since=Min("due_at"))
        running = Run.objects.filter(status=Run.Status.RUNNING).aggregate(
            expired=Count("pk", filter=Q(lease_until__lte=now))
        )
    unprotected = [error.msg for error in check_triggers([DEFAULT_DB_ALIAS])]
    try:
        keys.check()
    except keys.KeysRefused as refusal:
        unprotected.append(str(refusal))
    unwritable = str(write_refusal(Beat._meta.db_table))
    ticked = last_tick(now)
    protected = (tuple(unprotected), unwritable, tuple(_notices(now)))
    return Health(now, ticked, waiting["since"], running["expired"], *protected)


def _notices(now: datetime) -> Iterator[str]:
    if ledger.is_away():
        yield _("The ledger's second place can't be reached: erasing waits. See the worker's log.")
    admins = Membership.objects.current(now).filter(role=Role.ADMIN, user__is_active=True)
    if teams := Team.objects.filter(is_system=False).exclude(pk__in=admins.values("team")).count():
        yield ngettext(
            "%(count)d team has no admin. Add one: manage.py add_member --role admin",
            "%(count)d teams have no admin. Add one: manage.py add_member --role admin",
            teams,
        ) % {"count": teams}


Counts = list[tuple[str, str, int]]
Metrics = list[tuple[str, str, int, float]]


def figures(now: datetime) -> tuple[Counts, dict[str, datetime | None], Metrics]:
    """Of all teams: runs of the last day, or not ended yet, by kind and status; since when the
    oldest run waits and the oldest dream is due, and when what happens again and again last did;
    and what processes have counted."""
    with scopes_disabled():
        runs = Run.objects.filter(ACTIVE | Q(finished_at__gte=now - timedelta(days=1)))
        since = {
            **dict(Beat.objects.values_list("name", "at")),
            "queue": queue.startable(now).aggregate(since=Min("due_at"))["since"],
            "dream": Agent.objects.due(now).aggregate(since=Min("next_dream_at"))["since"],
        }
        counted = runs.order_by().values_list("kind", "status").annotate(Count("pk"))
        metrics = Metric.objects.order_by("label").values_list("name", "label", "count", "sum")
        return list(counted), since, list(metrics)


def _idle(last_tick: datetime | None, now: datetime) -> str:
    if last_tick is None:
        return _("No background worker has started yet. Start one with “manage.py work”.")
    if now - last_tick <= TICK_LATE:
        return ""
    return _(
        "The background worker stopped %(time)s ago, so dreams wait and no conversation is read."
        " Start it again with “manage.py work”."
    ) % {"time": timesince(last_tick, now, depth=1)}
