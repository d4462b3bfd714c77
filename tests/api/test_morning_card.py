"""What the last dream did, offered to an agent once a day and kept as seen per person."""

from datetime import timedelta

import pytest
from django.utils import timezone

from tests.api.callers import Callers
from tests.dreaming.nights import dream
from tests.stories.telling import edits, says
from tests.web.pages import text, url
from tests.world import World, signed_in

CELLO = "My brother Tom plays the cello."


@pytest.fixture(autouse=True)
def _said(world: World) -> None:
    day = timezone.now().date() - timedelta(days=1)
    says(world, "talk", CELLO, day=day, owner=world.bobs_memory)
    dream(world, world.bobs_memory, day)


def _card(world: World, callers: Callers, who: str = "member", owner: str = "me") -> list[str]:
    path = f"/memory/{world.agent.pk}/dream/morning-card?owner={owner}"
    return [one["text"] for one in getattr(callers, who).get(path).json()["items"] if one["new"]]


def _offered(world: World, callers: Callers, talk: str | None) -> object:
    body = {"message": "Good morning!"} | ({"conversationId": talk} if talk else {})
    answer = callers.member.post(f"/agents/{world.agent.pk}/context", body).json()
    return [one["text"] for one in answer["morning"]["items"]] if answer["morning"] else None


def test_the_card_tells_what_the_last_dream_did_to_ones_own_memory_alone(
    world: World, callers: Callers
) -> None:
    assert _card(world, callers) == [CELLO]
    assert _card(world, callers, "admin") == []
    assert _card(world, callers, owner="shared") == []


def test_it_is_offered_in_the_first_conversation_of_the_day(world: World, callers: Callers) -> None:
    assert _offered(world, callers, None) is None
    assert _offered(world, callers, "c-2") is None  # a prompt was served today


def test_what_was_seen_is_offered_no_more(world: World, callers: Callers) -> None:
    path = f"/memory/{world.agent.pk}/dream/morning-card/seen"
    assert callers.member.post(path, {}).status_code == 200
    assert _card(world, callers) == []
    assert _offered(world, callers, "c-1") is None


def test_who_read_the_first_page_was_told(world: World, callers: Callers) -> None:
    assert CELLO in text(signed_in(world.bob).get(url(world.team, "last_night")))
    assert _card(world, callers) == []


def test_an_agent_offers_it_once(world: World, callers: Callers) -> None:
    assert _offered(world, callers, "c-1") == [CELLO]
    assert _offered(world, callers, "c-1") is None
    assert _card(world, callers) == [CELLO]


def test_what_was_replaced_since_is_told_no_more(world: World, callers: Callers) -> None:
    today = timezone.now().date()
    says(world, "later", f"{CELLO} I live in Oslo.", day=today, owner=world.bobs_memory)
    dream(world, world.bobs_memory, today)
    assert "I live in Oslo." in " ".join(_card(world, callers))
    edits(world, "PROFILE.md", "I live in Oslo.", "I live in Bergen.", owner=world.bobs_memory)
    assert "Oslo" not in " ".join(_card(world, callers))
    assert "Oslo" not in str(_offered(world, callers, "c-1"))


def test_what_was_deleted_or_spoken_against_since_is_told_no_more(
    world: World, callers: Callers
) -> None:
    _writes(world, callers, f"- {CELLO}\n", "")
    assert _card(world, callers) == []
    assert _offered(world, callers, "c-1") is None


def _writes(world: World, callers: Callers, old: str, new: str) -> None:
    edits(world, "MEMORY.md", old, new, owner=world.bobs_memory)
