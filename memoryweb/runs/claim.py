"""Taking a run: compare-and-set on its fence, while its team's other claims wait."""

from collections.abc import Collection
from datetime import datetime, timedelta
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import F, QuerySet
from django.utils import timezone
from django_scopes import scopes_disabled

from memoryweb.core.prepared_queries import Prepared
from memoryweb.runs import fairness
from memoryweb.runs.models import Run


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


@Prepared
def _look(
    now: datetime, share: int, kinds: Collection[str] | None, run_id: UUID | None
) -> QuerySet[Run]:
    runs = fairness.fairest(now, share, kinds=kinds, run_id=run_id)
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
    found = fairness.startable(now).filter(pk=run.pk, fence=run.fence)
    if not found.update(fence=F("fence") + 1, **changes):
        return False
    fairness.has_its_turn(run, now)
    for name, value in changes.items():
        setattr(run, name, value)
    run.fence += 1
    return True
