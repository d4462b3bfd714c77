"""A worker is killed while it writes many statements; the next one writes the rest, each once."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.db import connection
from django_scopes import scope

from memoryweb.memory.models import File
from memoryweb.runs.models import Run
from tests.api.callers import callers_of
from tests.mem0.client import Mem0
from tests.mem0.test_many_statements import MANY, stated, texts
from tests.snapshot import restored_world
from tests.soaking import first_in_gate
from tests.waiting import until
from tests.workers import Workers

pytestmark = [pytest.mark.kill, pytest.mark.django_db(transaction=True)]

MOMENTS = {
    "at the end": r'UPDATE "runs_run" SET.*"finished_at"',
    "before the line origins": r'INSERT INTO "workspace_lineorigin"',
    "before the run says so": r'UPDATE "runs_run" SET.*"inputs".*"result"',
}


@pytest.fixture
def workers(tmp_path: Path) -> Iterator[Workers]:
    workers = Workers(tmp_path, "tests.extraction.probe.settings", {"PROBE_ROOM": str(tmp_path)})
    yield workers
    workers.end()


@pytest.mark.parametrize("moment", first_in_gate(1, list(MOMENTS)))
def test_wherever_it_is_killed_each_is_written_once(workers: Workers, moment: str) -> None:
    world = restored_world()
    mem0 = Mem0(callers_of(world).helpdesk.token, str(world.agent.pk))
    answer = stated(mem0, texts(MANY))
    workers.environment["PROBE_STOP"] = MOMENTS[moment]
    worker = workers.start("run_pending")
    stopped = workers.room / "stopped"
    until(lambda: stopped.exists() or workers.exit_code(0) is not None)
    assert stopped.exists(), workers.output()
    os.kill(worker, signal.SIGKILL)
    workers.exit_code(10)
    connection.close()
    with scope(team=world.team):
        done = Run.objects.get(pk=answer["event_id"]).result.get("done", 0)
    assert done == (MANY if moment == "at the end" else 0)
    workers.go_on()
    with scope(team=world.team):
        content = File.objects.get(owner__external_id="ana", path="MEMORY.md").raw_content
    assert [line[2:] for line in content.split("\n") if line.startswith("- ")] == texts(MANY)
    assert mem0("GET", f"/v1/event/{answer['event_id']}/")["status"] == "SUCCEEDED"
