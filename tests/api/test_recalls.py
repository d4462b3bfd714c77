"""What is found again and again in conversations comes into memory."""

from datetime import timedelta
from typing import Any

import pytest
from django.db.models import F
from django.utils import timezone

from memoryweb.dreaming.models import Candidate
from memoryweb.memory.models import Conversation, File, RecallEvent
from tests.api.callers import Callers
from tests.api.test_context import CANOE, talk
from tests.dreaming.nights import dream, memory, note, text_of
from tests.world import World

OWNER = {"endUserId": "customer-1"}
WHICH = "What colour has the canoe?"


def _said(world: World) -> File:
    memory(world, world.customer, "# Memory\n")
    # Notes of today and yesterday stand in each prompt.
    day = timezone.now().date() - timedelta(days=3)
    return note(world, world.customer, day, CANOE, durable=False)


def _prompt(callers: Callers, path: str, message: str = WHICH) -> Any:
    body = {**OWNER, "message": message, "conversationId": "c-1"}
    return callers.helpdesk.post(f"{path}/context", body).json()


def _tool(callers: Callers, path: str, query: str) -> None:
    body = {"query": query, "conversationId": "c-1", **OWNER}
    assert callers.helpdesk.post(f"{path}/tools/memory_search", body).json()["count"] == 1


def _search(callers: Callers, path: str, query: str) -> None:
    asked = f"q={query}&owner=api:helpdesk/customer-1&conversationId=c-1"
    assert callers.helpdesk.get(f"{path}/workspace/search?{asked}").json()["total"] == 1


def test_a_line_recalled_three_times_by_two_queries_enters_memory(
    world: World, callers: Callers, path: str
) -> None:
    _said(world)
    talk(world, world.customer)
    Conversation.objects.update(extracted_upto=F("message_count"))
    _tool(callers, path, "canoe")
    _search(callers, path, "red")
    assert dream(world, world.customer, timezone.now().date()).reason == "nothing_promoted"
    _prompt(callers, path)
    assert set(RecallEvent.objects.values_list("via", flat=True)) == {"tool", "search", "prefetch"}
    tomorrow = timezone.now().date() + timedelta(days=1)
    assert dream(world, world.customer, tomorrow).status == "succeeded"
    assert "Her canoe is red." in text_of(world, world.customer)
    grounds = [gate for gate in Candidate.objects.get().gates if gate["name"] == "grounds"]
    assert grounds[0]["passed"]


def test_what_the_prompt_brought_is_no_recall_when_it_is_found_there_again(
    world: World, callers: Callers, path: str
) -> None:
    _said(world)
    talk(world, world.customer)
    assert len(_prompt(callers, path)["hits"]) == 1
    _tool(callers, path, "canoe")
    _search(callers, path, "canoe")
    assert list(RecallEvent.objects.values_list("via", flat=True)) == ["prefetch"]


def test_a_note_that_every_prompt_holds_is_never_recalled(
    world: World, callers: Callers, path: str
) -> None:
    file = _said(world)
    File.objects.filter(pk=file.pk).update(enabled=True)
    talk(world, world.customer)
    assert _prompt(callers, path)["hits"] == []
    _tool(callers, path, "canoe")
    _search(callers, path, "canoe")
    assert not RecallEvent.objects.exists()


def test_what_the_next_prompt_no_longer_holds_is_recalled_again(
    world: World, callers: Callers, path: str
) -> None:
    _said(world)
    talk(world, world.customer)
    _prompt(callers, path)
    _prompt(callers, path, "Hm?")
    _tool(callers, path, "canoe")
    assert RecallEvent.objects.filter(via="tool").count() == 1


@pytest.mark.parametrize("source", ["cron", "dream"])
def test_what_runs_by_itself_recalls_nothing_by_any_way(
    world: World, callers: Callers, path: str, source: str
) -> None:
    _said(world)
    talk(world, world.customer, source)
    _tool(callers, path, "canoe")
    _search(callers, path, "canoe")
    _prompt(callers, path)
    assert not RecallEvent.objects.exists()
