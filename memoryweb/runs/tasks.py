"""What django-q2's calls do. They only wake us up; the rows decide (docs/architecture.md)."""

import faulthandler
import logging

from django.conf import settings
from django.utils import timezone
from django.utils.module_loading import import_string
from django_q.brokers import get_broker
from django_q.signing import SignedPackage
from django_q.timeout import TimeoutHandler
from django_scopes import scopes_disabled

from memoryweb.runs import engine, queue, ticking
from memoryweb.runs.queue import waiting_calls, wake_up

logger = logging.getLogger(__name__)


def work_calls() -> None:
    """Those that wait, or a short pause where none does. A call is done however it ends.

    What takes too long is interrupted, and ends the process; what hangs in C, too.
    """
    broker = get_broker()
    for key, payload in broker.dequeue() or ():
        faulthandler.dump_traceback_later(settings.TASK_SECONDS + 3, exit=True)
        try:
            call = SignedPackage.loads(payload)
            with TimeoutHandler(settings.TASK_SECONDS):
                import_string(call["func"])(*call["args"], **call["kwargs"])
        except Exception:
            logger.exception("A call of the queue failed.")
        finally:
            broker.acknowledge(key)
            faulthandler.cancel_dump_traceback_later()


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
