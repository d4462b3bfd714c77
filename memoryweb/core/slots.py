"""Many may wait at once, few compute. What a chat has in hand while a prompt is built or kept is
megabytes; while it waits for a model or for a slow reader, its thread needs next to nothing."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings
from django.db import connection

_slots = threading.BoundedSemaphore(settings.WEB_THREADS)
_mine = threading.local()


@contextmanager
def taken() -> Iterator[None]:
    """A slot for this thread, as soon as one is free."""
    _slots.acquire()
    _mine.taken = True
    try:
        yield
    finally:
        _mine.taken = False
        _slots.release()


@contextmanager
def left() -> Iterator[None]:
    """While this thread waits for somebody else: its connection to the database goes, too, with a
    MiB of pages. Nothing happens within a transaction, nor where no slot was taken."""
    if connection.in_atomic_block or not getattr(_mine, "taken", False):
        yield
        return
    connection.close()
    _mine.taken = False
    _slots.release()
    try:
        yield
    finally:
        _slots.acquire()
        _mine.taken = True
