from datetime import datetime, timedelta
from typing import Any

import pytest
from django.contrib.sessions.models import Session
from django.db.models import RestrictedError
from django.utils import timezone
from django_q.models import Failure, OrmQ, Schedule, Task
from pytest_django import Settings

from memoryweb.dreaming.models import Report
from memoryweb.memory.models import AuthorKind
from memoryweb.memory.models.writer import Place, Writer, write_transaction
from memoryweb.memory.writing.write import write
from memoryweb.runs import engine, tasks, ticking
from memoryweb.runs.models import Beat, Run
from tests.runs.conftest import Handle
from tests.runs.desk import Desk, ago, ahead, change, done, fresh

pytestmark = pytest.mark.databases


@pytest.fixture
def ticks(monkeypatch: pytest.MonkeyPatch) -> list[ticking.Tick]:
    """The registered ticks, none to begin with."""
    mine: list[ticking.Tick] = []
    monkeypatch.setattr(ticking, "_ticks", mine)
    monkeypatch.setattr(ticking, "_cleanings", [])
    return mine


def test_an_expired_lease_is_put_back_and_called_for(desk: Desk, ticks: list[ticking.Tick]) -> None:
    run = _held(desk, lease_until=ago(seconds=1))
    OrmQ.objects.all().delete()
    engine.tick(timezone.now())
    run = fresh(run)
    assert (run.status, run.phase, run.lease_until) == ("queued", "answer", None)
    assert run.fence == 4
    assert OrmQ.objects.count() == 1


def test_a_living_lease_is_left_alone(desk: Desk, ticks: list[ticking.Tick]) -> None:
    run = _held(desk, lease_until=ahead(seconds=9))
    engine.tick(timezone.now())
    assert fresh(run).status == "running"


def test_a_run_that_kills_its_workers_ends(
    desk: Desk, ticks: list[ticking.Tick], settings: Settings
) -> None:
    settings.RUN_ATTEMPTS = 3
    run = _held(desk, lease_until=ago(seconds=1), attempts=3)
    engine.tick(timezone.now())
    run = fresh(run)
    assert (run.status, run.reason, run.due_at) == ("failed", "worker_lost", None)
    assert [event.reason_code for event in desk.events()] == ["worker_lost"]


def test_an_idle_tick_asks_little(desk: Desk, django_assert_max_num_queries: Any) -> None:
    now = timezone.now()
    engine.tick(now)
    with django_assert_max_num_queries(24):
        assert engine.tick(now + timedelta(minutes=1)) == []


def test_what_only_cleans_is_called_every_ten_minutes(
    desk: Desk, ticks: list[ticking.Tick]
) -> None:
    heard: list[datetime] = []
    engine.register_tick(heard.append, cleans=True)
    now = timezone.now()
    for minutes in (0, 1, 9, 10, 11):
        engine.tick(now + timedelta(minutes=minutes))
    assert [at - now for at in heard] == [timedelta(), timedelta(minutes=10)]


def test_every_registered_tick_is_called_whatever_the_others_do(
    desk: Desk, ticks: list[ticking.Tick]
) -> None:
    heard: list[datetime] = []

    def fails(now: datetime) -> None:
        raise RuntimeError

    engine.register_tick(fails)
    engine.register_tick(heard.append)
    now = timezone.now()
    engine.tick(now)
    assert heard == [now]
    assert Beat.objects.get(name="tick").at == now


def test_one_run_that_cannot_be_put_back_does_not_hold_up_the_others(
    desk: Desk, other_desk: Desk, ticks: list[ticking.Tick], monkeypatch: pytest.MonkeyPatch
) -> None:
    _held(desk, lease_until=ago(seconds=2))
    other = _held(other_desk, lease_until=ago(seconds=1))
    put_back = ticking._put_back

    def fragile(run: Run, now: datetime) -> bool:
        if run.team == desk.team:
            raise RuntimeError
        return put_back(run, now)

    monkeypatch.setattr(ticking, "_put_back", fragile)
    engine.tick(timezone.now())
    assert fresh(other).status == "queued"


def test_a_lost_call_is_made_again(desk: Desk, ticks: list[ticking.Tick]) -> None:
    run = desk.ask()
    OrmQ.objects.all().delete()
    engine.tick(timezone.now())
    engine.tick(timezone.now())
    assert [call.args() for call in OrmQ.objects.all()] == [(str(run.pk),)]


def test_a_next_try_is_called_for_once_due(desk: Desk, ticks: list[ticking.Tick]) -> None:
    run = desk.ask()
    change(run, status="failed", due_at=ahead(seconds=30))
    OrmQ.objects.all().delete()
    engine.tick(timezone.now())
    assert not OrmQ.objects.exists()
    engine.tick(timezone.now() + timedelta(minutes=1))
    assert OrmQ.objects.exists()


