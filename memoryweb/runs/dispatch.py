"""Telling a worker that there is something to do. A lost or a second call does no harm."""

from datetime import datetime

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from django_q.brokers import get_broker
from django_q.tasks import async_task

from memoryweb.runs.models import Run

WAKE = "memoryweb.runs.tasks.wake"
TICK = "memoryweb.runs.tasks.tick"


def wake_up(run: Run, now: datetime | None = None) -> None:
    """Send the run's id to the workers, unless it isn't due yet (the tick will).

    With the database as broker the task commits or rolls back with the run itself; Redis knows
    no transactions, so there it waits for the commit.
    """
    if run.due_at is not None and run.due_at > (now or timezone.now()):
        return
    run_id = str(run.id)
    if "orm" in settings.Q_CLUSTER:
        _send(run_id)
    else:
        # Robust: the run is there; if Redis is not, the tick calls again.
        transaction.on_commit(lambda: _send(run_id), robust=True)


def call_tick() -> None:
    async_task(TICK, save=False, group="tick")


def waiting_calls() -> int:
    """Calls that no worker has taken yet."""
    return int(get_broker().queue_size())


def _send(run_id: str) -> None:
    # Not saved: the run's row tells how it went; a row more for each call would only be purged.
    async_task(WAKE, run_id, save=False, group="wake")
