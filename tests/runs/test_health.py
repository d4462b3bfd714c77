from datetime import datetime
from pathlib import Path

import pytest
from django.test import Client, RequestFactory
from django.utils import timezone
from pytest_django import Settings

from memoryweb.audit import checkpoints
from memoryweb.audit.record import SYSTEM, Entry, record
from memoryweb.audit.triggers import create_triggers, drop_triggers
from memoryweb.runs import healthcheck
from memoryweb.runs.models import Beat
from memoryweb.web.middleware import healthz, readyz
from tests.runs.desk import Desk, ago, ahead, change

pytestmark = pytest.mark.databases


def test_all_is_well(desk: Desk) -> None:
    Beat.objects.create(name="tick", at=ago(seconds=59))
    desk.ask()
    assert healthcheck.check(timezone.now()).problems == []


@pytest.mark.parametrize(
    ("state", "words"),
    [
        ({"due_at": ago(minutes=11)}, "has been waiting for"),
        ({"status": "running", "lease_until": ago(seconds=1)}, "1 run lost its worker"),
    ],
)
def test_a_problem_is_named(desk: Desk, state: dict[str, object], words: str) -> None:
    Beat.objects.create(name="tick", at=ago(seconds=5))
    change(desk.ask(), **state)
    [problem] = healthcheck.check(timezone.now()).problems
    assert words in problem


def test_a_team_without_an_admin_is_told_and_no_failure(desk: Desk) -> None:
    Beat.objects.create(name="tick", at=ago(seconds=5))
    desk.team.memberships.update(ends_at=ago(seconds=1))
    found = healthcheck.check(timezone.now())
    assert found.problems == [
        "1 team has no admin. Add one: manage.py add_member --role admin",
    ]
    assert (found.failures, found.is_ready) == ([], True)


def test_a_second_place_of_the_ledger_that_is_away_is_told(
    desk: Desk, settings: Settings, tmp_path: Path
) -> None:
    Beat.objects.create(name="tick", at=ago(seconds=5))
    settings.LEDGER_DIR = str(tmp_path / "unmounted")
    checkpoints.sign_moved(timezone.now())
    record(desk.team.pk, Entry("file.written", SYSTEM))
    checkpoints.sign_moved(timezone.now())
    assert "second place" in " ".join(healthcheck.check(timezone.now()).problems)
    (tmp_path / "unmounted").mkdir()
    checkpoints.sign_moved(timezone.now())  # nothing has moved
    assert healthcheck.check(timezone.now()).problems == []


@pytest.mark.parametrize(
    "state",
    [
        {"due_at": ahead(hours=1)},
        {"status": "running", "lease_until": ahead(hours=1)},
        {"status": "failed", "due_at": None},
    ],
)
def test_a_run_that_need_not_start_is_no_problem(desk: Desk, state: dict[str, object]) -> None:
    Beat.objects.create(name="tick", at=ago(seconds=5))
    change(desk.ask(due_at=ago(hours=1)), **state)
    assert healthcheck.check(timezone.now()).problems == []


def test_a_worker_that_ticks_makes_it_ready(db: None) -> None:
    Beat.objects.create(name="tick", at=ago(seconds=59))
    assert readyz(RequestFactory().get("/readyz")).status_code == 200


@pytest.mark.parametrize("last_tick", [None, ago(minutes=4), ahead(days=30)])
def test_without_a_worker_it_is_not_ready(db: None, last_tick: datetime | None) -> None:
    if last_tick:
        Beat.objects.create(name="tick", at=last_tick)
    assert readyz(RequestFactory().get("/readyz")).status_code == 503


def test_audit_events_that_nothing_protects_are_a_problem(db: None) -> None:
    Beat.objects.create(name="tick", at=ago(seconds=5))
    drop_triggers()
    assert any("audit events" in problem for problem in healthcheck.check(ago()).problems)
    assert readyz(RequestFactory().get("/readyz")).status_code == 503
    create_triggers()


def test_a_process_that_answers_is_healthy() -> None:
    assert healthz(RequestFactory().get("/healthz")).status_code == 200


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_a_probe_needs_no_tls_and_no_listed_host(db: None, settings: Settings, path: str) -> None:
    settings.SECURE_SSL_REDIRECT = True
    Beat.objects.create(name="tick", at=ago(seconds=5))
    assert Client().get(path, SERVER_NAME="10.1.2.3").status_code == 200
    assert Client().post(path, SERVER_NAME="10.1.2.3").status_code == 405
    assert Client().get("/", SERVER_NAME="10.1.2.3").status_code == 400
    assert Client().get("/").status_code == 301
