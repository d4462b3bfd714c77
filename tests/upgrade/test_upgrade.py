"""Whoever has an installation of an earlier version keeps all of it."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from pytest_django import DjangoDbBlocker

from tests.soaking import first_in_gate
from tests.upgrade.taking_down import KEYS

pytestmark = pytest.mark.databases

# The newest first: most installations are at it.
VERSIONS = sorted(Path(__file__).parent.glob(f"*-{connection.vendor}.sql.gz"), reverse=True)
UPGRADING = [sys.executable, "-m", "tests.upgrade.upgrading"]
ROOT = Path(__file__).parents[2]
# The gate looks at a quarter of the pages on SQLite, and at another few on PostgreSQL.
SHARE = 17 if connection.vendor == "postgresql" else 4
CASES = [f"{VERSIONS[0].name} {SHARE}", *(f"{version.name} 1" for version in VERSIONS)]


@contextmanager
def empty_database(home: Path, django_db_blocker: DjangoDbBlocker) -> Iterator[dict[str, str]]:
    """The environment of a process that has an empty database to itself."""
    there = {"MEMORYWEB_HOME": str(home)}
    if connection.vendor == "sqlite":
        yield there
        return
    name, url = f"upgrade_{os.getpid()}", os.environ["MEMORYWEB_DATABASE_URL"]
    with django_db_blocker.unblock(), connection._nodb_cursor() as cursor:
        cursor.execute(f"CREATE DATABASE {name}")
        yield there | {"MEMORYWEB_DATABASE_URL": f"{url.rsplit('/', 1)[0]}/{name}"}
        cursor.execute(f"DROP DATABASE {name}")


@pytest.fixture(
    scope="module",
    params=first_in_gate(1, [*dict.fromkeys(CASES)]),
    ids=lambda case: case.replace(".sql.gz ", "-"),
)
def upgraded(
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
    django_db_blocker: DjangoDbBlocker,
) -> dict[str, Any]:
    others = {"MEMORYWEB_MODEL_HOSTS": "models.example", "MEMORYWEB_LOG_LEVEL": "ERROR"}
    name, share = request.param.split()
    with empty_database(tmp_path_factory.mktemp("home"), django_db_blocker) as there:
        done = subprocess.run(
            [*UPGRADING, str(Path(__file__).parent / name), share],
            cwd=ROOT,
            env=os.environ | KEYS | there | others,
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.returncode == 0, done.stderr
    said: dict[str, Any] = json.loads(done.stdout)
    return said


def test_no_row_is_lost_or_changed(upgraded: dict[str, Any]) -> None:
    assert upgraded["rows"] > 1_900
    assert upgraded["lost"] == []


def test_chains_statements_and_the_search_index_are_whole(upgraded: dict[str, Any]) -> None:
    assert (upgraded["failures"], upgraded["triggers"]) == ([], [])


def test_nothing_is_left_to_migrate(upgraded: dict[str, Any]) -> None:
    assert upgraded["again"].endswith("No migrations to apply.\n")
    assert upgraded["differs"] == []
    assert upgraded["changes"] == "No changes detected\n"


def test_permissions_follow_the_models(upgraded: dict[str, Any]) -> None:
    assert upgraded["permissions"]
    assert {"memory", "notify"} <= set(upgraded["labels"])
    assert {"workspace", "facts", "webhooks", "notices"}.isdisjoint(upgraded["labels"])


def test_likely_passwords_that_waited_count_as_secrets_and_it_is_told_where(
    upgraded: dict[str, Any],
) -> None:
    held = upgraded["held"]
    assert held["waited"]
    assert held["told"] == held["waited"]
    assert held["let_pass"]
    assert held["passing"] == held["let_pass"]


def test_what_waits_of_somebodys_own_memory_is_told_before_it_expires(
    upgraded: dict[str, Any],
) -> None:
    waiting = upgraded["waiting_days"]
    assert waiting["personal"]
    assert max(waiting["personal"]) == 23


def test_every_page_answers_its_admin(upgraded: dict[str, Any]) -> None:
    assert upgraded["pages"] == []


def test_what_waited_to_be_erased_is_erased(upgraded: dict[str, Any]) -> None:
    erased = upgraded["erased"]
    assert erased["texts"] > 0
    assert (erased["left"], erased["remaining"]) == ([], 0)
    assert (erased["errors"], erased["failures"]) == ([], [])
