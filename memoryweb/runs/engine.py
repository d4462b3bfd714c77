"""The only way background work happens: one leased, fenced, resumable row a piece of work.

Floors above register what their kind of run does; a handler is called again from its run's
stored phase after a crash, and everything it writes goes through its lease.
"""

import logging
import random
import traceback
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextvars import ContextVar
from datetime import datetime, timedelta
from threading import Event
from typing import Any
from uuid import UUID

from django.conf import settings
from django.utils import timezone, translation
from django_scopes import scope, scopes_disabled

from memoryweb.core import logs
from memoryweb.llm.exceptions import ModelError
from memoryweb.runs.lease import Lease, Outcome, beating
from memoryweb.runs.models import Run
from memoryweb.runs.queue import GiveUp, LeaseLost, OutOfTime, QueuedRun, Retry, claim, due, enqueue
from memoryweb.runs.ticking import register_tick, requeue_expired, tick

__all__ = [
    "GiveUp",
    "Handler",
    "Lease",
    "LeaseLost",
    "Outcome",
    "QueuedRun",
    "Retry",
    "enqueue",
    "follow",
    "followed",
    "precede",
    "register",
    "register_tick",
    "run_pending",
    "tick",
    "work",
    "work_next",
]

Handler = Callable[[Lease], None]
Follower = Callable[[Any, Run], None]
Preceding = Callable[[Lease], Sequence[UUID]]
logger = logging.getLogger(__name__)
_at_work: ContextVar[UUID | str] = ContextVar("run", default="")
logs.sources["run"] = lambda _record: str(_at_work.get())
_handlers: dict[str, Handler] = {}
_followers: defaultdict[str, list[Follower]] = defaultdict(list)
_preceding: dict[str, Preceding] = {}

FIRST_PAUSE = timedelta(seconds=30)
LONGEST_PAUSE = timedelta(hours=1)
"""30 s, 1, 2, 4 … minutes, at most an hour, each stretched by up to a half."""


def register(kind: str, handler: Handler) -> None:
    _handlers[kind] = handler


def follow(kind: str, follower: Follower) -> None:
    """`follower(transaction, run)` is called in the transaction that ends a run of that kind."""
    _followers[kind].append(follower)


def precede(kind: str, preceding: Preceding) -> None:
    """`preceding(lease)` names the runs that a run of that kind has to wait for; while there are
    any it is handed back. They end its pause by themselves."""
    _preceding[kind] = preceding


def followed(transaction: Any, run: Run) -> None:
    for follower in _followers[run.kind]:
        follower(transaction, run)


def work_next() -> Run | None:
    """Claim the fairest run that may start and work it to its end; None when there is none."""
    return _worked(claim(kinds=_handlers))


def work(run_id: UUID) -> Run | None:
    """The same for one run, for a caller who wants its outcome.

    Waits while another worker has it, and until its turn comes: while another of its agent, owner
    and kind runs, or as many of its team as may; what comes before it is worked, too.
    None when it is not ours (finished, due later).
    """
    while True:
        run = _worked(claim(kinds=_handlers, run_id=run_id))
        if run is not None and run.status == Run.Status.QUEUED:
            _work_first(run)
            continue  # out of time, and nobody but us is waiting to go on
        if run is not None or not _is_to_come(run_id, timezone.now()):
            return run
        Event().wait(0.2)


def _work_first(run: Run) -> None:
    for run_id in run.waits_for:
        work(run_id)
    if run.waits_for:
        Run.objects.filter(pk=run.pk, status=Run.Status.QUEUED).update(due_at=timezone.now())


def run_pending(*, until_idle: bool = False) -> Iterator[Run]:
    """Work what may start, one run after the other, each to its end, until nothing is left.

    `until_idle` also waits for runs in other workers' hands, and takes them over when their
    worker is gone. Runs that are due later (a next try, a delayed start) are left for then.
    """
    while True:
        requeue_expired(timezone.now())
        yield from (run for run in iter(work_next, None) if run.status != Run.Status.QUEUED)
        if not (until_idle and _is_working()):
            return
        Event().wait(0.2)


def _is_to_come(run_id: UUID, now: datetime) -> bool:
    with scopes_disabled():
        held = Run.objects.filter(status=Run.Status.RUNNING, lease_until__gt=now)
        return (held | due(now)).filter(pk=run_id, kind__in=_handlers).exists()


def _is_working() -> bool:
    with scopes_disabled():
        return Run.objects.filter(status=Run.Status.RUNNING).exists()


def pause(attempts: int, chance: float) -> timedelta:
    """How long to wait after that many attempts; `chance` in [0, 1) spreads the tries."""
    doubled = FIRST_PAUSE * (1 << min(attempts - 1, 16))
    return min(doubled, LONGEST_PAUSE) * (1 + chance / 2)


def _worked(run: Run | None) -> Run | None:
    if run is None:
        return None
    lease, before = Lease(run), _at_work.set(run.pk)
    # What a run writes is read by many people, so that it is in no reader's language.
    with beating(run), scope(team=run.team), translation.override(run.agent.language):
        try:
            _handle(lease)
        except LeaseLost:
            logger.warning("Run %s was taken over; what it had in hand is dropped.", run.pk)
        except Exception as error:
            _settle(lease, error)
        except BaseException:
            # Ctrl-C, or django-q2's time limit: the next worker goes on from the last phase.
            _settle(lease, Retry("interrupted", after=0))
            raise
        finally:
            _at_work.reset(before)
    return run


def _handle(lease: Lease) -> None:
    kind = lease.run.kind
    try:
        if kind in _preceding and (first := _preceding[kind](lease)):
            lease.hand_back(timezone.now() + FIRST_PAUSE, waits_for=first)
            return
        _handlers[kind](lease)
    except OutOfTime:
        lease.hand_back()
    else:
        if not lease.finished:
            raise GiveUp("unfinished", error="The run ended without a result.")


def _settle(lease: Lease, error: Exception) -> None:
    run, told = lease.run, _ending(lease.run, error)
    try:
        if isinstance(told, GiveUp):
            lease.finish(Outcome(told.status, told.reason, told.error))
        elif told.costs and run.attempts >= settings.RUN_ATTEMPTS:
            lease.finish(Outcome(Run.Status.FAILED, told.reason, told.error))
        else:
            due_at = timezone.now() + _until_next_try(run, told)
            lease.postpone(due_at, told.reason, told.error, costs=told.costs)
    except LeaseLost:
        logger.warning("Run %s was taken over before it could fail.", run.pk)


def _ending(run: Run, error: Exception) -> GiveUp | Retry:
    if isinstance(error, GiveUp | Retry):
        return error
    if isinstance(error, ModelError) and not error.transient:
        return GiveUp(error.code, error=str(error))
    if isinstance(error, ModelError):
        usual = pause(run.attempts, random.random()).total_seconds()
        wait = max(usual, error.retry_after or 0)
        # An endpoint that is away must not end what waits for it: its breaker spaces the tries.
        return Retry(error.code, wait, str(error), costs=error.of_content)
    logger.error("Run %s failed.", run.pk, exc_info=error)
    # Its own words stay in the log: they may quote a person, and others see a run's error.
    place = traceback.extract_tb(error.__traceback__)[-1]
    return Retry("unexpected", error=f"{type(error).__name__} in {place.name}, line {place.lineno}")


def _until_next_try(run: Run, told: Retry) -> timedelta:
    if told.after is not None:
        return timedelta(seconds=told.after)
    return pause(run.attempts, random.random())
