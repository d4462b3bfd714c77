"""Keeps two workers at work: starts them, watches them, kills and starts them again.

They take django-q2's calls from the database themselves. Its own cluster has four more processes,
and two idle workers killed leave its queue locked for good (seen in tests of 1.11.1). Workers are
forked and not executed, so that they and the supervisor share their memory.
"""

import gc
import logging
import os
import signal
import time
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from resource import RUSAGE_SELF, getrusage
from threading import Thread
from types import FrameType
from typing import NoReturn

from django.conf import settings
from django.db import DatabaseError, connections
from django.db.models import Count, Q, Sum
from django.utils import timezone
from django_q.models import Schedule
from django_q.scheduler import scheduler
from django_scopes import scopes_disabled

from memoryweb.runs import queue, ticking
from memoryweb.runs.healthcheck import TICK_LATE, last_tick
from memoryweb.runs.models import Run
from memoryweb.runs.queue import call_tick
from memoryweb.runs.tasks import work_calls

logger = logging.getLogger(__name__)

WORKERS = 2
GROWTH = 2  # times its first size, at which a worker ends: a new one has given the memory back
LOOK_EVERY = 5.0  # seconds between two looks at the queue
GRACE = 3.0  # seconds workers get to end by themselves; honcho gives all of us five
LONGEST_WAIT = 30.0  # seconds before workers that keep dying are started once more


@dataclass(frozen=True)
class Pulse:
    """What the database shows of the workers' work."""

    waits: bool  # a run may start and nobody has taken it
    works: bool  # a run is in the hands of a living worker
    progress: tuple[int, int]  # changes with every run that is asked for, claimed or finished
    tick_is_late: bool


@dataclass
class Watch:
    """Remembers since when nothing has moved. Times are those of `time.monotonic`."""

    since: float
    progress: tuple[int, int] = (0, 0)

    def is_stuck(self, pulse: Pulse | None, at: float) -> bool:
        """No pulse: the database didn't answer, maybe because a hanging worker has it locked."""
        if pulse and (pulse.works or not pulse.waits or pulse.progress != self.progress):
            self.since, self.progress = at, pulse.progress
        if at - self.since > settings.STUCK_SECONDS:
            return True
        return pulse is not None and pulse.tick_is_late


class Supervisor:
    def __init__(self) -> None:
        self.is_stopping = False
        self.starts = 0
        self.early_deaths = 0
        self.next_start = 0.0
        self.workers: dict[int, float] = {}  # process id: since when
        # Its end that writes is never written to: only our own death closes it.
        self.lifeline = os.pipe()

    def run(self) -> None:
        """Until SIGTERM or SIGINT. Then no worker is left."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._stop)
        while not self.is_stopping:
            try:
                self._watch(time.monotonic())
            finally:
                self._end()

    def _stop(self, number: int, frame: FrameType | None) -> None:
        self.is_stopping = True

    def _watch(self, began: float) -> None:
        """Returns when the workers are stuck, or have to stop."""
        watch, looked = Watch(began), began
        while not self.is_stopping:
            self._replace_ended()
            time.sleep(0.2)
            if time.monotonic() - looked < min(LOOK_EVERY, settings.STUCK_SECONDS / 2):
                continue
            looked = time.monotonic()
            if watch.is_stuck(_look(began), looked):
                logger.error("The workers take no runs any more and are started again.")
                return

    def _replace_ended(self) -> None:
        """Soon, but ever later where they keep dying."""
        for since, status in self._ended():
            if status == 0:
                continue
            logger.error("A worker died and is started again.")
            lived = time.monotonic() - since
            self.early_deaths = min(self.early_deaths + 1, 6) if lived < LONGEST_WAIT else 0
            self.next_start = time.monotonic() + min(0.5 * 2**self.early_deaths, LONGEST_WAIT)
        if len(self.workers) == WORKERS or time.monotonic() < self.next_start:
            return
        _prepare()
        connections.close_all()
        gc.collect()
        gc.freeze()
        self.starts += 1
        while len(self.workers) < WORKERS:
            self._start()

    def _start(self) -> None:
        pid = os.fork()
        if pid == 0:
            self._be_worker()
        with suppress(OSError):  # the child does it too: whoever comes first
            os.setpgid(pid, pid)
        self.workers[pid] = time.monotonic()

    def _be_worker(self) -> NoReturn:
        status = 1
        try:
            os.setpgid(0, 0)
            reading, writing = self.lifeline
            os.close(writing)
            Thread(target=_die_with_supervisor, args=(reading,), daemon=True).start()
            size = _peak()
            while not self.is_stopping and _peak() < GROWTH * size:
                work_calls()
            status = 0
        except BaseException:
            logger.exception("A worker ends.")
        finally:
            # Not sys.exit: what the supervisor has open and registered is not ours to clean up.
            os._exit(status)

    def _ended(self) -> list[tuple[float, int]]:
        """Since when those had worked that ended, and how. They are not ours any more."""
        ended = {pid: status for pid in self.workers if (status := _status(pid)) is not None}
        return [(self.workers.pop(pid), status) for pid, status in ended.items()]

    def _end(self) -> None:
        """Ask the workers to stop after what they have in hand, then kill whatever is left."""
        for number, seconds in ((signal.SIGTERM, GRACE), (signal.SIGKILL, 1.0)):
            for pid in self.workers:
                with suppress(ProcessLookupError):
                    os.killpg(pid, number)
            until = time.monotonic() + seconds
            while self.workers and time.monotonic() < until:
                time.sleep(0.05)
                self._ended()


def _prepare() -> None:
    """What the last workers left behind is due again before the next ones start."""
    now = timezone.now()
    try:
        with scopes_disabled():
            ticking.ensure_schedule(now)
            ticking.requeue_expired(now)
            ticking.call_again(now)
            call_tick()
    except Exception:
        # A database or broker that is down comes back; the workers start all the same.
        logger.exception("The queue could not be put in order.")


def _look(began: float) -> Pulse | None:
    now = timezone.now()
    try:
        with scopes_disabled():
            # The tick does this too, but a minute is long for who waits after a crash.
            ticking.requeue_expired(now)
            if Schedule.objects.filter(next_run__lt=now).exists():
                scheduler()
            return _pulse(began, now)
    except DatabaseError:
        logger.warning("The database does not answer.", exc_info=True)
        return None
    finally:
        connections.close_all()


def _pulse(began: float, now: datetime) -> Pulse:
    active = Run.objects.active().aggregate(
        runs=Count("pk"),
        fences=Sum("fence"),
        alive=Count("pk", filter=Q(lease_until__gt=now)),
    )
    started = now - timedelta(seconds=time.monotonic() - began)
    return Pulse(
        waits=queue.startable(now).exists(),
        works=bool(active["alive"]),
        progress=(active["runs"], active["fences"] or 0),
        tick_is_late=now - max(last_tick(now) or started, started) > TICK_LATE,
    )


def _die_with_supervisor(lifeline: int) -> None:
    os.read(lifeline, 1)
    os.killpg(os.getpgrp(), signal.SIGKILL)


def _status(pid: int) -> int | None:
    """None while it lives."""
    try:
        ended, status = os.waitpid(pid, os.WNOHANG)
    except ChildProcessError:
        return 1
    return status if ended else None


def _peak() -> int:
    """The most memory that this process had, in its system's unit."""
    return getrusage(RUSAGE_SELF).ru_maxrss
