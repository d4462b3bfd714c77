"""The product's dream, on a lease that waits once at the point that STOP_AT names."""

import os
from collections.abc import Callable
from pathlib import Path
from threading import Event
from typing import Any

from memoryweb.dreaming import pipeline
from memoryweb.runs.engine import Lease, Outcome
from memoryweb.runs.models import Run


class StoppingLease(Lease):
    def store(self, phase: Run.Phase | str, **fields: Any) -> None:
        super().store(phase, **fields)
        _stop_once(f"{phase} stored")

    def advance(self, phase: Run.Phase | str, **fields: Any) -> None:
        super().advance(phase, **fields)
        _stop_once(f"{phase} stored")

    def fence(self) -> None:
        super().fence()
        _stop_once("applying")

    def finish(self, outcome: Outcome, record: Callable[..., object] | None = None) -> None:
        super().finish(outcome, record)
        _stop_once("finished")


def dream(lease: Lease) -> None:
    stopping = StoppingLease(lease.run)
    pipeline.dream(stopping)
    lease.finished = stopping.finished
    _stop_once("committed")


def _stop_once(point: str) -> None:
    """Say who we are and wait; whoever comes here second goes on."""
    room = Path(os.environ["STOP_ROOM"])
    mark = room / "stopped"
    if os.environ["STOP_AT"] != point or mark.exists():
        return
    mark.with_suffix(".new").write_text(str(os.getpid()))
    mark.with_suffix(".new").rename(mark)
    for _ in range(600):
        if (room / "go-on").exists():
            return
        Event().wait(0.1)
