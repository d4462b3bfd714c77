"""Waiting for something that happens elsewhere: never a fixed time, always an end."""

import time
from collections.abc import Callable
from threading import Event
from typing import TypeVar

Anything = TypeVar("Anything")
SECONDS = 120  # says that something hangs, also on a busy machine


def until(found: Callable[[], Anything]) -> Anything:
    """What `found` answers as soon as that is true."""
    end = time.monotonic() + SECONDS
    while not (answer := found()):
        if time.monotonic() > end:
            raise AssertionError(f"Not within {SECONDS} seconds: {found}")
        Event().wait(0.05)
    return answer
