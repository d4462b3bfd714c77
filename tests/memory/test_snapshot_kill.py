"""A process dies in the middle of an import: all of it is there, or nothing."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from memoryweb.audit.verify import verify
from memoryweb.memory.models import File, Import, Revision
from tests.commands.calling import run
from tests.snapshots.archives import of
from tests.waiting import until
from tests.walls.web_calls import everything
from tests.workers import Workers
from tests.world import World

pytestmark = [pytest.mark.kill, pytest.mark.django_db(transaction=True)]

FILES = {f"memory/2026-11-{day:02}.md": f"- The ferry of day {day}.\n" for day in range(1, 11)}
AMID = r'INSERT INTO "workspace_lineorigin"'  # the revisions are written


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    path = tmp_path / "in.zip"
    path.write_bytes(of(FILES | {"KNOWLEDGE.md": "# Tides\n"}))
    return path


@pytest.fixture
def killed(tmp_path: Path) -> Iterator[Workers]:
    environment = {"PROBE_STOP": AMID, "PROBE_ROOM": str(tmp_path)}
    workers = Workers(tmp_path, "tests.extraction.probe.settings", environment)
    yield workers
    workers.end()


def test_a_killed_import_leaves_nothing_and_comes_in_when_asked_again(
    world: World, archive: Path, killed: Workers, tmp_path: Path
) -> None:
    before = everything(but=frozenset())
    command = ["snapshot", "import", "--team", str(world.team.pk), "--agent", "Atlas"]
    command += ["--owner", "shared", str(archive)]
    process = killed.start(*command)
    until((tmp_path / "stopped").exists)
    os.kill(process, signal.SIGKILL)
    killed.exit_code(10)
    assert not Import.objects.exists(), killed.output()
    assert everything(but=frozenset()) == before
    assert run(*command).failure == ""
    batch = Import.objects.get()
    assert Revision.objects.filter(batch=batch).count() == len(FILES) + 1
    notes = File.objects.filter(agent=world.agent, owner=None, note_date__isnull=False)
    assert dict(notes.values_list("path", "raw_content")) == FILES
    assert verify(world.team.pk).ok
