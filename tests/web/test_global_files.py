"""Global memory as people of any team read it."""

from datetime import UTC, datetime

import pytest
from django.test import Client

from memoryweb.accounts.teams import system_team
from memoryweb.agents.models import GLOBAL_AGENT_ID, Agent
from memoryweb.memory.models import AuthorKind, File, Revision
from memoryweb.memory.models.writer import Place, Writer, write_transaction
from memoryweb.memory.writing.write import delete, write
from tests.walls.web_calls import looks
from tests.web.pages import text, url
from tests.web.stage import Stage

SYSTEM = Writer(AuthorKind.SYSTEM)


@pytest.fixture
def rules() -> File:
    return _write("# House rules\n\n- Answers name the purple lighthouse.\n")


def _write(content: str) -> File:
    with write_transaction(system_team()) as tx:
        agent = Agent.objects.get(pk=GLOBAL_AGENT_ID)
        return write(tx, Place(agent, None, "RULES.md"), content, writer=SYSTEM).file


def _page(stage: Stage, *more: object, name: str = "agents_global") -> str:
    return url(stage.world.team, name, stage.world.agent.pk, "RULES.md", *more)


def test_a_global_hit_leads_to_its_line_beside_the_agent(
    stage: Stage, vera: Client, rules: File
) -> None:
    found = text(vera.get(url(stage.world.team, "search") + "?q=lighthouse"))
    assert f"{_page(stage)}?q=lighthouse#L3" in found
    assert "Global" in found
    opened = text(vera.get(f"{_page(stage)}?q=lighthouse"))
    assert "the purple <mark>lighthouse</mark>" in opened
    assert 'id="L3"' in opened


def test_it_is_only_read_there(stage: Stage, bob: Client, rules: File) -> None:
    page = text(bob.get(_page(stage)))
    assert not [verb for verb in ("/edit/", "/delete/", "/revisions/") if verb in page]


def test_the_past_of_a_global_file_is_opened_at_its_revision(
    stage: Stage, vera: Client, rules: File
) -> None:
    Revision.objects.filter(file=rules).update(created_at=datetime(2026, 11, 1, tzinfo=UTC))
    gone = _write("Nothing.\n")
    then = _page(stage, rules.revision, name="agents_global_revision")
    query = url(stage.world.team, "search") + "?q=lighthouse&at=2026-11-02"
    assert f"{then}?q=lighthouse#L3" in text(vera.get(query))
    assert "purple" in text(vera.get(then))
    with write_transaction(system_team()) as tx:
        delete(tx, gone, writer=SYSTEM)
    assert vera.get(_page(stage)).status_code == 404
    assert "purple" in text(vera.get(then))


def test_the_prompt_page_leads_there(stage: Stage, vera: Client, rules: File) -> None:
    File.objects.filter(pk=rules.pk).update(enabled=True)
    address = url(stage.world.team, "agents_prompt", stage.world.agent.pk)
    assert f'href="{_page(stage)}"' in text(vera.get(address))


def test_a_file_of_the_team_is_no_global_one(stage: Stage, vera: Client, rules: File) -> None:
    missing = vera.get(url(stage.world.team, "agents_global", stage.world.agent.pk, "MEMORY.md"))
    assert missing.status_code == 404
    other = vera.get(url(stage.world.team, "agents_file", stage.world.agent.pk, "RULES.md"))
    assert looks(other) == looks(missing)


def test_the_system_team_stays_closed(stage: Stage, vera: Client, rules: File) -> None:
    theirs = url(system_team(), "agents_file", GLOBAL_AGENT_ID, "RULES.md")
    assert vera.get(theirs).status_code == 404
    beside = url(stage.world.team, "agents_global", GLOBAL_AGENT_ID, "RULES.md")
    assert vera.get(beside).status_code == 404
