"""Keeps one django-q2 cluster at work: starts it, watches it, kills and starts it again.

django-q2 can't be left alone (seen in tests of 1.11.1): two idle workers killed leave its queue
locked for good, and a dead cluster takes nothing. The cluster is forked and not executed, so
that its processes and the supervisor share their memory.
"""

import gc
import logging
import os
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from threading import Thread
from types import FrameType
from typing import NoReturn

from django.conf import settings
from django.db import DatabaseError, connections
from django.db.models import Count, Q, Sum
from django.utils import timezone
from django_q.cluster import Cluster
from django_scopes import scopes_disabled

from memoryweb.runs import queue, ticking
from memoryweb.runs.healthcheck import TICK_LATE, last_tick
from memoryweb.runs.models import Run
from memoryweb.runs.queue import call_tick

logger = logging.getLogger(__name__)

LOOK_EVERY = 5.0  # seconds between two looks at the queue
GRACE = 3.0  # seconds a cluster gets to end by itself; honcho gives all of us five
LONGEST_WAIT = 30.0  # seconds before a cluster that keeps dying is started once more


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


@dataclass
class Child:
    pid: int
    lifeline: int  # closing it ends the whole group, also when only our own death closes it
    started: float = field(default_factory=time.monotonic)


class Supervisor:
    def __init__(self) -> None:
        self.is_stopping = False
        self.starts = 0
        self.early_deaths = 0

    def run(self) -> None:
        """Until SIGTERM or SIGINT. Then nothing of the cluster is left."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._stop)
        while not self.is_stopping:
            _prepare()
            child = _start()
            self.starts += 1
            try:
                self._watch(child)
            finally:
                _end(child)
            self._wait_before_restart(child)

    def _stop(self, number: int, frame: FrameType | None) -> None:
        self.is_stopping = True

    def _watch(self, child: Child) -> None:
        """Returns when the cluster has died, is stuck, or has to stop."""
        watch = Watch(child.started)
        looked = child.started
        while not self.is_stopping:
            time.sleep(0.2)
            if _has_ended(child):
                logger.error("The cluster died and is started again.")
                return
            if time.monotonic() - looked < min(LOOK_EVERY, settings.STUCK_SECONDS / 2):
                continue
            looked = time.monotonic()
            if watch.is_stuck(_look(child), looked):
                logger.error("The cluster takes no runs any more and is started again.")
                return

    def _wait_before_restart(self, child: Child) -> None:
        lived = time.monotonic() - child.started
        self.early_deaths = self.early_deaths + 1 if lived < LONGEST_WAIT else 0
        until = time.monotonic() + min(0.5 * 2**self.early_deaths, LONGEST_WAIT)
        while not self.is_stopping and time.monotonic() < until:
            time.sleep(0.2)


def _prepare() -> None:
    """What the last cluster left behind is due again before the next one starts."""
    now = timezone.now()
    try:
        with scopes_disabled():
            ticking.ensure_schedule(now)
            ticking.requeue_expired(now)
            ticking.call_again(now)
            call_tick()
    except Exception:
        # A database or broker that is down comes back; the cluster starts all the same.
        logger.exception("The queue could not be put in order.")


def _look(child: Child) -> Pulse | None:
    now = timezone.now()
    try:
        with scopes_disabled():
            # The tick does this too, but a minute is long for who waits after a crash.
            ticking.requeue_expired(now)
            return _pulse(child, now)
    except DatabaseError:
        logger.warning("The database does not answer.", exc_info=True)
        return None
    finally:
        connections.close_all()


def _pulse(child: Child, now: datetime) -> Pulse:
    active = Run.objects.active().aggregate(
        runs=Count("pk"),
        fences=Sum("fence"),
        alive=Count("pk", filter=Q(lease_until__gt=now)),
    )
    started = now - timedelta(seconds=time.monotonic() - child.started)
    return Pulse(
        waits=queue.startable(now).exists(),
        works=bool(active["alive"]),
        progress=(active["runs"], active["fences"] or 0),
        tick_is_late=now - max(last_tick(now) or started, started) > TICK_LATE,
    )


def _start() -> Child:
    connections.close_all()
    gc.collect()
    gc.freeze()
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(writing)
        _be_cluster(reading)
    os.close(reading)
    with suppress(OSError):  # the child does it too: whoever comes first
        os.setpgid(pid, pid)
    return Child(pid, writing)


def _be_cluster(lifeline: int) -> NoReturn:
    status = 1
    try:
        os.setpgid(0, 0)
        Thread(target=_die_with_supervisor, args=(lifeline,), daemon=True).start()
        cluster = Cluster()
        cluster.start()
        cluster.sentinel.join()
        status = 0
    except Exception:
        logger.exception("The cluster could not start.")
    finally:
        # Not sys.exit: what the supervisor has open and registered is not ours to clean up.
        os._exit(status)


def _die_with_supervisor(lifeline: int) -> None:
    os.read(lifeline, 1)
    os.killpg(os.getpgrp(), signal.SIGKILL)


def _has_ended(child: Child) -> bool:
    try:
        return os.waitpid(child.pid, os.WNOHANG)[0] != 0
    except ChildProcessError:
        return True


def _end(child: Child) -> None:
    """Ask the cluster's first process to stop them all, then kill whatever is left."""
    if not _has_ended(child):
        os.kill(child.pid, signal.SIGTERM)
        _wait_for(lambda: _has_ended(child), GRACE)
    _kill_group(child.pid)
    _wait_for(lambda: _has_ended(child) and not _kill_group(child.pid), 1.0)
    os.close(child.lifeline)


def _kill_group(pid: int) -> bool:
    try:
        os.killpg(pid, signal.SIGKILL)
    except ProcessLookupError:
        return False
    return True


def _wait_for(is_so: Callable[[], bool], seconds: float) -> None:
    until = time.monotonic() + seconds
    while not is_so() and time.monotonic() < until:
        time.sleep(0.05)
