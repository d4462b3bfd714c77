"""Messages without times, from the future, sent again without ids, or in the wrong order: what was
corrected stays corrected, and what is newer stays."""

from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

import pytest
from django.utils import timezone

from memoryweb.memory.models import Conversation, Fact
from tests.dreaming.nights import dream, text_of
from tests.fakes import ModelServer
from tests.soaking import first_in_gate
from tests.stories.telling import edits, prompt, says
from tests.world import World

OLD, NEW = "We live in Hamburg.", "We live in Berlin."
IMPORT = Conversation.Source.IMPORT


def _day(days: int) -> date:
    """So many days from today: what a person writes in a test is written today."""
    return timezone.now().date() + timedelta(days=days)


def _at(days: int) -> datetime:
    return datetime.combine(_day(days), time(9), UTC)


def _says(world: World, name: str, text: str, **more: Any) -> Conversation:
    return says(world, name, text, owner=world.bobs_memory, **more)


WAYS: dict[str, Callable[[World], object]] = {
    "imported without times": lambda w: _says(
        w, "import", OLD, day=_day(0), is_timed=False, source=IMPORT
    ),
    "imported with their times": lambda w: _says(
        w, "import", OLD, day=_day(0), said=_at(-3), source=IMPORT
    ),
    "sent again without ids": lambda w: _says(w, "talk", OLD, day=_day(0), said=_at(-5)),
    "sent again without ids and times": lambda w: _says(
        w, "talk", OLD, day=_day(0), is_timed=False
    ),
    "sent late": lambda w: _says(w, "late", "I live in Hamburg.", day=_day(0), said=_at(-2)),
    "the oldest last": lambda w: [
        _says(w, f"old {days}", OLD, day=_day(0), said=_at(-days)) for days in (2, 3, 4)
    ],
}


@pytest.fixture(params=first_in_gate(1, ["rules", "a model"]), autouse=True)
def _by(request: pytest.FixtureRequest, model_server: ModelServer, settings: Any) -> None:
    model_server.obey()
    if request.param == "rules":
        settings.MODEL_PROVIDER = ""


def _remembers(world: World, night: int) -> list[str]:
    """The lines about the home after a dream."""
    dream(world, world.bobs_memory, _day(night))
    lines = text_of(world, world.bobs_memory).split("\n")
    return [line[2:] for line in lines if "live" in line]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.first_two
def test_what_a_person_corrected_stays_corrected(world: World, way: str) -> None:
    _says(world, "talk", OLD, day=_day(-5))
    assert _remembers(world, -4) == [OLD]
    edits(world, "PROFILE.md", OLD, NEW, owner=world.bobs_memory)
    WAYS[way](world)
    assert NEW in prompt(world, "Hello", owner=world.bobs_memory)
    assert [_remembers(world, night) for night in (1, 2, 3)] == [[NEW]] * 3
    assert NEW in prompt(world, "Hello", owner=world.bobs_memory)
    assert "Hamburg" not in prompt(world, "Hello", owner=world.bobs_memory)
    assert (
        not Fact.objects.living().filter(raw_text__contains="Hamburg", file__isnull=False).exists()
    )


@pytest.mark.parametrize("way", first_in_gate(3, sorted(WAYS)))
@pytest.mark.first_two
def test_what_the_owner_said_later_stays(world: World, way: str) -> None:
    _says(world, "talk", OLD, day=_day(-5))
    assert _remembers(world, -4) == [OLD]
    _says(world, "news", NEW, day=_day(-1))
    assert _remembers(world, -1) == [NEW]
    WAYS[way](world)
    assert NEW in prompt(world, "Hello", owner=world.bobs_memory)
    assert [_remembers(world, night) for night in (1, 2, 3)] == [[NEW]] * 3


def test_a_time_to_come_counts_as_the_time_when_it_was_sent(world: World) -> None:
    """It outranks neither what a person writes after it nor what its owner says after it."""
    _says(world, "talk", OLD, day=_day(0), said=_at(3_650))
    assert _remembers(world, 0) == [OLD]
    edits(world, "PROFILE.md", OLD, NEW, owner=world.bobs_memory)
    assert [_remembers(world, night) for night in (1, 2)] == [[NEW]] * 2
    _says(world, "again", "We moved to Bonn.", day=_day(0), said=timezone.now())
    dream(world, world.bobs_memory, _day(3))
    text = text_of(world, world.bobs_memory)
    assert "Bonn" in text
    assert "Hamburg" not in text
    assert "Berlin" not in text
