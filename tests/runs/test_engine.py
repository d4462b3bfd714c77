from datetime import date, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from django_q.models import OrmQ
from django_scopes import get_scope
from pytest_django import Settings

from memoryweb.llm.exceptions import (
    BadAnswer,
    BreakerOpen,
    BudgetSpent,
    Busy,
    KeyRefused,
    ModelError,
    Unavailable,
)
from memoryweb.runs import engine, tasks
from memoryweb.runs.engine import GiveUp, Lease, Outcome, Retry
from tests.runs.conftest import Handle
from tests.runs.desk import Desk, ago, ahead, change, done, fresh


def test_a_run_is_worked_to_its_end(desk: Desk, handle: Handle) -> None:
    handle(done)
    run = desk.ask()
    assert engine.work_next() == run
    assert fresh(run).status == "succeeded"
    assert engine.work_next() is None


def test_a_handler_sees_its_team_only(desk: Desk, other_desk: Desk, handle: Handle) -> None:
    seen = []

    def look(lease: Lease) -> None:
        seen.append(get_scope()["team"])
        done(lease)

    handle(look)
    desk.ask()
    engine.work_next()
    assert seen == [desk.team]


def test_a_kind_that_nobody_handles_here_is_left_alone(desk: Desk, handle: Handle) -> None:
    run = desk.ask(kind="unheard-of")
    assert engine.work_next() is None
    assert fresh(run).attempts == 0


def test_one_run_can_be_worked_by_name(desk: Desk, handle: Handle) -> None:
    handle(done)
    desk.ask(due_at=ago(hours=1))
    run = desk.ask(desk.owner)
    assert engine.work(run.pk) == run
    assert engine.work(run.pk) is None


@pytest.mark.parametrize(
    ("error", "reason", "status", "tries_again"),
    [
        (Retry("model_busy"), "model_busy", "failed", True),
        (GiveUp("no_such_file"), "no_such_file", "failed", False),
        (GiveUp("owner_paused", "skipped"), "owner_paused", "skipped", False),
        (Busy("The model endpoint is busy."), "model_busy", "failed", True),
        (KeyRefused("The key is refused."), "model_key_refused", "failed", False),
        (KeyError("what a person said"), "unexpected", "failed", True),
    ],
)
def test_how_an_exception_ends_a_run(
    desk: Desk, handle: Handle, error: Exception, reason: str, status: str, tries_again: bool
) -> None:
    handle(_raising(error))
    run = desk.ask()
    engine.work_next()
    run = fresh(run)
    assert (run.status, run.reason) == (status, reason)
    assert (run.due_at is not None) is tries_again
    assert (run.finished_at is None) is tries_again
    assert len(desk.events()) == (0 if tries_again else 1)


def test_an_unexpected_exceptions_words_are_not_stored(desk: Desk, handle: Handle) -> None:
    handle(_raising(KeyError("what a person said")))
    run = desk.ask()
    engine.work_next()
    assert fresh(run).error.startswith("KeyError in ")
    assert "person" not in fresh(run).error


def test_the_last_attempt_fails_for_good(desk: Desk, handle: Handle, settings: Settings) -> None:
    settings.RUN_ATTEMPTS = 2
    handle(_raising(Retry("model_busy", after=0)))
    run = desk.ask()
    assert [bool(engine.work_next()) for _ in range(3)] == [True, True, False]
    assert (fresh(run).attempts, fresh(run).due_at) == (2, None)
    assert [event.outcome for event in desk.events()] == ["failed"]


@pytest.mark.parametrize(
    ("attempts", "chance", "seconds"),
    [(1, 0, 30), (2, 0, 60), (3, 0, 120), (4, 0.5, 300), (8, 0, 3600), (60, 0, 3600)],
)
def test_pauses_double_up_to_an_hour(attempts: int, chance: float, seconds: int) -> None:
    assert engine.pause(attempts, chance) == timedelta(seconds=seconds)


@pytest.mark.parametrize(
    ("error", "earliest", "latest"),
    [
        (Retry("x"), 29, 46),
        (Retry("x", after=500), 499, 501),
        (Busy("x", retry_after=500), 499, 501),
        (Busy("x", retry_after=1), 29, 46),
    ],
)
def test_the_next_try_waits(
    desk: Desk, handle: Handle, error: Exception, earliest: int, latest: int
) -> None:
    handle(_raising(error))
    run = desk.ask()
    engine.work_next()
    due_at = fresh(run).due_at
    assert due_at is not None
    assert earliest < (due_at - timezone.now()).total_seconds() < latest


