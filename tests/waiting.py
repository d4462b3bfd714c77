"""Waiting for something that happens elsewhere: never a fixed time, always an end."""

import time
from collections.abc import Callable
from threading import Event
from typing import TypeVar

Anything = TypeVar("Anything")


def until(found: Callable[[], Anything], seconds: float = 20.0) -> Anything:
    """What `found` answers as soon as that is true; fails after `seconds`."""
    end = time.monotonic() + seconds
    while not (answer := found()):
        if time.monotonic() > end:
            raise AssertionError(f"Not within {seconds} seconds: {found}")
        Event().wait(0.05)
    return answer
