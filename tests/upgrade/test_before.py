"""What comes before a database is migrated: is it of a version that can be upgraded, and a copy."""

import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from django.db import OperationalError, connection
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client
from django.test.utils import CaptureQueriesContext

from memoryweb.commands.management.commands import start
from memoryweb.core import upgrade
from tests.commands.calling import run
from tests.commands.test_start import free_port
from tests.migrated import copy_migrated
from tests.world import World

__all__ = ["free_port"]
ROOT = Path(__file__).parents[2]
LAST = ("runs", "0014_statements")
PENDING = ("memory", "0021_memory_tests")  # the last, on which none depends

pytestmark = pytest.mark.databases


@pytest.fixture
def recorder(db: None) -> MigrationRecorder:
    return MigrationRecorder(connection)


@pytest.mark.usefixtures("db")
def test_a_database_of_now_and_one_of_the_version_before_are_upgraded(
    recorder: MigrationRecorder,
) -> None:
    assert upgrade.refusal() == ""
    recorder.migration_qs.filter(name="0001_house").delete()
    recorder.record_unapplied(*PENDING)
    assert upgrade.refusal() == ""


def test_a_first_start_that_was_cut_short_goes_on(recorder: MigrationRecorder) -> None:
    recorder.migration_qs.exclude(app__in=["accounts", "audit"]).delete()
    assert upgrade.refusal() == ""
    recorder.migration_qs.all().delete()
    assert upgrade.refusal() == ""


CUT_SHORT = """
import sys
import django
django.setup()
from django.core.management import call_command
from django.db import OperationalError, connection
from django.db.migrations.recorder import MigrationRecorder
from memoryweb.core import upgrade

record, left = MigrationRecorder.record_applied, [2]

def record_some(self, app, name):
    left[0] -= app == "accounts"
    if left[0] < 0:
        raise OperationalError("database or disk is full")
    record(self, app, name)

MigrationRecorder.record_applied = record_some
try:
    call_command("migrate", "accounts", interactive=False, verbosity=0, skip_checks=True)
except OperationalError:
    print(repr(upgrade.refusal()), "accounts_team" in connection.introspection.table_names())
"""


@pytest.mark.slow
@pytest.mark.only_on("sqlite")
def test_a_full_disk_in_the_first_start_leaves_what_the_next_one_goes_on_from(
    tmp_path: Path,
) -> None:
    database = f"sqlite:///{tmp_path / 'memoryweb.sqlite3'}"
    home = {"MEMORYWEB_HOME": str(tmp_path), "MEMORYWEB_DATABASE_URL": database}
    done = subprocess.run(
        [sys.executable, "-c", CUT_SHORT],
        cwd=ROOT,
        env=os.environ | home | {"DJANGO_SETTINGS_MODULE": "memoryweb.settings"},
        capture_output=True,
        text=True,
    )
    assert done.stdout == "'' False\n", done.stderr


def test_an_older_one_is_refused_before_anything_is_changed(recorder: MigrationRecorder) -> None:
    recorder.record_unapplied(*LAST)
    with CaptureQueriesContext(connection) as done:
        assert run("migrate").failure == upgrade.OLDER
    assert {query["sql"].split()[0] for query in done.captured_queries} == {"SELECT"}


@pytest.mark.parametrize("strange", [("review", "0004_items"), ("memory", "0099_later")])
def test_one_of_a_commit_between_is_refused(
    recorder: MigrationRecorder, strange: tuple[str, str]
) -> None:
    recorder.record_applied(*strange)
    assert run("migrate").failure == upgrade.BETWEEN


def test_migrations_of_others_are_none_of_ours(recorder: MigrationRecorder) -> None:
    recorder.record_applied("socialaccount", "0099_later")
    assert upgrade.refusal() == ""


