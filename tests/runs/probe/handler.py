"""A run in five phases that notes what it does, and stops once in the phase its topic names."""

import os
from pathlib import Path
from threading import Event

from django.db import transaction

from memoryweb.audit import record as audit
from memoryweb.runs.engine import Lease, LeaseLost, Outcome

PHASES = ("inputs", "answer", "checked", "applied", "reported")


def probe(lease: Lease) -> None:
    try:
        for phase in PHASES[_done(lease) :]:
            _note(lease, phase)
            if phase == "applied":
                _apply(lease)
            elif phase == "reported":
                _stop_once(lease, phase)
                lease.finish(Outcome("succeeded", result={"answer": lease.run.answer}))
            else:
                _stop_once(lease, phase)
                lease.store(phase, **{phase: {"by": os.getpid()}})
    except LeaseLost:
        _note(lease, "lost")
        raise


def _done(lease: Lease) -> int:
    return PHASES.index(lease.run.phase) + 1 if lease.run.phase in PHASES else 0


def _apply(lease: Lease) -> None:
    with transaction.atomic():
        audit.lock(lease.run.team_id)
        lease.fence()
        audit.record(
            lease.run.team_id, audit.Entry("file.written", audit.SYSTEM, run_id=lease.run.pk)
        )
        _stop_once(lease, "applied")
        lease.store("applied")


def _note(lease: Lease, word: str) -> None:
    with (_room() / "notes").open("a") as notes:
        notes.write(f"{os.getpid()} {word}\n")


def _stop_once(lease: Lease, phase: str) -> None:
    """Say who we are and wait; whoever comes here second goes on."""
    mark = _room() / "stopped"
    if lease.run.topic != phase or mark.exists():
        return
    mark.with_suffix(".new").write_text(str(os.getpid()))
    mark.with_suffix(".new").rename(mark)
    go_on = _room() / "go-on"
    for _ in range(600):
        if go_on.exists():
            return
        Event().wait(0.1)


def _room() -> Path:
    return Path(os.environ["PROBE_ROOM"])
