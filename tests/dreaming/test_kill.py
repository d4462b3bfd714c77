"""A worker dies in the middle of a dream; started again, it leaves one result."""

import os
import re
import signal
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
from pytest_django import Settings

from memoryweb.audit.models import Event
from memoryweb.audit.verify import verify
from memoryweb.dreaming import backfill, schedule
from memoryweb.dreaming.models import Report
from memoryweb.memory.lines.origins import Origin
from memoryweb.memory.models import AuthorKind, File, Revision
from memoryweb.memory.models.writer import Memory, Place, Writer, write_transaction
from memoryweb.memory.writing import write
from memoryweb.memory.writing.write import NewLine
from memoryweb.runs import engine
from memoryweb.runs.models import Run
from tests.fakes import ModelServer
from tests.soaking import first_in_gate
from tests.waiting import until
from tests.workers import Workers, freeze
from tests.world import World

pytestmark = [pytest.mark.kill, pytest.mark.django_db(transaction=True)]

NIGHT = date(2026, 11, 20)
POINTS = ["applying", "answer stored", "finished", "committed"]
Start = Callable[..., Workers]


@pytest.fixture
def start(tmp_path: Path, model_server: ModelServer) -> Iterator[Start]:
    """Workers that stop at a point, with the model server or with the rules."""
    made: list[Workers] = []

    def begin(stop_at: str = "", *, model: bool = True) -> Workers:
        environment = {"STOP_AT": stop_at, "STOP_ROOM": str(tmp_path)}
        if model:
            environment |= {
                "MEMORYWEB_MODEL_PROVIDER": "openai",
                "MEMORYWEB_MODEL_BASE_URL": model_server.url,
                "MEMORYWEB_MODEL_KEY": "test-key-of-no-value",
                "MEMORYWEB_MODEL": "fake-model",
            }
        made.append(Workers(tmp_path, "tests.dreaming.stops.settings", environment))
        return made[-1]

    yield begin
    for workers in made:
        workers.end()


@pytest.fixture
def run(world: World, model_server: ModelServer) -> Run:
    """A queued night of a customer with one durable line, and a model that keeps it."""
    model_server.rules_like()
    note = Place(world.agent, world.customer, f"memory/{NIGHT}.md")
    line = NewLine("- 09:00 Marta's team ships on Thursdays.", Origin(durable=True))
    with write_transaction(world.team) as tx:
        write.append(tx, note, [line], writer=Writer(AuthorKind.EXTRACTION, is_vouched=True))
        return schedule.request_night(
            tx, Memory(world.agent, world.customer), NIGHT, trigger="command"
        ).run


@pytest.mark.parametrize("point", first_in_gate(1, POINTS))
def test_a_killed_dream_leaves_one_result_and_asks_the_model_once(
    world: World, run: Run, start: Start, model_server: ModelServer, point: str
) -> None:
    workers = start(point)
    workers.start("run_pending")
    os.kill(_stopped(workers), signal.SIGKILL)
    left = _everything_written()
    assert bool(left["reports"]) == (point == "committed"), workers.output()
    workers.go_on()
    _assert_one_result(world, run)
    assert len(model_server.requests) == 1
    if point == "committed":
        assert _everything_written() == left


def test_a_killed_dream_of_the_rules_leaves_one_result(
    world: World, run: Run, start: Start, settings: Settings
) -> None:
    settings.MODEL_PROVIDER = ""
    workers = start("finished", model=False)
    workers.start("run_pending")
    os.kill(_stopped(workers), signal.SIGKILL)
    assert not Report.objects.exists()
    workers.go_on()
    _assert_one_result(world, run)


def test_a_backfill_killed_in_its_second_week_dreams_each_week_once(
    world: World, start: Start, settings: Settings
) -> None:
    settings.MODEL_PROVIDER = ""
    days = [date(2026, 3, 2) + timedelta(weeks=week) for week in range(3)]
    with write_transaction(world.team) as tx:
        for day, name in zip(days, ("Marta", "Jonas", "Priya"), strict=True):
            place = Place(world.agent, world.customer, f"memory/{day}.md")
            line = NewLine(f"- 09:00 {name}'s team ships on Thursdays.", Origin(durable=True))
            write.append(tx, place, [line], writer=Writer(AuthorKind.EXTRACTION, is_vouched=True))
        backfill.request(tx, Memory(world.agent, world.customer))
    engine.work_next()
    workers = start("finished", model=False)
    workers.start("run_pending")
    os.kill(_stopped(workers), signal.SIGKILL)
    assert Report.objects.count() == 1
    workers.go_on()
    weeks = Run.objects.filter(trigger="backfill").order_by("clock")
    assert [run.status for run in weeks] == ["succeeded"] * 3
    assert [run.result["week"] for run in weeks] == [1, 2, 3]
    content = _file(world, "MEMORY.md").raw_content
    assert [content.count(f"{name}'s team") for name in ("Marta", "Jonas", "Priya")] == [1, 1, 1]
    assert Report.objects.count() == 3
    assert verify(world.team.pk).ok


def test_a_dream_killed_while_the_model_is_silent_asks_again(
    world: World, run: Run, start: Start, model_server: ModelServer
) -> None:
    model_server.hang()
    workers = start()
    asking = workers.start("run_pending")
    until(lambda: model_server.requests)
    os.kill(asking, signal.SIGKILL)
    workers.go_on()
    _assert_one_result(world, run)
    assert len(model_server.requests) == 2


def test_a_dreamer_that_wakes_after_its_lease_writes_nothing(
    world: World, run: Run, start: Start, model_server: ModelServer
) -> None:
    workers = start("answer stored")
    workers.start("run_pending")
    pid = _stopped(workers)
    freeze(pid)
    workers.go_on()
    written = _everything_written()
    (workers.room / "go-on").touch()
    os.kill(pid, signal.SIGCONT)
    assert workers.exit_code(30) == 0, workers.output()
    assert _everything_written() == written
    _assert_one_result(world, run)
    assert len(model_server.requests) == 1


def _assert_one_result(world: World, run: Run) -> None:
    run.refresh_from_db()
    assert (run.status, run.phase) == ("succeeded", "reported")
    memory = _file(world, "MEMORY.md")
    assert memory.raw_content.count("Thursdays") == 1
    assert memory.revisions.count() == 1
    diary = _file(world, "DREAMS.md")
    assert len(re.findall(r"(?m)^## 2026-11-20", diary.raw_content)) == 1
    assert diary.revisions.count() == 1
    assert Report.objects.filter(run=run).count() == 1
    finished = Event.objects.filter(action="run.finished", run_id=run.pk)
    assert finished.count() == 1
    writes = Event.objects.filter(action="file.written", run_id=run.pk)
    assert writes.count() == Revision.objects.filter(run=run).count()
    assert verify(world.team.pk).ok


def _file(world: World, path: str) -> File:
    return File.objects.get(agent=world.agent, owner=world.customer, path=path)


def _everything_written() -> dict[str, Any]:
    return {
        "revisions": list(Revision.objects.order_by("pk").values()),
        "reports": list(Report.objects.values()),
        "events": list(Event.objects.order_by("seq").values_list("pk", "action")),
    }


def _stopped(workers: Workers) -> int:
    mark = workers.room / "stopped"
    return int(until(lambda: mark.exists() and mark.read_text()))