@pytest.mark.slow
@pytest.mark.only_on("sqlite")
def test_commands_probes_and_a_start_say_so_for_an_older_one(tmp_path: Path) -> None:
    """Each in a process of its own, as people call them."""
    database = tmp_path / "memoryweb.sqlite3"
    copy_migrated(database)
    with closing(sqlite3.connect(database)) as older, older:
        older.execute("DELETE FROM django_migrations WHERE app = ? AND name = ?", LAST)
        older.execute("ALTER TABLE runs_beat RENAME TO runs_older_beat")
    home = {"MEMORYWEB_HOME": str(tmp_path), "MEMORYWEB_DATABASE_URL": f"sqlite:///{database}"}
    for command in ("start", "healthcheck"):
        done = subprocess.run(
            [sys.executable, "manage.py", command],
            cwd=ROOT,
            env=os.environ | home | {"PORT": "0" if command != "start" else "18765"},
            capture_output=True,
            text=True,
        )
        assert (done.returncode, done.stderr) == (1, f"CommandError: {upgrade.OLDER}\n")
    assert list(tmp_path.glob("*before-upgrade*")) == []


@pytest.mark.only_on("sqlite")
def test_a_probe_says_so(recorder: MigrationRecorder) -> None:
    recorder.record_unapplied(*LAST)
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE runs_beat RENAME TO runs_older_beat")
    answer = Client().get("/readyz")
    assert (answer.status_code, answer.json()["problems"]) == (503, [upgrade.OLDER])


@pytest.fixture
def pending(transactional_db: None, tmp_path: Path, settings: Any) -> Iterator[Path]:
    """A database that something is still to be done to, and the folder of its copies."""
    settings.HOME = tmp_path
    recorder = MigrationRecorder(connection)
    recorder.record_unapplied(*PENDING)
    folder = Path(connection.settings_dict["NAME"]).parent
    yield folder
    recorder.record_applied(*PENDING)
    for copy in folder.glob("*before-upgrade*"):
        copy.unlink()


@pytest.mark.only_on("sqlite")
@pytest.mark.usefixtures("free_port")
def test_a_start_keeps_a_copy_before_it_migrates(
    pending: Path, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(start, "call_command", interrupt)
    answer = run("start")
    (copy,) = pending.glob("*-before-upgrade-*.sqlite3")
    assert answer.output.startswith(f"The database as it was is kept in {copy}. ")
    assert answer.output.count("\n") == 1
    assert copy.stat().st_mode & 0o777 == 0o600
    with closing(sqlite3.connect(copy)) as kept:
        teams = kept.execute("SELECT count(*) FROM accounts_team WHERE slug = ?", [world.team.slug])
        assert teams.fetchone() == (1,)
        assert kept.execute("PRAGMA integrity_check").fetchone() == ("ok",)


@pytest.mark.only_on("sqlite")
@pytest.mark.usefixtures("free_port")
def test_without_room_for_the_copy_nothing_is_migrated(
    pending: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(execute: Any, sql: str, *given: Any) -> Any:
        if not sql.startswith("VACUUM"):
            return execute(sql, *given)
        execute(sql, *given)  # what was written until then
        cause = sqlite3.OperationalError()
        cause.sqlite_errorcode = sqlite3.SQLITE_FULL
        raise OperationalError from cause

    done: list[object] = []
    monkeypatch.setattr(start, "call_command", lambda *what, **_: done.append(what))
    with connection.execute_wrapper(full):
        said = run("start").failure
    assert said.startswith("The disk is full. The database could not be copied")
    assert done == []
    assert list(pending.glob("*before-upgrade*")) == []


@pytest.mark.only_on("sqlite")
@pytest.mark.usefixtures("transactional_db")
def test_where_nothing_is_pending_no_copy_is_made() -> None:
    assert upgrade.keep_copy() is None


@pytest.mark.only_on("postgresql")
def test_of_postgresql_no_copy_is_made(pending: Path) -> None:
    assert upgrade.keep_copy() is None
