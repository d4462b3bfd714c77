"""Several at once, each with a connection of its own."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Event
from typing import Any

import pytest
from django.db import connection
from django.db.models import QuerySet
from django.utils import timezone
from pytest_django import Settings

from memoryweb.runs import engine
from memoryweb.runs.lease import held
from memoryweb.runs.models import Run
from memoryweb.runs.queue import claim
from tests.runs.conftest import Handle, make_desk
from tests.runs.desk import Desk, change, done, fresh
from tests.waiting import until

pytestmark = [pytest.mark.databases, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def desk(transactional_db: None) -> Desk:
    return make_desk("one")


def test_one_run_is_claimed_once(desk: Desk) -> None:
    run = desk.ask()
    claimed = _at_once(8, lambda _number: claim())
    assert [taken for taken in claimed if taken] == [run]
    assert fresh(run).attempts == 1


def test_every_run_is_claimed_once(desk: Desk, settings: Settings) -> None:
    settings.RUNS_PER_TEAM = 6
    runs = {desk.ask(desk.new_owner(str(number))) for number in range(6)}
    claimed = _at_once(6, lambda _number: claim())
    assert set(claimed) == runs


def test_a_team_never_exceeds_its_share(desk: Desk, settings: Settings) -> None:
    settings.RUNS_PER_TEAM = 2
    for number in range(6):
        desk.ask(desk.new_owner(str(number)))
    claimed = _at_once(6, lambda _number: claim())
    assert sum(run is not None for run in claimed) == 2


def test_one_owner_never_has_two_claims_of_a_kind(desk: Desk) -> None:
    runs = [desk.ask(desk.owner), desk.ask(desk.owner, night=timezone.now().date())]
    claimed = _at_once(2, lambda number: claim(run_id=runs[number].pk))
    assert sum(run is not None for run in claimed) == 1


@pytest.mark.parametrize("night", [None, timezone.now().date()], ids=["by hand", "nightly"])
@pytest.mark.parametrize("shared", [True, False], ids=["shared notes", "owner"])
def test_requests_at_once_get_one_run(desk: Desk, shared: bool, night: object) -> None:
    owner = None if shared else desk.owner
    answers = _at_once(6, lambda _number: desk.enqueue(owner, night=night))
    assert len({answer.run.pk for answer in answers}) == 1
    assert sum(answer.created for answer in answers) == 1


def test_a_heartbeat_keeps_the_lease_while_the_handler_works(
    desk: Desk, handle: Handle, settings: Settings
) -> None:
    settings.LEASE_SECONDS = 2
    beats = []

    def slow(lease: engine.Lease) -> None:
        first = lease.run.lease_until or timezone.now()
        until(lambda: (fresh(lease.run).lease_until or first) > first)
        beats.append(fresh(lease.run).heartbeat_at)
        done(lease)

    handle(slow)
    run = desk.ask()
    engine.work_next()
    assert (fresh(run).status, len(beats)) == ("succeeded", 1)


def test_a_heartbeat_whose_connection_broke_goes_on_with_another(
    desk: Desk, handle: Handle, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.LEASE_SECONDS = 2
    broken = Event()

    def breaking(run: Run) -> "QuerySet[Run]":
        if not broken.is_set():
            connection.ensure_connection()
            connection.connection.close()  # as a server does that restarts
            broken.set()
        return held(run)

    def slow(lease: engine.Lease) -> None:
        assert broken.wait(20)
        last = lease.run.heartbeat_at
        until(lambda: fresh(lease.run).heartbeat_at != last)
        done(lease)

    monkeypatch.setattr("memoryweb.runs.lease.held", breaking)
    handle(slow)
    run = desk.ask()
    engine.work_next()
    assert fresh(run).status == "succeeded"


def test_whoever_asks_for_a_run_in_other_hands_gets_its_end(desk: Desk, handle: Handle) -> None:
    began, go_on = Event(), Event()

    def slow(lease: engine.Lease) -> None:
        began.set()
        go_on.wait(20)
        done(lease)

    handle(slow)
    run = desk.ask()
    with ThreadPoolExecutor() as threads:
        worker = threads.submit(_closing, engine.work_next)
        assert began.wait(20)
        asking = threads.submit(_closing, lambda: engine.work(run.pk))
        go_on.set()
        assert worker.result(20) == run
        assert asking.result(20) is None
    assert fresh(run).status == "succeeded"


def test_nobody_waits_for_a_worker_that_is_gone(desk: Desk, handle: Handle) -> None:
    handle(done)
    run = desk.ask()
    change(run, status="running", lease_until=timezone.now())
    assert engine.work(run.pk) is None


def _at_once(count: int, call: Callable[[int], Any]) -> list[Any]:
    barrier = Barrier(count)

    def turn(number: int) -> Any:
        barrier.wait(20)
        return _closing(lambda: call(number))

    with ThreadPoolExecutor(count) as threads:
        return list(threads.map(turn, range(count)))


def _closing(call: Callable[[], Any]) -> Any:
    try:
        return call()
    finally:
        connection.close()
