"""Is background work done, and audit kept safe? Asked by `healthcheck` and `/readyz`."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import DEFAULT_DB_ALIAS
from django.db.models import Count, Min, Q
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django_scopes import scopes_disabled

from memoryweb.audit.triggers import check_triggers
from memoryweb.runs import fairness
from memoryweb.runs.models import Beat, Run

TICK_LATE = timedelta(minutes=3)
RUN_LATE = timedelta(minutes=10)


@dataclass(frozen=True)
class Health:
    at: datetime
    last_tick: datetime | None
    oldest_waiting: datetime | None  # due since then, and nothing stands in its way
    expired_leases: int
    unprotected: tuple[str, ...]  # what the database lacks to keep audit events unchanged

    @property
    def is_ready(self) -> bool:
        return self.has_worker and not self.unprotected

    @property
    def has_worker(self) -> bool:
        return self.last_tick is not None and self.at - self.last_tick <= TICK_LATE

    @property
    def problems(self) -> list[str]:
        """Whole sentences; none: all is well."""
        found = list(self.unprotected)
        if self.last_tick is None:
            found.append(_("No worker has reported yet. Start one with “manage.py work”."))
        elif not self.has_worker:
            found.append(
                _("The last tick is %(minutes)d minutes old. Is “manage.py work” running?")
                % {"minutes": _minutes(self.at - self.last_tick)}
            )
        if self.oldest_waiting and self.at - self.oldest_waiting > RUN_LATE:
            found.append(
                _("A run has been waiting for %(minutes)d minutes. See the log of the worker.")
                % {"minutes": _minutes(self.at - self.oldest_waiting)}
            )
        if self.expired_leases:
            found.append(
                ngettext(
                    "%(count)d run has lost its worker. The next tick puts it back.",
                    "%(count)d runs have lost their worker. The next tick puts them back.",
                    self.expired_leases,
                )
                % {"count": self.expired_leases}
            )
        return found


def check(now: datetime) -> Health:
    with scopes_disabled():
        beat = Beat.objects.filter(name="tick").first()
        waiting = fairness.startable(now).aggregate(since=Min("due_at"))
        running = Run.objects.filter(status=Run.Status.RUNNING).aggregate(
            expired=Count("pk", filter=Q(lease_until__lte=now))
        )
    unprotected = tuple(error.msg for error in check_triggers([DEFAULT_DB_ALIAS]))
    last_tick = beat.at if beat else None
    return Health(now, last_tick, waiting["since"], running["expired"], unprotected)


def _minutes(waited: timedelta) -> int:
    return int(waited.total_seconds() // 60)
