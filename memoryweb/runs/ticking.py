"""Once a minute: put back what a dead worker held, ask for what is due, call for what waits."""

import logging
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta

from django.conf import settings
from django.contrib.sessions.models import Session
from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q
from django_q.models import Schedule, Task
from django_scopes import scopes_disabled

from memoryweb.accounts import company
from memoryweb.audit import checkpoints
from memoryweb.audit import record as audit
from memoryweb.runs import queue
from memoryweb.runs.lease import record_finished
from memoryweb.runs.models import Beat, Run
from memoryweb.runs.queue import TICK, waiting_calls, wake_up

logger = logging.getLogger(__name__)

CALLS_A_TICK = 20
FARTHEST = timedelta(days=2)  # no back-off, budget or pause is longer
FAILURES_KEPT = timedelta(days=7)
GONE_A_TICK = 200  # so that no tick holds up what writes

CHECKPOINT, SIGNED_EVERY = "checkpoint", timedelta(hours=1)
CLEANED, CLEANED_EVERY = "cleaned", timedelta(minutes=10)

Tick = Callable[[datetime], object]
_ticks: list[Tick] = []
_cleanings: list[Tick] = []


def register_tick(tick: Tick, *, cleans: bool = False) -> None:
    """Have `tick(now)` called every minute, or seldom if it only deletes what nobody reads any
    more. What it raises is logged and stops nothing else."""
    known = _cleanings if cleans else _ticks
    if tick not in known:
        known.append(tick)


def tick(now: datetime) -> list[str]:
    """Every step, whatever becomes of the others. The names of those that failed."""
    failed: list[str] = []

    def clean(now: datetime) -> None:
        failed.extend(_failures((*_cleanings, purge, forget_runs), now))

    with scopes_disabled():
        steps = (requeue_expired, hurry_lost, *_ticks, call_again, company.tick, sign_audit)
        failed += _failures(steps, now)
        seldom(CLEANED, CLEANED_EVERY, clean, now)
        return failed + _failures((_remember,), now)


def seldom(name: str, every: timedelta, act: Tick, now: datetime) -> None:
    """Not again before that time has passed; a clock that ran ahead counts for nothing."""
    last = Beat.objects.filter(name=name).first()
    if last is None or not timedelta() <= now - last.at < every:
        act(now)
        _note(name, now)


def requeue_expired(now: datetime) -> int:
    """Runs whose worker is gone go on from their last phase; the last attempt's end here."""
    with scopes_disabled():
        expired = Run.objects.filter(_is_over(now), status=Run.Status.RUNNING)
        count = 0
        for run in expired.order_by("lease_until"):
            try:
                count += _put_back(run, now)
            except Exception:
                logger.exception("Run %s could not be put back.", run.pk)
        return count


def hurry_lost(now: datetime) -> int:
    """Runs that were put off while the clock ran ahead are due now."""
    lost = Run.objects.filter(status__in=queue.WAITING, due_at__gt=now + FARTHEST)
    return lost.update(due_at=now)


def call_again(now: datetime) -> None:
    """For calls that got lost, and for runs that became due since.

    Any call takes the fairest run, so as many are missing as there are more runs than calls.
    """
    for run in queue.startable(now)[waiting_calls() : CALLS_A_TICK]:
        wake_up(run, now)


def purge(now: datetime) -> None:
    """django-q2 keeps failures for ever; the runs tell how they went."""
    Task.objects.filter(stopped__lt=now - FAILURES_KEPT).delete()
    ended = Session.objects.filter(expire_date__lt=now).values("pk")[:GONE_A_TICK]
    Session.objects.filter(pk__in=list(ended.values_list("pk", flat=True))).delete()


def forget_runs(now: datetime) -> int:
    """Old runs that nothing stands on, with their reports, some at a time; how many.

    A run that wrote, or that a person was asked about, is what a line came from. The last one of
    an agent, owner and kind says how they stand, and what was read already.
    """
    with scopes_disabled():
        later = Run.objects.filter(kind=OuterRef("kind"), agent=OuterRef("agent"))
        later = later.filter(finished_at__gt=OuterRef("finished_at"))
        followed = Q(Exists(later.filter(owner=OuterRef("owner")))) | Q(owner=None) & Q(
            Exists(later.filter(owner=None))
        )
        old = Run.objects.filter(
            followed,
            finished_at__lt=now - timedelta(days=settings.RUNS_KEPT_DAYS),
            due_at=None,
            revisions=None,
            proposals=None,
            extractions=None,
        )
        gone = list(old.values_list("pk", flat=True)[:GONE_A_TICK])
        Run.objects.filter(pk__in=gone).delete()
    return len(gone)


def sign_audit(now: datetime) -> None:
    """Once an hour: a signed checkpoint of every chain that has moved on."""
    seldom(CHECKPOINT, SIGNED_EVERY, checkpoints.sign_moved, now)


def ensure_schedule(now: datetime) -> None:
    """The one row of django-q2's schedule, due at once.

    Any other row could stop them all by being broken (seen in 1.11.1); a fixed key keeps two
    supervisors that start together from making two.
    """
    Schedule.objects.exclude(pk=1).delete()
    Schedule.objects.update_or_create(
        pk=1,
        defaults={
            "name": "tick",
            "func": TICK,
            "schedule_type": Schedule.MINUTES,
            "minutes": 1,
            "repeats": -1,
            "next_run": now,
            "args": None,
            "kwargs": "{'q_options': {'save': False}}",
            "hook": None,
            "cluster": None,
        },
    )


def _is_over(now: datetime) -> Q:
    # A lease that is longer than any was given by a clock that ran ahead.
    longest = timedelta(seconds=settings.LEASE_SECONDS) + FARTHEST
    return Q(lease_until__lte=now) | Q(lease_until__gt=now + longest)


def _put_back(run: Run, now: datetime) -> bool:
    still_expired = Run.objects.filter(
        _is_over(now), pk=run.pk, fence=run.fence, status=Run.Status.RUNNING
    )
    run.lease_until = None
    if run.attempts >= settings.RUN_ATTEMPTS:
        run.status, run.reason = Run.Status.FAILED, "worker_lost"
        run.due_at, run.finished_at = None, now
    else:
        run.status, run.due_at = Run.Status.QUEUED, now
    names = ("lease_until", "status", "reason", "due_at", "finished_at")
    with transaction.atomic():
        audit.lock(run.team_id)
        if not still_expired.update(
            fence=F("fence") + 1, **{name: getattr(run, name) for name in names}
        ):
            return False
        if run.finished_at:
            record_finished(run)
        else:
            wake_up(run, now)
    return True


def _failures(steps: Iterable[Tick], now: datetime) -> list[str]:
    failed = []
    for step in steps:
        try:
            step(now)
        except Exception:
            logger.exception("A step of the tick failed: %r", step)
            failed.append(getattr(step, "__name__", repr(step)))
    return failed


def _remember(now: datetime) -> None:
    _note("tick", now)


def _note(name: str, now: datetime) -> None:
    if not Beat.objects.filter(name=name).update(at=now):
        Beat.objects.update_or_create(name=name, defaults={"at": now})
