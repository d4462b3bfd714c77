"""Whoever has an installation of an earlier milestone keeps all of it."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.db import connection
from pytest_django import DjangoDbBlocker

from tests.soaking import first_in_gate

pytestmark = pytest.mark.databases

# The newest first: most installations are at it.
MILESTONES = sorted(Path(__file__).parent.glob("*.json.gz"), reverse=True)
ROOT = Path(__file__).parents[2]


@pytest.fixture
def empty_database(tmp_path: Path, django_db_blocker: DjangoDbBlocker) -> Iterator[dict[str, str]]:
    """The environment of a process that has an empty database to itself."""
    home = {"MEMORYWEB_HOME": str(tmp_path)}
    if connection.vendor == "sqlite":
        yield home
        return
    name, url = f"upgrade_{os.getpid()}", os.environ["MEMORYWEB_DATABASE_URL"]
    with django_db_blocker.unblock(), connection._nodb_cursor() as cursor:
        cursor.execute(f"CREATE DATABASE {name}")
        yield home | {"MEMORYWEB_DATABASE_URL": f"{url.rsplit('/', 1)[0]}/{name}"}
        cursor.execute(f"DROP DATABASE {name}")


@pytest.mark.parametrize(
    "milestone", first_in_gate(1, MILESTONES), ids=lambda path: path.name.split(".")[0]
)
def test_a_database_of_an_earlier_milestone_is_upgraded_and_loses_nothing(
    milestone: Path, empty_database: dict[str, str]
) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.upgrade.upgrading", str(milestone)],
        cwd=ROOT,
        env=os.environ | {"DJANGO_SETTINGS_MODULE": "memoryweb.settings"} | empty_database,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert (said["lost"], said["reindex"], said["audit"], said["facts"]) == ([], "", "", "")
    assert said["statements"] >= 10
    assert min(said["rows"] - 300, said["events"] - 62) >= 0
