"""What somebody corrects on the pages holds the next nights, and the diary says what stayed out;
what they say has changed counts at once."""

from datetime import date, timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from memoryweb.memory.models import Conversation, Fact, File
from tests.api.client import Api
from tests.dreaming.nights import dream, text_of
from tests.extraction.talking import extract
from tests.fakes import ModelServer
from tests.stories.telling import says
from tests.web.pages import tight, url
from tests.world import World, personal_token, signed_in

BIRTHDAY, CELLO, TEA = (
    "My daughter Elin's birthday is on 9 March.",
    "My brother Tom plays the cello.",
    "I prefer tea in the morning.",
)
TALK = (
    "We live in Hamburg.",
    "My sister Carla is a nurse.",
    "I work at Acme.",
    "My favourite colour is green.",
)


def _day(days: int) -> date:
    return timezone.now().date() + timedelta(days=days)


def _memory(world: World) -> File:
    return File.objects.get(owner=world.bobs_memory, path="MEMORY.md")


def _saves(world: World, client: Client, content: str) -> None:
    address = url(world.team, "agents_edit", world.agent.pk, "MEMORY.md", query="?owner=me")
    sent = {"content": content, "sha256": _memory(world).sha256}
    assert client.post(address, sent).status_code == 302


def _rewords(world: World, client: Client, old: str, new: str) -> None:
    fact = Fact.objects.get(file=_memory(world), raw_text=old)
    address = url(world.team, "mine_fact_edit", fact.pk)
    assert client.post(address, {"text": new}).status_code == 302


@pytest.mark.parametrize("by", ["rules", "a model"])
def test_what_a_person_changed_deleted_and_reworded_holds(
    world: World, model_server: ModelServer, settings: Any, by: str
) -> None:
    model_server.obey()
    if by == "rules":
        settings.MODEL_PROVIDER = ""
    owner, bob = world.bobs_memory, signed_in(world.bob)
    says(world, "talk", BIRTHDAY, CELLO, TEA, day=_day(-1), owner=owner)
    dream(world, owner, _day(-1))
    before = text_of(world, owner)
    assert all(one in before for one in (BIRTHDAY, CELLO, TEA))

    _saves(world, bob, before.replace("on 9 March", "on 19 March"))
    _saves(world, bob, _memory(world).raw_content.replace(f"- {CELLO}\n", ""))
    _rewords(world, bob, TEA, "I prefer coffee in the morning.")
    wanted = text_of(world, owner)
    for night in (1, 2):
        dream(world, owner, _day(night))
        assert text_of(world, owner) == wanted
        diary = text_of(world, owner, "DREAMS.md").split("\n## ")[1]
        for stayed_out in (BIRTHDAY, CELLO, TEA):
            line = next(one for one in diary.split("\n") if stayed_out.rstrip(".") in one)
            assert "took it back" in line


@pytest.mark.parametrize("beside", [TALK[1:], ()], ids=["among others", "alone"])
def test_what_is_said_to_have_changed_counts_at_once_and_both_values_are_shown(
    world: World, beside: tuple[str, ...]
) -> None:
    """However little else was said with it."""
    owner, api = world.bobs_memory, Api(personal_token(world.team, world.bob))
    base = f"/agents/{world.agent.pk}"

    def say(name: str, *texts: str, day: int) -> None:
        at = f"{_day(day)}T09:00:00Z"
        said = [{"role": "user", "content": one, "timestamp": at} for one in texts]
        body = {"owner": "me", "messages": said}
        assert api.post(f"{base}/conversations/{name}/messages", body).status_code in {200, 201}

    def served() -> str:
        answer = api.post(f"{base}/context", {"owner": "me", "message": "Good morning"})
        assert answer.status_code == 200
        return str(answer.json())

    say("old", *TALK, day=-9)
    extract(world, Conversation.objects.get(external_id="old"))
    dream(world, owner, _day(-9))
    assert "Hamburg" in served()
    say("new", "We moved to Berlin.", *beside, day=-4)
    assert "Hamburg" not in served()
    assert "nurse" in served()
    extract(world, Conversation.objects.get(external_id="new"))
    dream(world, owner, _day(-4))
    assert "Berlin" in served()
    assert "Hamburg" not in served()
    fact = Fact.objects.living().get(raw_text__contains="Berlin")
    page = url(world.team, "agents_fact", world.agent.pk, fact.pk, query="?owner=me")
    shown = tight(signed_in(world.bob).get(page))
    for value, day in (("Berlin", -4), ("Hamburg", -9)):
        assert value in shown
        assert f"{_day(day).day} {_day(day):%b} →" in shown