@pytest.mark.parametrize(
    "error",
    [
        BreakerOpen("x", retry_after=900),
        BudgetSpent("x", retry_after=900),
        Busy("x", retry_after=1),
        Unavailable("x"),
    ],
    ids=lambda error: error.code,
)
def test_what_is_not_the_runs_own_fault_costs_no_attempt(
    desk: Desk, handle: Handle, settings: Settings, error: ModelError
) -> None:
    settings.RUN_ATTEMPTS = 1
    handle(_raising(error))
    run = desk.ask()
    for _ in range(3):
        assert engine.work_next() == run
        due_at = fresh(run).due_at
        assert due_at is not None
        assert (due_at - timezone.now()).total_seconds() > max(29, (error.retry_after or 0) - 1)
        change(run, due_at=ago(seconds=1))
    assert fresh(run).attempts == 0


def test_a_model_that_answers_badly_does_cost_attempts(
    desk: Desk, handle: Handle, settings: Settings
) -> None:
    settings.RUN_ATTEMPTS = 1
    handle(_raising(BadAnswer("x")))
    run = desk.ask()
    engine.work_next()
    assert (fresh(run).status, fresh(run).due_at) == ("failed", None)


def test_a_handler_that_ends_without_an_outcome_has_failed(desk: Desk, handle: Handle) -> None:
    handle(lambda lease: None)
    run = desk.ask()
    engine.work_next()
    assert (fresh(run).status, fresh(run).reason) == ("failed", "unfinished")


def test_a_lost_lease_ends_the_work_in_silence(desk: Desk, handle: Handle) -> None:
    def lose(lease: Lease) -> None:
        change(lease.run, fence=lease.run.fence + 1)
        lease.store("answer", answer={"a": 1})

    handle(lose)
    run = desk.ask()
    engine.work_next()
    assert (fresh(run).status, fresh(run).answer) == ("running", None)


def test_whoever_fails_after_losing_the_lease_writes_nothing(desk: Desk, handle: Handle) -> None:
    def lose(lease: Lease) -> None:
        change(lease.run, status="succeeded", fence=lease.run.fence + 1)
        raise ValueError

    handle(lose)
    run = desk.ask()
    engine.work_next()
    assert (fresh(run).status, fresh(run).reason) == ("succeeded", "")


def test_an_interrupted_run_can_start_again_at_once(desk: Desk, handle: Handle) -> None:
    def interrupt(lease: Lease) -> None:
        lease.store("answer", answer={"a": 1})
        raise KeyboardInterrupt

    handle(interrupt)
    run = desk.ask()
    with pytest.raises(KeyboardInterrupt):
        engine.work_next()
    assert (fresh(run).reason, fresh(run).phase) == ("interrupted", "answer")
    handle(done)
    assert engine.work_next() == run


def test_a_resumed_run_is_not_asked_for_what_it_has(desk: Desk, handle: Handle) -> None:
    asked = []

    def work(lease: Lease) -> None:
        if lease.run.phase == "claimed":
            asked.append("model")
            lease.store("answer", answer={"a": 1})
            raise Retry("crash", after=0)
        lease.finish(Outcome("succeeded", result=lease.run.answer))

    handle(work)
    run = desk.ask()
    assert list(engine.run_pending()) == [run, run]
    assert (asked, fresh(run).result) == (["model"], {"a": 1})


def test_progress_counts_the_attempts_anew(desk: Desk, handle: Handle, settings: Settings) -> None:
    """Cut off five times, but each time further on."""
    settings.RUN_ATTEMPTS = 2

    def work(lease: Lease) -> None:
        steps = lease.run.result.get("steps", 0)
        if steps == 5:
            return done(lease)
        lease.advance("inputs", result={"steps": steps + 1})
        raise Retry("interrupted", after=0)

    handle(work)
    run = desk.ask()
    assert len(list(engine.run_pending())) == 6
    assert fresh(run).status == "succeeded"


def test_attempts_without_progress_in_between_add_up(
    desk: Desk, handle: Handle, settings: Settings
) -> None:
    settings.RUN_ATTEMPTS = 3

    def work(lease: Lease) -> None:
        if not lease.run.answer:
            lease.advance("answer", answer={"a": 1})
        raise Retry("interrupted", after=0)

    handle(work)
    run = desk.ask()
    assert len(list(engine.run_pending())) == 3
    assert (fresh(run).status, fresh(run).due_at) == ("failed", None)


