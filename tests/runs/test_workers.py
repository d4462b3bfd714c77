"""Workers die in the middle of their work; the work doesn't."""

import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

import pytest
from django_q.models import OrmQ

from tests.runs.conftest import Handle, make_desk
from tests.runs.desk import Desk, fresh
from tests.runs.probe.handler import PHASES, probe
from tests.soaking import first_in_gate
from tests.waiting import until
from tests.workers import Workers, family, freeze, gone

pytestmark = [pytest.mark.kill, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def workers(tmp_path: Path, handle: Handle, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workers]:
    handle(probe, "probe")
    monkeypatch.setenv("PROBE_ROOM", str(tmp_path))
    workers = Workers(tmp_path, "tests.runs.probe.settings")
    yield workers
    workers.end()


@pytest.fixture
def desk(transactional_db: None) -> Desk:
    return make_desk("one")


@pytest.mark.parametrize("phase", first_in_gate(1, sorted(PHASES, key="applied".__ne__)))
def test_a_killed_run_goes_on_where_it_was(desk: Desk, workers: Workers, phase: str) -> None:
    run = desk.ask(kind="probe", topic=phase)
    workers.start("run_pending")
    os.kill(_stopped(workers), signal.SIGKILL)
    workers.go_on()
    assert fresh(run).status == "succeeded"
    assert _phases(workers) == sorted((*PHASES, phase), key=PHASES.index)
    assert len(desk.events("file.written")) == len(desk.events("run.finished")) == 1


def test_a_worker_that_wakes_after_its_lease_writes_nothing(desk: Desk, workers: Workers) -> None:
    run = desk.ask(kind="probe", topic="checked")
    workers.start("run_pending")
    pid = _stopped(workers)
    freeze(pid)
    workers.go_on()
    finished = fresh(run)
    (workers.room / "go-on").touch()
    os.kill(pid, signal.SIGCONT)
    assert workers.exit_code(20) == 0
    assert f"{pid} lost" in _notes(workers)
    assert vars(fresh(run)) | {"_state": 0} == vars(finished) | {"_state": 0}
    assert len(desk.events("file.written")) == len(desk.events("run.finished")) == 1


def test_a_slow_worker_keeps_its_lease(desk: Desk, workers: Workers) -> None:
    workers.environment["MEMORYWEB_LEASE_SECONDS"] = "9"
    run = desk.ask(kind="probe", topic="answer")
    workers.start("run_pending")
    _stopped(workers)
    first_lease = fresh(run).lease_until
    assert first_lease is not None
    until(lambda: (fresh(run).lease_until or first_lease) > first_lease + timedelta(seconds=2))
    (workers.room / "go-on").touch()
    assert workers.exit_code(20) == 0
    assert (fresh(run).status, fresh(run).attempts) == ("succeeded", 1)


@pytest.mark.databases
def test_the_supervisor_has_runs_worked(desk: Desk, workers: Workers) -> None:
    workers.start("work")
    run = desk.ask(kind="probe")
    until(lambda: fresh(run).status == "succeeded")


@pytest.mark.parametrize("number", first_in_gate(1, [signal.SIGTERM, signal.SIGINT]))
def test_a_stopped_supervisor_leaves_no_process(desk: Desk, workers: Workers, number: int) -> None:
    supervisor = _at_work(desk, workers)
    os.kill(supervisor, number)
    assert gone(supervisor)
    assert workers.exit_code(5) == 0


def test_a_supervisor_that_is_killed_takes_its_workers_along(desk: Desk, workers: Workers) -> None:
    supervisor = _at_work(desk, workers)
    os.kill(supervisor, signal.SIGKILL)
    assert gone(supervisor)


@pytest.mark.parametrize("number", first_in_gate(1, [signal.SIGKILL, signal.SIGTERM]))
def test_a_worker_that_ended_is_replaced(desk: Desk, workers: Workers, number: int) -> None:
    supervisor = _at_work(desk, workers)
    ended, other = _children(supervisor)
    os.kill(ended, number)
    until(lambda: (left := _children(supervisor))[0] == other and len(left) == 2)
    run = desk.ask(desk.owner, kind="probe")
    until(lambda: fresh(run).status == "succeeded")


def test_workers_that_hang_are_started_again(desk: Desk, workers: Workers) -> None:
    supervisor = _at_work(desk, workers)
    for pid in family(supervisor):
        if pid != supervisor:
            os.kill(pid, signal.SIGSTOP)
    run = desk.ask(desk.owner, kind="probe")
    until(lambda: fresh(run).status == "succeeded")


def test_workers_killed_all_at_once_are_replaced(desk: Desk, workers: Workers) -> None:
    supervisor = _at_work(desk, workers)
    for worker in _children(supervisor):
        os.kill(worker, signal.SIGKILL)
    run = desk.ask(desk.owner, kind="probe")
    until(lambda: fresh(run).status == "succeeded")


def test_there_are_a_supervisor_and_two_workers(desk: Desk, workers: Workers) -> None:
    supervisor = _at_work(desk, workers)
    until(lambda: len(family(supervisor)) == 3)
    assert sorted(family(supervisor)) == sorted([supervisor, *_children(supervisor)])


def test_a_run_killed_with_its_supervisor_is_worked_by_the_next(
    desk: Desk, workers: Workers
) -> None:
    supervisor = _at_work(desk, workers)
    run = desk.ask(desk.owner, kind="probe", topic="answer")
    _stopped(workers)
    for pid in family(supervisor):
        # The first one takes the others along, some before their turn.
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    workers.start("work")
    until(lambda: fresh(run).status == "succeeded")
    assert fresh(run).attempts == 2


def _at_work(desk: Desk, workers: Workers) -> int:
    """The pid of a supervisor whose workers have shown that they work."""
    workers.environment["MEMORYWEB_LEASE_SECONDS"] = "2"  # which a supervisor has to see run out
    supervisor = workers.start("work")
    run = desk.ask(kind="probe")
    until(lambda: fresh(run).status == "succeeded")
    (workers.room / "notes").unlink()
    # From here on it only looks for calls, and holds no lock of the database.
    until(lambda: not OrmQ.objects.exists())
    return supervisor


def _children(pid: int) -> list[int]:
    listed = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    return [int(child) for child in listed.split()]


def _stopped(workers: Workers) -> int:
    mark = workers.room / "stopped"
    return int(until(lambda: mark.exists() and mark.read_text()))


def _notes(workers: Workers) -> list[str]:
    return (workers.room / "notes").read_text().splitlines()


def _phases(workers: Workers) -> list[str]:
    return [line.split()[1] for line in _notes(workers)]
