"""What a team's programs may use, and what is never refused."""

from datetime import UTC
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone
from django.utils.html import strip_tags
from django_scopes import scopes_disabled

from memoryweb.accounts.models import Team
from memoryweb.api import mem0
from memoryweb.api.mcp.tools import TOOLS
from memoryweb.api.quotas import _ASKS, _STORES
from memoryweb.api.urls import api
from memoryweb.audit.models import Event
from memoryweb.llm.models import Usage
from memoryweb.memory.forgetting import retention
from memoryweb.memory.models import Conversation, Fact, ForgetRequest, Message, Target
from memoryweb.runs import counting
from tests.api.callers import Callers
from tests.clock import Clock
from tests.commands.calling import run
from tests.forgetting.asking import lived
from tests.mcp.client import Mcp
from tests.mem0.client import Mem0
from tests.world import World, signed_in

pytestmark = pytest.mark.django_db
SAY = {"role": "user", "content": "I like the sea."}
WISH = {"role": "user", "content": "Please forget my weight."}


@pytest.fixture(autouse=True)
def _nothing_counted() -> None:
    for kept in (counting._counts, counting._fresh, counting._calls):
        kept.clear()


def limit(world: World, **quotas: int) -> None:
    Team.objects.filter(pk=world.team.pk).update(**quotas)


def send(world: World, callers: Callers, *messages: dict[str, str], **headers: str) -> Any:
    path = f"/agents/{world.agent.pk}/conversations/c-9/messages"
    body = {"endUserId": "customer-1", "messages": messages}
    return callers.helpdesk.post(path, body, **headers)


def test_the_names_are_of_operations_tools_and_methods() -> None:
    views = {
        operation.view_func.__name__
        for _prefix, router in api._routers
        for view in router.path_operations.values()
        for operation in view.operations
    }
    acts = {f"mem0_{act.__name__}" for *_route, act in mem0.ROUTES}
    assert (_ASKS | _STORES) - views - acts - set(TOOLS) == {"prompts/get"}
    # A new one is decided here: these forget.
    assert set(TOOLS) - _ASKS - _STORES == {"entry_remove", "forget", "forget_structured"}


