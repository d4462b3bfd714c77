"""While the database takes no change: what cannot be done says so, and reading goes on."""

import shutil
from types import SimpleNamespace

import pytest
from django.db import close_old_connections, connection
from django.test import Client, RequestFactory
from django.utils import timezone

from memoryweb.audit.models import Event
from memoryweb.memory.models import File
from memoryweb.runs import healthcheck
from memoryweb.runs.models import Beat
from memoryweb.web.middleware import readyz
from tests.snapshot import restored_world
from tests.unwritable import REASONS, unwritable
from tests.web.pages import text, url
from tests.world import World, personal_token, signed_in

pytestmark = [pytest.mark.databases, pytest.mark.django_db(transaction=True)]

LONG = "".join(f"- Tea is served at five on day {day}.\n" for day in range(300))
REASON = [
    pytest.param(
        reason, id=reason, marks=pytest.mark.only_on(vendor, why="it fails in its own way")
    )
    for vendor, reasons in REASONS.items()
    for reason in reasons
]


@pytest.fixture
def stood() -> World:
    return restored_world()


@pytest.mark.only_on("postgresql", why="a file is never away")
def test_a_connection_that_broke_while_nobody_asked_is_replaced(db: None) -> None:
    Beat.objects.count()
    connection.connection.close()
    close_old_connections()  # as a request begins
    assert Beat.objects.count() == 0


def _quiet(world: World) -> Client:
    client = signed_in(world.alice)
    client.raise_request_exception = False
    return client


@pytest.mark.parametrize("reason", REASON)
def test_a_change_says_why_and_when_to_come_again(stood: World, reason: str) -> None:
    client = _quiet(stood)
    before = Event.objects.count()
    with unwritable(reason) as sentence:
        address = url(stood.team, "agents_new_file", stood.agent.pk)
        data = {"path": "KNOWLEDGE.md", "content": LONG, "reason": "Tea."}
        answer = client.post(address, data)
        assert (answer.status_code, answer.headers["Retry-After"]) == (503, "30")
        assert sentence in text(answer)
    assert not File.objects.filter(path="KNOWLEDGE.md").exists()
    assert Event.objects.count() == before
    assert client.post(address, data).status_code == 302  # the same, a little later


@pytest.mark.parametrize("reason", REASON)
def test_pages_can_still_be_read(stood: World, reason: str) -> None:
    client = _quiet(stood)
    with unwritable(reason):
        assert client.get(url(stood.team, "last_night")).status_code == 200
        assert client.get(url(stood.team, "agents_files", stood.agent.pk)).status_code == 200


@pytest.mark.parametrize("reason", REASON)
def test_the_api_answers_a_problem(stood: World, reason: str) -> None:
    client = _quiet(stood)
    token = personal_token(stood.team, stood.alice)
    with unwritable(reason):
        answer = client.put(
            f"/api/v1/agents/{stood.agent.pk}/workspace/files/KNOWLEDGE.md",
            {"content": LONG},
            content_type="application/json",
            headers={"Authorization": f"Bearer {token}"},
        )
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "30")
    assert answer.json()["code"] == "unavailable"


@pytest.mark.parametrize("reason", [one for one in REASON if one.id != "full"])
def test_readyz_says_it(stood: World, reason: str) -> None:
    Beat.objects.create(name="tick", at=timezone.now())
    with unwritable(reason) as sentence:
        answer = readyz(RequestFactory().get("/readyz"))
        assert answer.status_code == 503
        assert sentence in answer.content.decode()
    assert readyz(RequestFactory().get("/readyz")).status_code == 200


def test_readyz_says_that_the_disk_is_full(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _path: SimpleNamespace(free=1))
    Beat.objects.create(name="tick", at=timezone.now())
    assert healthcheck.check(timezone.now()).problems == ["The disk is full."]
    assert readyz(RequestFactory().get("/readyz")).status_code == 503


def test_a_fault_of_ours_stays_one(stood: World) -> None:
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE workspace_file RENAME TO gone")
    try:
        address = url(stood.team, "agents_files", stood.agent.pk)
        assert _quiet(stood).get(address).status_code == 500
    finally:
        with connection.cursor() as cursor:
            cursor.execute("ALTER TABLE gone RENAME TO workspace_file")
