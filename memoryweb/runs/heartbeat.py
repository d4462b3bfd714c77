"""Keeping a lease alive while its handler works, from a thread with a connection of its own."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread

from django.conf import settings
from django.db import Error, connection
from django.utils import timezone
from django_scopes import scopes_disabled

from memoryweb.runs.claim import lease_end
from memoryweb.runs.lease import held
from memoryweb.runs.models import Run

logger = logging.getLogger(__name__)


@contextmanager
def beating(run: Run) -> Iterator[None]:
    stop = Event()
    # The thread gets its own copy: the handler's goes on changing.
    ours = Run(pk=run.pk, fence=run.fence)
    thread = Thread(target=_beat, args=(ours, stop), name=f"heartbeat {run.pk}", daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def _beat(run: Run, stop: Event) -> None:
    # A lease shorter than the usual pause (tests) still gets three beats.
    pause = min(settings.HEARTBEAT_SECONDS, settings.LEASE_SECONDS / 4)
    try:
        while not stop.wait(pause):
            if not _extend(run):
                return
    finally:
        connection.close()


def _extend(run: Run) -> bool:
    now = timezone.now()
    try:
        with scopes_disabled():
            return bool(held(run).update(lease_until=lease_end(now), heartbeat_at=now))
    except Error:
        # SQLite lets one writer in at a time, PostgreSQL may have closed the connection: the next
        # beat opens another one, well before the lease ends.
        connection.close()
        logger.warning("Run %s missed a heartbeat.", run.pk, exc_info=True)
        return True
