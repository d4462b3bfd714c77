"""`/metrics`, as Prometheus' own parser reads it."""

from datetime import timedelta

import pytest
from django.db import DatabaseError, connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families as parsed
from pytest_django import Settings

from memoryweb.llm import usage
from memoryweb.memory.models import ForgetRequest
from memoryweb.runs import counting
from memoryweb.runs.models import Beat
from tests.api.callers import callers_of
from tests.runs.desk import Desk, ago, change
from tests.world import World

pytestmark = pytest.mark.databases
TOKEN = "a-token-of-prometheus"


@pytest.fixture
def scrape(settings: Settings) -> Client:
    settings.METRICS_TOKEN = TOKEN
    counting._counts.clear()
    return Client(headers={"Authorization": f"Bearer {TOKEN}"})


def told(client: Client) -> dict[tuple[str, ...], float]:
    answer = client.get("/metrics", headers={"Host": "10.0.0.7"})
    assert answer.status_code == 200
    assert answer["Content-Type"].startswith("text/plain; version=0.0.4")
    samples = (one for family in parsed(answer.content.decode()) for one in family.samples)
    return {(one.name, *one.labels.values()): one.value for one in samples}


def test_it_opens_by_its_own_token_alone(world: World, settings: Settings) -> None:
    assert Client().get("/metrics").status_code == 404
    settings.METRICS_TOKEN = TOKEN
    for given in ("", "Bearer ", f"Bearer {callers_of(world).admin.token}", f"Bearer {TOKEN}x"):
        assert Client().get("/metrics", headers={"Authorization": given}).status_code == 401
    assert Client().post("/metrics").status_code == 405


def test_runs_queue_and_what_is_due_are_told(desk: Desk, scrape: Client) -> None:
    change(desk.ask(due_at=ago(hours=1)), due_at=ago(seconds=90))
    old = desk.ask(desk.new_owner("M1"))
    change(old, status="failed", due_at=None, finished_at=ago(days=2))
    new = desk.ask(desk.new_owner("M2"))
    change(new, status="failed", due_at=None, finished_at=ago(hours=2))
    Beat.objects.create(name="checkpoint", at=ago(minutes=30))
    type(desk.agent).objects.filter(pk=desk.agent.pk).update(next_dream_at=ago(hours=3))
    ForgetRequest.objects.create(
        team=desk.team, agent=desk.agent, via="api", state="hidden", erase_at=ago(minutes=5)
    )
    found = told(scrape)
    assert found["memoryweb_runs", "dream", "queued"] == 1
    assert found["memoryweb_runs", "dream", "failed"] == 1
    assert found["memoryweb_erasures_due",] == 1
    for name, least in (
        ("queue", 90),
        ("dream", 10_800),
        ("erasure", 300),
        ("checkpoint", 1800),
    ):
        assert least <= found["memoryweb_age_seconds", name] < least + 60


def test_what_processes_counted_is_told(world: World, scrape: Client) -> None:
    callers, path = callers_of(world), f"/agents/{world.agent.pk}"
    callers.helpdesk.post(f"{path}/context", {"endUserId": "c-1", "message": "How are you?"})
    callers.helpdesk.post(f"{path}/context", {"endUserId": "c-1"})
    Client().generic("BREW", "/accounts/login/")
    with usage.reserved(world.team.pk, 80) as spent:
        spent.tokens_in, spent.tokens_out = 70, 6
    before = told(scrape)
    assert not [key for key in before if key[0].startswith("memoryweb_request_seconds")]
    counting.write()
    counting.write()
    found = told(scrape)
    route = next(key[2] for key in found if "context" in "".join(key))
    assert route == "/api/v1/agents/<agent_id>/context"
    assert found["memoryweb_request_seconds_count", "POST", route, "2xx"] == 1
    assert found["memoryweb_request_seconds_count", "POST", route, "4xx"] == 1
    assert found["memoryweb_request_seconds_sum", "POST", route, "2xx"] > 0
    assert found["memoryweb_request_seconds_count", "OTHER", "/", "4xx"] == 1
    assert found["memoryweb_prompts_total", "silent"] == 1
    assert found["memoryweb_model_tokens_total", "in"] == 70
    assert found["memoryweb_age_seconds", "audit_head"] < timedelta(days=4000).total_seconds()


def test_it_names_nobody_and_takes_few_statements(world: World, scrape: Client) -> None:
    Client().get(f"/t/{world.team.slug}/")
    counting.write()
    with CaptureQueriesContext(connection) as counted:
        text = scrape.get("/metrics").content.decode()
    assert len(counted) <= 10
    for name in (world.team.slug, world.team.name, str(world.team.pk), world.agent.name, "alice"):
        assert name not in text


def test_what_can_not_be_written_is_kept(
    world: World, scrape: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    counting.count("prompts", "carried")
    counting.call(world.team.pk, None, None)
    with monkeypatch.context() as patch:
        patch.setattr(counting, "_save", _fail)
        counting.write()
    counting.write()
    assert told(scrape)["memoryweb_prompts_total", "carried"] == 1
    assert usage.on_day(timezone.now().date(), [world.team.pk]) == {world.team.pk: (1, 0)}


def _fail(_counts: object) -> None:
    raise DatabaseError
