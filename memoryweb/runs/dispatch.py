"""Telling a worker that there is something to do. A lost or a second call does no harm."""

from datetime import datetime

from django.utils import timezone
from django_q.brokers import get_broker
from django_q.tasks import async_task

from memoryweb.runs.models import Run

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
