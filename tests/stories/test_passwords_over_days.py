"""A likely password comes into a memory by every way over some days, is reverted, forgotten,
dreamt over and imported: not a character of it is ever kept, and nothing else is lost."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from django.apps import apps
from django.conf import settings
from django.db import connection
from django_scopes import scope, scopes_disabled

from memoryweb.audit.models import Event
from memoryweb.memory.forgetting import erasing, requests
from memoryweb.memory.models import AuthorKind, Fact, File, Message
from memoryweb.memory.models.refusals import AssignmentsFound
from memoryweb.memory.models.writer import Memory, Place, Writer, write_transaction
from memoryweb.memory.snapshots import service
from memoryweb.memory.writing import write
from memoryweb.runs import engine
from tests.dreaming.nights import NIGHT, dream, text_of
from tests.snapshots.archives import of
from tests.stories.telling import edits, found, prompt, reverts, says
from tests.world import World

pytestmark = [pytest.mark.databases, pytest.mark.django_db(transaction=True)]
PASSWORD = "zebrafink7241quark"
SAYS = f"My wifi password is {PASSWORD}."
MASKED = "My wifi password is [secret: password]."
TEA, SHIPS = "I like green tea.", "Marta's team ships on Thursdays."


def _kept() -> Iterator[str]:
    """Wherever it stands: rows, and on SQLite the bytes of the database itself."""
    with scopes_disabled():
        for model in apps.get_models(include_auto_created=True):
            for row in model._base_manager.values_list():
                if PASSWORD in repr(row).casefold():
                    yield model._meta.label
    if connection.vendor == "sqlite":
        name = settings.DATABASES["default"]["NAME"]
        for path in (Path(name), Path(f"{name}-wal")):
            data = path.read_bytes().lower() if path.exists() else b""
            if any(PASSWORD[at : at + 8].encode() in data for at in (0, 5, 10)):
                yield path.name


def _writes(world: World, path: str, text: str, kind: AuthorKind) -> File:
    user = world.bob if kind is AuthorKind.PERSON else None
    with write_transaction(world.team) as tx:
        place = Place(world.agent, world.customer, path)
        return write.write(tx, place, text, writer=Writer(kind, user=user)).file


def _forgets(world: World, file: File, words: str) -> None:
    """And erases at once."""
    file.refresh_from_db()
    number = next(n for n, line in enumerate(file.raw_content.split("\n"), 1) if words in line)
    with write_transaction(world.team) as tx:
        writer = Writer(AuthorKind.PERSON, user=world.bob)
        request = requests.forget_lines(
            tx, file, [number], expected=file.sha256, writer=writer, is_theirs=True
        )
        erasing.erase_now(tx, request)
    assert {run.error for run in engine.run_pending()} == {""}


def _imports(world: World, text: str) -> None:
    person = Writer(AuthorKind.PERSON, user=world.bob)
    archive, memory = of({"MEMORY.md": text}), Memory.of(world.agent, world.customer)
    with write_transaction(world.team) as tx:
        shown = service.preview(memory, archive, by=person)
        service.apply(tx, memory, archive, shown.token, by=person)


def test_no_character_of_a_password_is_kept_whatever_happens_to_its_line(world: World) -> None:
    # Monday: said, noted and dreamt; a program writes it down, and a person is asked.
    says(world, "monday", TEA, SHIPS)
    bad = says(world, "wifi", SAYS)
    dream(world, world.customer)
    assert MASKED in text_of(world, world.customer)
    file = _writes(world, "KNOWLEDGE.md", "# Home\n\n- The lamp is red.\n", AuthorKind.AGENT)
    masked = _writes(world, "KNOWLEDGE.md", f"{file.raw_content}- {SAYS}\n", AuthorKind.AGENT)
    assert masked.raw_content.endswith(f"- {MASKED}\n")
    with pytest.raises(AssignmentsFound):
        edits(world, "KNOWLEDGE.md", "The lamp is red.", f"The router's password: {PASSWORD}")
    assert [*_kept()] == []

    # Tuesday: back to before, by the source and by the revision; and forth again.
    reverts(world, bad)
    assert "wifi" not in text_of(world, world.customer)
    with write_transaction(world.team) as tx:
        for number in (1, 2):
            write.restore(tx, file, number, writer=Writer(AuthorKind.PERSON, user=world.bob))
    assert [*_kept()] == []

    # Wednesday: its line is forgotten, and so is what a message asks for.
    _forgets(world, file, "wifi")
    assert "wifi" not in text_of(world, world.customer, "KNOWLEDGE.md")
    says(world, "later", f"Forget my password {PASSWORD}.", is_noted=False)
    assert Message.objects.filter(raw_content="Forget my password [secret: password].").exists()
    assert [*_kept()] == []

    # Thursday: another night, and an old copy of before comes back.
    day = NIGHT + timedelta(days=3)
    says(world, "thursday", "I have a parrot called Ada.", day=day)
    dream(world, world.customer, day)
    _imports(world, f"{text_of(world, world.customer)}- {SAYS}\n")
    assert [*_kept()] == []

    memory = text_of(world, world.customer)
    assert all(said in memory for said in (TEA, SHIPS, "parrot called Ada"))
    assert "The lamp is red." in text_of(world, world.customer, "KNOWLEDGE.md")
    assert any("green tea" in text for text in found(world, "green tea"))
    assert "green tea" in prompt(world, "Which tea do I like?")
    with scope(team=world.team):
        assert Fact.objects.filter(raw_text=TEA, state=Fact.State.ACTIVE).exists()
        assert Event.objects.filter(action="secret.masked").exists()
