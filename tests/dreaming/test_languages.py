"""The diary and the headings of memory follow the agent's language; headings are read in all."""

from datetime import timedelta

import pytest

from memoryweb.agents.models import Agent
from memoryweb.memory.agents import change_agent, create_agent
from memoryweb.memory.lines.files import is_untouched
from memoryweb.memory.models import AuthorKind, File
from memoryweb.memory.models.writer import Memory, Writer, write_transaction
from memoryweb.memory.snapshots import service as snapshots
from memoryweb.memory.statements.bullets import statements_of
from tests.dreaming.nights import NIGHT, dream, memory, note, text_of
from tests.snapshots.archives import of
from tests.world import World

TEA = "I prefer tea to coffee."
SWIM = "I love swimming in the lake."
BIRTH = "I am allergic to nuts."


def speak(world: World, language: str) -> None:
    with write_transaction(world.team) as tx:
        change_agent(tx, Agent.objects.get(pk=world.agent.pk), language=language)
    world.agent.refresh_from_db()


def headings(text: str) -> list[str]:
    return [line for line in text.split("\n") if line.startswith("#")]


def test_a_german_agents_night_is_told_and_headed_in_german(world: World) -> None:
    speak(world, "de")
    note(world, world.customer, NIGHT, TEA, BIRTH)
    dream(world, world.customer)
    assert headings(text_of(world, world.customer, "MEMORY.md")) == [
        "# Gedächtnis",
        "## Gesundheit",
        "## Vorlieben",
    ]
    assert "Ich habe die Notiz vom 2026-11-20 gelesen" in text_of(
        world, world.customer, "DREAMS.md"
    )


def test_after_a_switch_an_english_heading_is_used_on_and_a_new_one_is_german(
    world: World,
) -> None:
    note(world, world.customer, NIGHT, TEA)
    dream(world, world.customer)
    speak(world, "de")
    note(world, world.customer, NIGHT + timedelta(days=1), SWIM, BIRTH)
    dream(world, world.customer, NIGHT + timedelta(days=1))
    text = text_of(world, world.customer, "MEMORY.md")
    assert headings(text) == ["# Memory", "## Gesundheit", "## Preferences"]
    assert text.index("## Preferences") < text.index(SWIM)
    diary = text_of(world, world.customer, "DREAMS.md")
    assert diary.index("Ich habe 2 Notizen gelesen") < diary.index("I read the note of")


def test_a_german_memory_that_was_imported_is_gone_on_with_by_an_english_agent(
    world: World,
) -> None:
    german = f"# Gedächtnis\n\n## Vorlieben\n\n- {TEA}\n\n## Pläne\n"
    place, by = Memory(world.agent, world.customer), Writer(AuthorKind.PERSON, user=world.bob)
    archive = of({"MEMORY.md": german})
    token = snapshots.preview(place, archive, by=by).token
    with write_transaction(world.team) as tx:
        snapshots.apply(tx, place, archive, token, by=by)
    note(world, world.customer, NIGHT, SWIM, BIRTH)
    dream(world, world.customer)
    text = text_of(world, world.customer, "MEMORY.md")
    assert headings(text) == ["# Gedächtnis", "## Health", "## Vorlieben", "## Pläne"]
    assert text.index("## Vorlieben") < text.index(SWIM) < text.index("## Pläne")


def test_of_two_headings_the_one_in_the_agents_language_goes_on(world: World) -> None:
    speak(world, "ja")
    memory(world, world.customer, "# Memory\n\n## Preferences\n\n## 好み\n")
    note(world, world.customer, NIGHT, TEA)
    dream(world, world.customer)
    text = text_of(world, world.customer, "MEMORY.md")
    assert text.index("## 好み") < text.index(TEA)


@pytest.mark.parametrize("heading", ["Preferences", "Vorlieben", "好み"])
def test_a_heading_of_a_kind_names_nobody_in_any_language(heading: str) -> None:
    [one] = statements_of(f"## {heading}\n\n- tea: green\n", "MEMORY.md")
    assert one.claim.subject == ""


@pytest.mark.databases
@pytest.mark.parametrize(("language", "title"), [("en", "Profile"), ("de", "Profil")])
def test_a_new_agent_begins_in_its_language(world: World, language: str, title: str) -> None:
    with write_transaction(world.team) as tx:
        agent = create_agent(tx, name="Elbe", language=language)
    file = File.objects.get(agent=agent, path="PROFILE.md")
    assert file.raw_content.startswith(f"# {title}\n")
    assert is_untouched(file)