def _in_steps(lease: Lease) -> None:
    """Three steps, each with no other to fit into the same task."""
    for step in range(lease.run.result.get("steps", 0), 3):
        lease.make_room(seconds=301)
        lease.advance("inputs", result={"steps": step + 1})
    done(lease)


def test_a_step_that_does_not_fit_into_the_task_is_the_next_ones(
    desk: Desk, handle: Handle, settings: Settings
) -> None:
    settings.RUN_ATTEMPTS = 1
    handle(_in_steps)
    run = desk.ask()
    seen = []
    while engine.work_next():
        seen.append((fresh(run).status, fresh(run).result["steps"]))
    assert seen == [("queued", 1), ("queued", 2), ("succeeded", 3)]
    assert desk.events()[0].outcome == "succeeded"


def test_a_run_in_several_tasks_is_one_to_whoever_waits_for_it(desk: Desk, handle: Handle) -> None:
    handle(_in_steps)
    run = desk.ask()
    other = desk.ask(desk.owner)
    worked = engine.work(run.pk)
    assert (worked, fresh(run).status) == (run, "succeeded")
    assert list(engine.run_pending()) == [other]


def test_the_next_task_is_called_for_at_once(desk: Desk, handle: Handle) -> None:
    handle(_in_steps)
    run = desk.ask()
    OrmQ.objects.all().delete()
    tasks.wake(str(run.pk))
    assert [call.args() for call in OrmQ.objects.all()] == [(str(run.pk),)]


def test_run_pending_leaves_what_is_due_later(desk: Desk, handle: Handle) -> None:
    handle(done)
    now = desk.ask()
    desk.ask(desk.owner, due_at=ahead(minutes=1))
    assert list(engine.run_pending(until_idle=True)) == [now]


def test_run_pending_takes_over_from_a_dead_worker(desk: Desk, handle: Handle) -> None:
    handle(done)
    run = desk.ask()
    change(run, status="running", attempts=1, lease_until=ago(seconds=1))
    assert list(engine.run_pending()) == [run]


def test_the_engines_share_of_a_run_is_few_statements(
    desk: Desk, other_desk: Desk, handle: Handle
) -> None:
    handle(_four_phases)
    desk.ask()
    alone = _statements()
    for number in range(15):
        other_desk.ask(other_desk.new_owner(str(number)), due_at=ahead(minutes=1))
        change(desk.ask(desk.new_owner(str(number))), status="succeeded", finished_at=ago(days=1))
    desk.ask()
    assert _statements() == alone <= 7


def _four_phases(lease: Lease) -> None:
    for phase in ("inputs", "answer", "checked"):
        lease.store(phase)
    lease.finish(Outcome("succeeded"), record=lambda action, **fields: None)


def _statements() -> int:
    with CaptureQueriesContext(connection) as queries:
        assert engine.work_next()
    return sum("SAVEPOINT" not in query["sql"] for query in queries)


def _raising(error: Exception) -> engine.Handler:
    def handler(lease: Lease) -> None:
        raise error

    return handler


def test_a_run_that_is_waited_for_begins_when_another_of_its_owner_has_ended(
    desk: Desk, handle: Handle
) -> None:
    """A night's dream by command, while the worker dreams of the same person: in its order."""
    handle(done)
    ends = timezone.now() + timedelta(seconds=1)
    change(desk.ask(desk.owner), status="running", lease_until=ends)
    night = desk.ask(desk.owner, night=date(2026, 11, 20))
    assert engine.work(night.pk) == night
    began = fresh(night).started_at
    assert began is not None
    assert began >= ends


def test_a_run_that_is_waited_for_begins_when_its_team_may_work_on_another(
    desk: Desk, handle: Handle, settings: Settings
) -> None:
    handle(done)
    settings.RUNS_PER_TEAM = 1
    ends = timezone.now() + timedelta(seconds=1)
    change(desk.ask(), status="running", lease_until=ends)
    assert engine.work(desk.ask(desk.owner).pk) is not None


def test_nobody_waits_for_a_run_that_has_ended_or_is_due_later(desk: Desk, handle: Handle) -> None:
    handle(done)
    ended, later = desk.ask(), desk.ask(desk.owner)
    engine.work(ended.pk)
    change(later, due_at=timezone.now() + timedelta(hours=1))
    assert [engine.work(one.pk) for one in (ended, later)] == [None, None]
