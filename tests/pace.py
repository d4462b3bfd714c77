"""Whether time grows with length only, without asking for a time: the machines are shared."""

import time
from collections.abc import Callable
from math import ceil
from typing import TypeVar

Input = TypeVar("Input")

ENOUGH = 0.02  # seconds: below, chance rules
TIMES = 4
LIMIT = 8  # what takes four times as long for four times as much is below, a square is sixteen
TRIES = 5
MOST = 2**17  # beyond, the memory that it takes rules


def assert_linear(
    run: Callable[[Input], object], make: Callable[[int], Input], least: int = 16
) -> None:
    """`run(make(n))` takes about four times as long for four times `n`.

    `n` grows from `least` until there is enough to measure. What takes no time even for `MOST`
    has nothing to show.
    """
    size = least
    run(make(size))
    while (taken := _seconds(run, make(size))) < ENOUGH:
        if size >= MOST:
            return
        size = min(MOST, size * ceil(min(16, max(2, ENOUGH / taken))))
    short, long = make(size), make(TIMES * size)
    ratios = []
    for _ in range(TRIES):
        ratios.append(_seconds(run, long) / min(_seconds(run, short) for _ in range(3)))
        if ratios[-1] < LIMIT:
            return
    raise AssertionError(f"{TIMES} times as much took {min(ratios):.1f} times as long ({size=})")


def _seconds(run: Callable[[Input], object], given: Input) -> float:
    started = time.process_time()
    run(given)
    return time.process_time() - started