@pytest.mark.parametrize("quota", ["requests_minute", "requests_day"])
def test_more_calls_than_allowed_are_told_when_to_come_again(
    world: World, callers: Callers, quota: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    Clock(timezone.now().replace(second=1), monkeypatch)
    limit(world, **{quota: 2})
    assert [send(world, callers, SAY).status_code for _n in range(2)] == [200, 200]
    refused = send(world, callers, SAY)
    said = refused.json()
    assert (refused.status_code, said["code"]) == (429, "quota_requests")
    assert 1 <= int(refused["Retry-After"]) <= (60 if quota == "requests_minute" else 86_400)
    assert said["page"] == f"/t/{world.team.slug}/settings/model/"
    assert said["page"] in said["detail"]
    question = {"endUserId": "customer-1", "message": "What do I like?"}
    assert callers.helpdesk.post(f"/agents/{world.agent.pk}/context", question).status_code == 429
    assert callers.foreign_helpdesk.get("/agents").status_code == 200


def test_reading_correcting_forgetting_and_taking_along_go_on(
    world: World, callers: Callers, path: str, memory: str
) -> None:
    fact = lived(world, world.bobs_memory)
    limit(world, requests_day=1, stored_mb=1, stored_bytes=2_000_000)
    assert send(world, callers, SAY).status_code == 429
    mine = callers.member
    for answer in (
        mine.get(f"{path}/workspace/files/MEMORY.md?owner=me"),
        mine.get(f"{path}/workspace/search?q=weight&owner=me"),
        mine.get(f"{path}/workspace/memory/export?owner=me"),
        mine.post(f"{memory}/facts/{fact.pk}/edit", {"text": "I weigh 63 kilos."}),
        mine.post(f"{path}/tools/forget", {"text": "my weight"}),
        mine.put(f"{path}/workspace/files/notes.md", {"content": "Mine."}, if_none_match="*"),
    ):
        assert answer.status_code in {200, 201}, answer.content


@pytest.mark.databases
def test_what_the_owner_asks_in_a_refused_batch_is_heard(world: World, callers: Callers) -> None:
    fact = lived(world, world.customer)
    limit(world, stored_mb=1, stored_bytes=1_000_000)
    before = Conversation.objects.count()
    assert send(world, callers, SAY).json()["code"] == "quota_stored"
    assert Conversation.objects.count() == before
    assert send(world, callers, SAY, WISH, Idempotency_Key="one").status_code == 429
    assert hidden(fact)
    assert not Message.objects.filter(conversation__external_id="c-9").exists()
    [event] = Event.objects.filter(action="conversation.received", reason_code="quota")
    assert event.outcome == "skipped"


def test_other_doors_are_refused_and_hear_too(world: World, callers: Callers) -> None:
    fact = lived(world, world.customer)
    limit(world, stored_mb=1, stored_bytes=1_000_000)
    token = callers.helpdesk.token
    client = Mem0(token, str(world.agent.pk))
    said = {"messages": [WISH], "user_id": "customer-1"}
    assert client("POST", "/v3/memories/add/", said, status=429)["code"] == "quota_stored"
    assert hidden(fact)
    client("GET", "/memories?user_id=customer-1")


def test_a_quota_costs_no_statement(world: World, callers: Callers) -> None:
    send(world, callers, SAY)
    with CaptureQueriesContext(connection) as free:
        send(world, callers, SAY)
    limit(world, requests_day=100, requests_minute=100, stored_mb=100)
    with CaptureQueriesContext(connection) as limited:
        send(world, callers, SAY)
    assert len(limited) == len(free)


@pytest.mark.databases
def test_processes_count_together(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    Clock(timezone.now().replace(second=1), monkeypatch)
    team = world.team.pk
    assert [counting.call(team, 9, 9) for _n in range(3)] == [0, 0, 0]
    counting.write()
    counting.write()
    elsewhere = Usage.objects.filter(team_id=team)
    assert elsewhere.get().requests == 3
    elsewhere.update(requests=8)
    assert counting.call(team, 9, 9) == 0
    counting.write()
    assert (counting._calls[team].today, counting._calls[team].others) == (9, 5)
    assert counting.call(team, 9, None) > 0
    assert counting.call(team, None, 9) > 60


def test_a_process_that_starts_at_noon_takes_no_calls_of_the_morning_for_the_minutes(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    Clock(timezone.now().replace(second=1), monkeypatch)
    team, today = world.team.pk, timezone.now().astimezone(UTC).date()
    Usage.objects.create(team_id=team, day=today, requests=500)
    assert counting.call(team, 9, 600) == 0
    counting.write()
    assert counting.call(team, 9, 600) == 0
    assert counting.call(team, 9, 501) > 60


@pytest.mark.databases
def test_what_is_stored_is_measured_in_bytes(world: World, callers: Callers) -> None:
    send(world, callers, {"role": "user", "content": "海が好きです。"})
    limit(world, stored_mb=1)
    late = timezone.now().replace(minute=17)  # no tick came at the full hour
    retention.measure(late)
    team = Team.objects.get(pk=world.team.pk)
    with scopes_disabled():
        texts = list(Message.objects.filter(team=team).values_list("raw_content", flat=True))
    assert team.stored_bytes is not None
    assert team.stored_bytes >= sum(len(text.encode()) for text in texts) > 0
    assert not team.is_full


def test_the_operator_sets_them(world: World) -> None:
    slug = world.team.slug
    said = run("set_quotas", "--team", slug, "--requests-day", "7", "--tokens-day", "9", "--json")
    assert said.json["quotas"]["requests_day"] == 7
    world.team.refresh_from_db()
    assert (world.team.token_budget, world.team.requests_day) == (9, 7)
    run("set_quotas", "--team", slug, "--requests-day", "0")
    world.team.refresh_from_db()
    assert (world.team.requests_day, world.team.tokens_day) == (None, 9)
    assert "above 0" in run("set_quotas", "--team", slug, "--stored-mb=-1").failure


def hidden(fact: Fact) -> bool:
    return Target.objects.filter(fact=fact, is_hidden=True).exists()


def test_a_refused_chat_hears_too(world: World, callers: Callers) -> None:
    fact = lived(world, world.customer)
    limit(world, stored_mb=1, stored_bytes=1_000_000)
    said = {"agentId": str(world.agent.pk), "endUserId": "customer-1", "message": WISH["content"]}
    assert callers.helpdesk.post("/chat", said).status_code == 429
    assert hidden(fact)


def test_a_refused_completion_hears_too(world: World, callers: Callers) -> None:
    fact = lived(world, world.customer)
    limit(world, stored_mb=1, stored_bytes=1_000_000)
    said = {"user": "customer-1", "messages": [{"role": "user", "content": WISH["content"]}]}
    named = {"X-Agent": str(world.agent.pk)}
    assert callers.helpdesk.post("/chat/completions", said, **named).status_code == 429
    assert hidden(fact)


def test_mcp_refuses_what_works_for_an_agent_and_lets_forget(
    world: World, callers: Callers
) -> None:
    fact = lived(world, world.customer)
    limit(world, requests_day=1)
    send(world, callers, SAY)
    client = Mcp(callers.helpdesk.token).as_host(agent=str(world.agent.pk), owner="api:customer-1")

    def called(name: str, **arguments: str) -> int:
        params = {"name": name, "arguments": arguments}
        sent = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        status: int = client.send(sent).status_code
        return status

    assert called("memory_search", query="weight") == 429
    assert called("forget", text="my weight") == 200
    assert hidden(fact)


def test_a_batch_that_is_sent_again_is_heard_once(world: World, callers: Callers) -> None:
    fact = lived(world, world.customer)
    limit(world, stored_mb=1, stored_bytes=1_000_000)
    for _n in range(3):
        assert send(world, callers, SAY, WISH).status_code == 429
    assert hidden(fact)
    assert ForgetRequest.objects.count() == 1
    limit(world, stored_bytes=0)
    assert send(world, callers, SAY, WISH).json()["added"] == 2
    assert ForgetRequest.objects.count() == 1


def test_a_page_takes_no_import_for_a_team_that_is_full(world: World) -> None:
    limit(world, stored_mb=1, stored_bytes=1_000_000)
    address = reverse("web:agents_snapshot_upload", args=[world.team.slug, world.agent.pk])
    sent = {"file": SimpleUploadedFile("m.zip", b"none"), "owner": "shared"}
    page = signed_in(world.alice).post(address, sent)
    assert page.status_code == 422
    assert "Erase something first" in page.content.decode()


def test_a_page_of_the_team_tells(world: World) -> None:
    limit(world, requests_day=12_000, stored_mb=5, stored_bytes=2_500_000)
    counting.call(world.team.pk, None, None)
    counting.write()
    page = signed_in(world.audrey).get(reverse("web:settings_model", args=[world.team.slug]))
    said = " ".join(strip_tags(page.content.decode()).split())
    assert "Calls today 1 of at most 12,000 Calls a minute no limit" in said
    assert "Stored, in MB 2.5 of at most 5" in said
