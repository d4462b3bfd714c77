"""The only way background work happens: one leased, fenced, resumable row a piece of work.

Floors above register what their kind of run does; a handler is called again from its run's
stored phase after a crash, and everything it writes goes through its lease.
"""

import logging
import random
import re
import traceback
from collections.abc import Callable, Iterator
from datetime import timedelta
from uuid import UUID

from django.conf import settings
from django.utils import timezone
from django_scopes import scope

from memoryweb.runs.claiming import claim
from memoryweb.runs.enqueueing import Enqueued, enqueue
from memoryweb.runs.exceptions import GiveUp, LeaseLost, Retry, RunError
from memoryweb.runs.heartbeat import beating
from memoryweb.runs.lease import Lease, Outcome
from memoryweb.runs.models import Run

__all__ = [
    "Enqueued",
    "GiveUp",
    "Handler",
    "Lease",
    "LeaseLost",
    "Outcome",
    "Retry",
    "enqueue",
    "register",
    "run_pending",
    "work",
    "work_next",
]

Handler = Callable[[Lease], None]
logger = logging.getLogger(__name__)
_CODE = re.compile(r"[a-z][a-z_]{0,63}")
_handlers: dict[str, Handler] = {}

FIRST_PAUSE = timedelta(seconds=30)
LONGEST_PAUSE = timedelta(hours=1)
"""30 s, 1, 2, 4 … minutes, at most an hour, each stretched by up to a half."""


def register(kind: str, handler: Handler) -> None:
    _handlers[kind] = handler


def work_next() -> Run | None:
    """Claim the fairest run that may start and work it to its end; None when there is none."""
    return _worked(claim(kinds=_handlers))


def work(run_id: UUID) -> Run | None:
    """The same for one run; None when it can't be claimed now (taken, finished, not due)."""
    return _worked(claim(kinds=_handlers, run_id=run_id))


def run_pending() -> Iterator[Run]:
    """Work what may start, one after the other, until there is nothing left."""
    while run := work_next():
        yield run


def pause(attempts: int, chance: float) -> timedelta:
    """How long to wait after that many attempts; `chance` in [0, 1) spreads the tries."""
    doubled = FIRST_PAUSE * (1 << (attempts - 1))
    return min(doubled, LONGEST_PAUSE) * (1 + chance / 2)


def _worked(run: Run | None) -> Run | None:
    if run is None:
        return None
    lease = Lease(run)
    with beating(run), scope(team=run.team):
        try:
            _handlers[run.kind](lease)
            if not lease.finished:
                raise GiveUp("unfinished", error="The work ended without saying how.")
        except LeaseLost:
            logger.warning("Run %s was taken over; what it had in hand is dropped.", run.pk)
        except Exception as error:
            _settle(lease, error)
        except BaseException:
            # Ctrl-C, or django-q2's time limit: the next worker goes on from the last phase.
            _settle(lease, Retry("interrupted", after=0))
            raise
    return run


def _settle(lease: Lease, error: Exception) -> None:
    run = lease.run
    reason, text = _told(run, error)
    try:
        if isinstance(error, GiveUp):
            lease.finish(Outcome(error.status, reason, text))
        elif run.attempts >= settings.RUN_ATTEMPTS:
            lease.finish(Outcome(Run.Status.FAILED, reason, text))
        else:
            lease.postpone(timezone.now() + _until_next_try(run, error), reason, text)
    except LeaseLost:
        logger.warning("Run %s was taken over before it could fail.", run.pk)


def _until_next_try(run: Run, error: Exception) -> timedelta:
    if isinstance(error, Retry) and error.after is not None:
        return timedelta(seconds=error.after)
    return pause(run.attempts, random.random())


def _told(run: Run, error: Exception) -> tuple[str, str]:
    """A reason code and a sentence. What an unexpected exception says may quote a person."""
    if isinstance(error, RunError):
        return error.reason, error.error
    code = getattr(error, "code", None)
    if isinstance(code, str) and _CODE.fullmatch(code):
        return code, str(error)
    logger.error("Run %s failed.", run.pk, exc_info=error)
    place = traceback.extract_tb(error.__traceback__)[-1]
    return "unexpected", f"{type(error).__name__} in {place.name}, line {place.lineno}"
