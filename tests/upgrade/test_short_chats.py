"""Chats that were skipped for being short are read after the upgrade."""

from importlib import import_module

import pytest
from django.apps import apps
from django.utils import timezone

from memoryweb.extraction import requests
from memoryweb.memory.models import Conversation
from memoryweb.runs import engine
from memoryweb.runs.models import Run
from tests.clock import Clock
from tests.extraction.answering import NOTE
from tests.extraction.talking import bullets, talk, text_of
from tests.world import World

pytestmark = pytest.mark.django_db
waiting = import_module("memoryweb.memory.migrations.0008_short_chats_wait")
SAID = [("user", "My sister Carla plays the cello.")]


def skipped(world: World, reason: str, conversation: str) -> None:
    made = talk(world, SAID, conversation=conversation)
    Conversation.objects.filter(pk=made.pk).update(waiting=False, skipped=reason)


@pytest.mark.parametrize("reason", ["too_few_messages", "last_message_too_short"])
def test_they_are_asked_for_by_the_next_tick(
    world: World, monkeypatch: pytest.MonkeyPatch, reason: str
) -> None:
    skipped(world, reason, "c")
    waiting.wait(apps, None)
    clock = Clock(timezone.now(), monkeypatch)
    requests.ask_again(clock.now)
    assert [run.status for run in engine.run_pending()] == ["succeeded"]
    assert bullets(text_of(world, NOTE)) == [f"- 12:00 {SAID[0][1]}"]


def test_what_was_skipped_for_another_reason_stays_so(world: World) -> None:
    skipped(world, "auto_summarize_off", "c")
    waiting.wait(apps, None)
    assert Conversation.objects.get().skipped == "auto_summarize_off"
    assert not Conversation.objects.get().waiting
    requests.ask_again(timezone.now())
    assert not Run.objects.exists()
