"""What django-q2 calls. It only wakes us up; the rows decide (docs/architecture.md)."""

from django.conf import settings
from django.utils import timezone
from django_scopes import scopes_disabled

from memoryweb.runs import engine, queue, ticking
from memoryweb.runs.queue import waiting_calls, wake_up


def wake(run_id: str) -> str:
    """Work the fairest run that may start, which need not be the one that called.

    A second delivery, or a call for a run that is taken or has to wait its turn, does nothing.
    """
    run = engine.work_next()
    if run is None:
        return ""
    _pass_on()
    return str(run.pk)


def _pass_on() -> None:
    """Call again for a run whose own call came while its team was at its share."""
    with scopes_disabled():
        waiting = queue.fairest(timezone.now(), settings.RUNS_PER_TEAM).first()
    if waiting is not None and not waiting_calls():
        wake_up(waiting)


def tick() -> None:
    ticking.tick(timezone.now())