def test_old_failures_of_the_queue_are_purged(desk: Desk, ticks: list[ticking.Tick]) -> None:
    for name, stopped in (("old", ago(days=8)), ("new", ago(days=1))):
        Task.objects.create(
            id=name, name=name, func="f", started=stopped, stopped=stopped, success=False
        )
    engine.tick(timezone.now())
    assert [failure.name for failure in Failure.objects.all()] == ["new"]


def test_there_is_one_schedule_however_often_it_is_ensured(db: None) -> None:
    Schedule.objects.create(name="broken", func="nowhere", args="(")
    for _ in range(2):
        ticking.ensure_schedule(timezone.now())
    assert [(row.name, row.minutes) for row in Schedule.objects.all()] == [("tick", 1)]


def test_a_call_works_the_fairest_run_not_the_calling_one(desk: Desk, handle: Handle) -> None:
    handle(done)
    calling = desk.ask(desk.owner)
    longest = desk.ask(due_at=ago(hours=1))
    assert tasks.wake(str(calling.pk)) == str(longest.pk)


def test_a_second_delivery_does_nothing(desk: Desk, handle: Handle) -> None:
    handle(done)
    run = desk.ask()
    assert tasks.wake(str(run.pk)) == str(run.pk)
    assert tasks.wake(str(run.pk)) == ""


def test_a_finished_run_calls_for_the_one_that_had_to_wait(desk: Desk, handle: Handle) -> None:
    handle(done)
    desk.ask()
    waiting = desk.ask(desk.owner)
    OrmQ.objects.all().delete()
    tasks.wake("")
    assert [call.args() for call in OrmQ.objects.all()] == [(str(waiting.pk),)]


def test_what_was_put_off_while_the_clock_ran_ahead_is_due(
    desk: Desk, ticks: list[ticking.Tick]
) -> None:
    queued, failed, later = desk.ask(), desk.ask(desk.owner), desk.ask(desk.new_owner("U2"))
    change(queued, due_at=ahead(days=30))
    change(failed, status="failed", due_at=ahead(days=30))
    tomorrow = ahead(hours=23)
    change(later, due_at=tomorrow)
    now = timezone.now()
    engine.tick(now)
    assert [fresh(run).due_at for run in (queued, failed)] == [now, now]
    assert fresh(later).due_at == tomorrow


def test_a_lease_that_a_clock_gave_for_a_month_is_over(
    desk: Desk, ticks: list[ticking.Tick]
) -> None:
    run = _held(desk, lease_until=ahead(days=30))
    engine.tick(timezone.now())
    assert fresh(run).status == "queued"


def _held(desk: Desk, lease_until: datetime, attempts: int = 1) -> Run:
    run = desk.ask()
    change(
        run, status="running", phase="answer", attempts=attempts, fence=3, lease_until=lease_until
    )
    return run


def test_old_runs_that_nothing_stands_on_go_with_their_reports(desk: Desk) -> None:
    old, wrote, last = (_ended(desk, days) for days in (95, 94, 93))
    Report.objects.create(team=desk.team, agent=desk.agent, run=old, dreamt_at=ago(days=95))
    _wrote(desk, wrote)
    ticking.tick(timezone.now())
    assert set(Run.objects.all()) == {wrote, last}
    assert not Report.objects.exists()


def test_a_run_that_a_text_stands_on_cannot_be_deleted(desk: Desk) -> None:
    run = _ended(desk, 95)
    _wrote(desk, run)
    with pytest.raises(RestrictedError):
        run.delete()
    desk.agent.delete()
    assert not Run.objects.exists()


def test_old_runs_go_some_at_a_time(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ticking, "GONE_A_TICK", 2)
    for days in range(91, 97):
        _ended(desk, days)
    assert [ticking.forget_runs(timezone.now()) for _turn in range(4)] == [2, 2, 1, 0]


def test_ended_sign_ins_go(desk: Desk) -> None:
    for name, ends in (("old", ago(days=1)), ("new", ahead(days=1))):
        Session.objects.create(session_key=name, session_data="", expire_date=ends)
    ticking.tick(timezone.now())
    assert [session.pk for session in Session.objects.all()] == ["new"]


def _ended(desk: Desk, days: int) -> Run:
    run = desk.ask()
    change(run, status="no_change", due_at=None, finished_at=ago(days=days))
    return run


def _wrote(desk: Desk, run: Run) -> None:
    with write_transaction(desk.team) as tx:
        place = Place(desk.agent, None, "skills/tea/SKILL.md")
        write(tx, place, "- Tea.\n", writer=Writer(AuthorKind.DREAM, run=run))
