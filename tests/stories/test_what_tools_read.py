"""What its owner has spoken against, until the night: programs read a placeholder for it."""

from datetime import UTC, datetime, time, timedelta

import pytest
from django_scopes import scope

from memoryweb.agents.models import Reader
from memoryweb.extraction.extractors import by_model
from memoryweb.memory.conversations import Window
from memoryweb.memory.models import AuthorKind, Conversation, Fact
from memoryweb.memory.models.writer import Writer, write_transaction
from memoryweb.memory.tools import files
from memoryweb.memory.tools.files import Acting, EditRefused
from memoryweb.memory.visible import placeholders
from tests.dreaming.nights import NIGHT, dream, text_of
from tests.fakes import ModelServer
from tests.stories.telling import says
from tests.web.pages import url
from tests.world import World, signed_in

OLD, NEW, OTHER = "I live in Hamburg.", "I moved to Berlin.", "I speak Danish."
NEXT = NIGHT + timedelta(days=1)
NEXT_MORNING = datetime.combine(NEXT, time(9, 30), UTC)
TOOL = Writer(AuthorKind.AGENT, is_tool=True)


@pytest.fixture
def moved(world: World) -> World:
    """Bob moved, and no dream has written it yet."""
    says(world, "first", OLD, OTHER, day=NIGHT - timedelta(days=2), owner=world.bobs_memory)
    dream(world, world.bobs_memory, NIGHT)
    says(world, "second", NEW, day=NEXT, owner=world.bobs_memory)
    return world


def _acting(world: World) -> Acting:
    return Acting(Reader(world.agent, world.bobs_memory), NEXT_MORNING)


def _read(world: World) -> str:
    return files.read_file(_acting(world), "PROFILE.md")[1]


def test_a_tool_reads_a_placeholder_and_a_person_the_line_with_why(moved: World) -> None:
    text = _read(moved)
    assert "Hamburg" not in text
    assert OTHER in text
    assert len(placeholders.numbers_in(text)) == 1
    fact = Fact.objects.get(raw_text=OLD)
    page = signed_in(moved.bob).get(
        url(moved.team, "agents_file", moved.agent.pk, "PROFILE.md", query="?owner=me")
    )
    told = page.content.decode()
    assert "I live in Hamburg" in told
    assert "outdated: the person it is about said otherwise" in told
    assert str(fact.pk) in told


@pytest.mark.parametrize("shown", ["{text}- Milk is out.\n", "# Profile\n\n- Milk is out.\n"])
def test_what_a_tool_writes_keeps_the_line_for_the_dream(moved: World, shown: str) -> None:
    """Whether its placeholder is written back or not."""
    text = shown.format(text=_read(moved))
    with write_transaction(moved.team) as tx:
        files.write_file(tx, _acting(moved), "PROFILE.md", text, writer=TOOL)
    kept = text_of(moved, moved.bobs_memory)
    assert kept.count(OLD) == 1
    assert "Milk is out." in kept
    assert "Hamburg" not in _read(moved)
    dream(moved, moved.bobs_memory, NEXT)
    after = text_of(moved, moved.bobs_memory)
    assert "I live in Hamburg" not in after
    assert NEW in after


def test_a_tool_edits_around_it(moved: World) -> None:
    with write_transaction(moved.team) as tx, pytest.raises(EditRefused):
        files.edit_file(tx, _acting(moved), "PROFILE.md", OLD, "I live in Rome.", writer=TOOL)
    with write_transaction(moved.team) as tx:
        files.edit_file(tx, _acting(moved), "PROFILE.md", "Danish", "Dutch", writer=TOOL)
    text = text_of(moved, moved.bobs_memory)
    assert OLD in text
    assert "Dutch" in text


def test_a_text_without_anything_keeps_it(moved: World) -> None:
    with write_transaction(moved.team) as tx:
        files.write_file(tx, _acting(moved), "PROFILE.md", "", writer=TOOL)
    assert OLD in text_of(moved, moved.bobs_memory)


def test_an_extraction_by_a_model_is_not_given_it(moved: World, model_server: ModelServer) -> None:
    model_server.answer({"should_update": False, "reason": "Nothing."})
    talk = Conversation.objects.get(external_id="second")
    with scope(team=moved.team):
        by_model([(talk, Window.of(1, 1, list(talk.messages.all())))], NEXT_MORNING)
    profile = model_server.requests[-1].data["profile"]
    assert "Hamburg" not in profile
    assert OTHER in profile
