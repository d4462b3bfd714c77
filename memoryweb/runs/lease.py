"""A claimed run in the hands of its handler. Every write asks whether it is still ours.

A thread with a connection of its own keeps the lease alive while the handler works.
"""

import logging
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from threading import Event, Thread
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import Error, connection, transaction
from django.db.models import F, QuerySet
from django.utils import timezone
from django_scopes import scopes_disabled

from memoryweb.audit import record as audit
from memoryweb.runs.models import Run
from memoryweb.runs.queue import LeaseLost, OutOfTime, lease_end

logger = logging.getLogger(__name__)

STORABLE = {
    *("inputs", "answer", "checked", "result"),
    *("consolidator", "model", "tokens_in", "tokens_out", "cost_micros"),
}
TASK_MARGIN = 30.0  # seconds of the queue's time limit that no step may count on
GOOD = (Run.Status.SUCCEEDED, Run.Status.NO_CHANGE, Run.Status.NEEDS_REVIEW)


@dataclass(frozen=True)
class Outcome:
    """How a run ended. Fields left None keep what the run already holds."""

    status: str
    reason: str = ""
    error: str = ""
    result: Mapping[str, Any] | None = None
    consolidator: str | None = None
    model: str | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None
    cost_micros: int | None = None

    def changes(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if value is not None}


class Lease:
    """`run` is kept in step with its row. Any method raises LeaseLost once the run isn't ours."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.finished = False
        self._has_progressed = False
        self._began = time.monotonic()

    def store(self, phase: Run.Phase | str, **fields: Any) -> None:
        """What this phase found, so that a crash from here on needn't find it again."""
        self._update(phase=phase, **_storable(fields))

    def advance(self, phase: Run.Phase | str, **fields: Any) -> None:
        """Store what brings the run nearer to its end than it ever was: its attempts are counted
        anew from this one."""
        self._update(phase=phase, attempts=1, **_storable(fields))
        self._has_progressed = True

    def make_room(self, seconds: float) -> None:
        """Call before a step that may last so long. Raises OutOfTime where the queue's time limit
        could cut it off, but never before this task has brought the run forward: a step that is
        longer than the limit would otherwise be put off for ever."""
        left = settings.TASK_SECONDS - TASK_MARGIN - (time.monotonic() - self._began)
        if self._has_progressed and seconds > left:
            raise OutOfTime

    def spent(self, call: Any) -> dict[str, int]:
        """To be stored: what the run has cost with a call, answered or failed."""
        names = ("tokens_in", "tokens_out", "cost_micros")
        return {name: getattr(self.run, name) + getattr(call, name) for name in names}

    def fence(self) -> None:
        """Inside the transaction that applies: nobody can take the run until it ends."""
        if not connection.in_atomic_block:
            raise transaction.TransactionManagementError(
                "A fence holds inside transaction.atomic()."
            )
        self._update()

    def finish(self, outcome: Outcome, record: Callable[..., object] | None = None) -> None:
        """The outcome and its audit event together, in the caller's transaction if there is one.

        `record(action, **fields of audit.Entry but the actor)` takes the event, for callers that
        write theirs all at once; they have locked the audit head.
        """
        with transaction.atomic(savepoint=False):
            if record is None:
                audit.lock(self.run.team_id)
            self._update(**_ending(outcome))
            if record is None:
                record_finished(self.run)
            else:
                record("run.finished", **_event_fields(self.run))
        self.finished = True

    def hand_back(self, due_at: datetime | None = None, *, waits_for: Sequence[UUID] = ()) -> None:
        """Queued again, for the next task to go on. That costs no attempt."""
        self.run.waits_for = tuple(waits_for)
        self._update(
            status=Run.Status.QUEUED,
            due_at=due_at or timezone.now(),
            lease_until=None,
            attempts=self.run.attempts - 1,
        )

    def postpone(self, due_at: datetime, reason: str, error: str, *, costs: bool) -> None:
        """Failed, with a next try at `due_at`."""
        self._update(
            status=Run.Status.FAILED,
            due_at=due_at,
            reason=reason,
            error=error,
            lease_until=None,
            attempts=self.run.attempts - (0 if costs else 1),
        )

    def _update(self, **changes: Any) -> None:
        now = timezone.now()
        changes = {"lease_until": lease_end(now), "heartbeat_at": now, **changes}
        with scopes_disabled():
            if not held(self.run).update(**changes):
                raise LeaseLost(str(self.run.id))
        for name, value in changes.items():
            setattr(self.run, name, value)


def held(run: Run) -> QuerySet[Run]:
    """The run's row, if the fence is still ours and the lease hasn't run out."""
    return Run.objects.filter(
        pk=run.pk, fence=run.fence, status=Run.Status.RUNNING, lease_until__gt=timezone.now()
    )


def plan_anew(agent_id: UUID, owner_id: UUID | None, now: datetime) -> int:
    """What works on that memory begins again, without what it had found: whoever works on one has
    lost it. For changes after which nothing old may be used."""
    runs = Run.objects.filter(agent=agent_id, owner=owner_id).active()
    kinds = (Run.Kind.DREAM, Run.Kind.EXTRACTION, Run.Kind.PREVIEW, Run.Kind.JOURNAL)
    return runs.filter(kind__in=kinds).update(
        fence=F("fence") + 1,
        status=Run.Status.QUEUED,
        phase=Run.Phase.NONE,
        lease_until=None,
        due_at=now,
        inputs={},
        answer=None,
        checked=None,
        error="",
    )


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


def _storable(fields: dict[str, Any]) -> dict[str, Any]:
    if unknown := fields.keys() - STORABLE:
        raise TypeError(f"A phase cannot store {', '.join(sorted(unknown))}.")
    return fields


def record_finished(run: Run) -> None:
    audit.record(run.team_id, audit.Entry("run.finished", audit.SYSTEM, **_event_fields(run)))


def _event_fields(run: Run) -> dict[str, Any]:
    return {
        **audit.target(run),
        "on_behalf_of": run.owner_id,
        "outcome": run.status,
        "reason_code": run.reason,
        "run_id": run.id,
        "model": run.model,
        "details": {"kind": run.kind, "attempts": run.attempts},
    }


def _ending(outcome: Outcome) -> dict[str, Any]:
    ending = outcome.changes() | {
        "finished_at": timezone.now(),
        "due_at": None,
        "lease_until": None,
    }
    return ending | ({"phase": Run.Phase.REPORTED} if outcome.status in GOOD else {})
