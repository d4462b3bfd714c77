"""What a person says on the first page about what was learned holds through the next nights, and
can be undone where it was said."""

import re
from datetime import date, timedelta

import pytest
from django.test import Client
from django.utils import timezone

from memoryweb.memory.models import Fact
from tests.dreaming.nights import dream, text_of
from tests.stories.telling import says
from tests.web.pages import tight, url
from tests.world import World, signed_in

CELLO = "My brother Tom plays the cello."
NURSE = "My sister Carla is a nurse."


def _day(days: int) -> date:
    return timezone.now().date() + timedelta(days=days)


@pytest.fixture
def bob(world: World) -> Client:
    says(world, "talk", CELLO, NURSE, day=_day(-1), owner=world.bobs_memory)
    dream(world, world.bobs_memory, _day(-1))
    return signed_in(world.bob)


def _row(world: World, client: Client, sentence: str) -> str:
    page = tight(client.get(url(world.team, "last_night")))
    rows = re.findall(r'<li class="[^"]*" id="said-.*?</li>', page)
    [row] = [one for one in rows if sentence in one]
    return str(row)


def _presses(world: World, client: Client, act: str, sentence: str) -> str:
    """The row as it stands after that; only what it offers can be pressed."""
    row = _row(world, client, sentence)
    [address] = re.findall(rf'hx-post="([^"]*/{act}/?(?:\?[^"]*)?)"', row)
    here = url(world.team, "last_night")
    answer = client.post(address.replace("&amp;", "&"), {"next": here})
    assert answer.headers["Location"] == here
    return _row(world, client, sentence)


def test_a_confirmed_sentence_is_there_after_the_next_dream(world: World, bob: Client) -> None:
    assert "confirmed by you" in _presses(world, bob, "confirm", CELLO)
    says(world, "later", CELLO, "I work at Acme.", day=_day(0), owner=world.bobs_memory)
    dream(world, world.bobs_memory, _day(0))
    assert CELLO in text_of(world, world.bobs_memory)
    assert Fact.objects.get(raw_text=CELLO).confirmed_at


def test_what_is_not_true_stays_away_until_that_is_undone(world: World, bob: Client) -> None:
    assert "Marked as not true" in _presses(world, bob, "not-true", NURSE)
    for night in (0, 1):
        dream(world, world.bobs_memory, _day(night))
        assert NURSE not in text_of(world, world.bobs_memory)
    assert CELLO in text_of(world, world.bobs_memory)


def test_undo_stands_where_it_was_said(world: World, bob: Client) -> None:
    _presses(world, bob, "not-true", NURSE)
    assert "Marked as not true" not in _presses(world, bob, "restore", NURSE)
    assert NURSE in text_of(world, world.bobs_memory)
    dream(world, world.bobs_memory, _day(0))
    assert NURSE in text_of(world, world.bobs_memory)
