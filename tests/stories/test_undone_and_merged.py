"""What a person took back or brought together, and what nights, reverts and imports make of it."""

from datetime import UTC, datetime, timedelta
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import pytest
from django.core.management import call_command
from django.db.models import Q

from memoryweb.agents.models import Agent
from memoryweb.extraction.requests import leave_out
from memoryweb.markdown.merge import brought_together
from memoryweb.memory import my_memory, reverting
from memoryweb.memory.agents import change_agent
from memoryweb.memory.lines.sources import Kind, Source
from memoryweb.memory.models import Conversation, File, Message
from memoryweb.memory.models.writer import Place, write_transaction
from memoryweb.memory.statements import repair
from memoryweb.memory.writing import write
from memoryweb.runs import engine
from tests.dreaming.nights import NIGHT, dream, text_of
from tests.extraction.talking import extract, go_on, talk
from tests.stories.telling import edits, person, prompt, reverts, says
from tests.world import World

PORTO, CARLA = "I moved to Porto yesterday.", "My sister Carla plays the cello."
HAMBURG, BERLIN, NURSE = "We live in Hamburg.", "We moved to Berlin.", "My sister Ines is a nurse."
NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)


@pytest.fixture(autouse=True)
def equal(world: World) -> object:
    """Files and statements say the same in the end."""
    yield
    assert repair.check(world.team).differing == ()


def all_text(world: World) -> str:
    files = File.objects.filter(owner=world.customer, deleted_at=None)
    return "\n".join(files.values_list("raw_content", flat=True))


def nights(world: World, first: int, *more: int) -> None:
    for days in (first, *more):
        dream(world, world.customer, NIGHT + timedelta(days=days))


def exported(world: World, folder: Path) -> Path:
    """Their conversations, as *Export* gives them."""
    parts = b"".join(my_memory.export(world.team, [world.customer], {}))
    with ZipFile(BytesIO(parts)) as archive:
        [name] = [one for one in archive.namelist() if one.endswith("conversations.jsonl")]
        archive.extract(name, folder)
    return folder / name


def test_undone_in_chat_then_dreamt_reverted_and_imported(world: World, tmp_path: Path) -> None:
    said = talk(world, [("user", f"{PORTO} {CARLA}")], at=NOON)
    with write_transaction(world.team) as tx:
        leave_out(tx, said.messages.get(), 0, len(PORTO))
    extract(world, said)
    nights(world, 0)
    assert "Carla" in text_of(world, world.customer)
    assert "Porto" not in all_text(world)
    go_on(world, [("user", "I like green tea best.")], at=NOON + timedelta(days=1))
    said.refresh_from_db()
    extract(world, said)
    nights(world, 1)
    assert "green tea" in text_of(world, world.customer)
    assert "Porto" not in all_text(world)
    archive = exported(world, tmp_path)
    reverts(world, Conversation.objects.get())
    nights(world, 2)
    assert not {"Carla", "Porto", "tea"} & set(all_text(world).replace(".", " ").split())
    where = (f"--agent={world.agent.pk}", f"--owner={world.customer.pk}")
    call_command("import_conversations", f"--team={world.team.slug}", *where, str(archive))
    list(engine.run_pending())
    nights(world, 3)
    assert Message.objects.count() == 2
    assert "Porto" not in all_text(world)
    assert "Porto" not in prompt(world, "Hello")


def _save_merged(world: World) -> None:
    """Alice saves while another person has the file open, whose save brings both together."""
    file = File.objects.get(owner=world.customer, path="MEMORY.md")
    base = file.raw_content
    edits(world, "MEMORY.md", "plays the cello", "plays the viola")
    file.refresh_from_db()
    _theirs, mine = brought_together(
        base, file.raw_content, base.replace(NURSE, "My sister Ines is a doctor.")
    )
    with write_transaction(world.team) as tx:
        write.write(tx, Place(world.agent, world.customer, file.path), mine, writer=person(world))


def test_a_merged_save_then_dreamt_and_reverted(world: World) -> None:
    says(world, "first", CARLA, NURSE, HAMBURG)
    nights(world, 0)
    _save_merged(world)
    second = says(world, "second", BERLIN, CARLA, NURSE, day=NIGHT + timedelta(days=1))
    run = dream(world, world.customer, NIGHT + timedelta(days=1))
    text = text_of(world, world.customer)
    assert "viola" in text
    assert "doctor" in text
    assert BERLIN in text
    with write_transaction(world.team) as tx:
        source = Source(world.agent, Kind.RUN, run.pk)
        reverting.revert(tx, source, Q(), Q(), writer=person(world))
    reverted = text_of(world, world.customer)
    assert "viola" in reverted
    assert "doctor" in reverted
    assert f"- {HAMBURG}\n" in reverted
    assert BERLIN not in reverted
    reverts(world, second)
    nights(world, 2, 3)
    text = text_of(world, world.customer)
    assert ("cello" in text, "nurse" in text) == (False, False)
    assert ("viola" in text, "doctor" in text, HAMBURG in text) == (True, True, True)


def test_an_agent_that_changes_its_language_between_nights(world: World) -> None:
    says(world, "first", HAMBURG, NURSE)
    nights(world, 0)
    for days, language in enumerate(("de", "ja", "en"), 1):
        with write_transaction(world.team) as tx:
            change_agent(tx, Agent.objects.get(pk=world.agent.pk), language=language)
        world.agent.refresh_from_db()
        if days == 1:
            moved = says(world, "second", BERLIN, day=NIGHT + timedelta(days=days))
        nights(world, days)
    text = text_of(world, world.customer)
    assert text.count(NURSE) == text.count(BERLIN) == 1
    assert HAMBURG not in text
    for path in ("PROFILE.md", "MEMORY.md"):
        lines = text_of(world, world.customer, path).split("\n")
        headings = [line for line in lines if line.startswith("#")]
        assert sorted(headings) == sorted(set(headings))
    reverts(world, moved)
    nights(world, 4, 5)
    text = text_of(world, world.customer)
    assert text.count(NURSE) == 1
    assert BERLIN not in text
