"""`memory://root/…`, HISTORY.md of its months, and how often a skill was given: by tools, the API
and pages."""

from typing import Any
from urllib.parse import quote

import pytest

from memoryweb.agents.models import Owner
from memoryweb.memory.models import AuthorKind, File, Injection
from memoryweb.memory.models.writer import Place, Writer, write_transaction
from memoryweb.memory.writing.write import write
from tests.api.callers import Callers, callers_of
from tests.web.pages import text, url
from tests.world import World, signed_in

SKILL = "skills/tea/SKILL.md"
PERSON = Writer(AuthorKind.PERSON)
END_USER = {"endUserId": "customer-1"}


@pytest.fixture
def callers(world: World) -> Callers:
    return callers_of(world)


def put(world: World, path: str, content: str, owner: Owner | None = None) -> File:
    with write_transaction(world.team) as tx:
        return write(tx, Place(world.agent, owner, path), content, writer=PERSON).file


def read(world: World, callers: Callers, filename: str, status: int = 200) -> Any:
    asked = f"/agents/{world.agent.pk}/tools/read_workspace_memory_file"
    answer = callers.helpdesk.post(asked, {**END_USER, "filename": filename})
    assert answer.status_code == status, answer.content
    return answer.json()


def test_the_root_leads_to_the_summary_and_below_it_to_files(
    world: World, callers: Callers
) -> None:
    put(world, "memory_summary.md", "# Memory summary\n\n- Tea, mostly.\n")
    put(world, SKILL, "# tea\n")
    assert "Tea, mostly" in read(world, callers, "memory://root")["content"]
    assert read(world, callers, f"memory://root/{SKILL}")["filename"] == SKILL
    for filename in ("memory://root/../x.md", "memory://other/MEMORY.md", "memory://root/no.md"):
        read(world, callers, filename, 404 if filename.endswith("no.md") else 400)
    files = f"/agents/{world.agent.pk}/workspace/files"
    for address in (f"memory://root/{SKILL}", quote(f"memory://root/{SKILL}", safe="")):
        assert callers.viewer.get(f"{files}/{address}").json()["filename"] == SKILL
    page = signed_in(world.bob).get(url(world.team, "agents_file", world.agent.pk, SKILL))
    assert page.status_code == 200


def test_a_skill_counts_how_often_it_was_given(world: World, callers: Callers) -> None:
    put(world, SKILL, "# tea\n\n## Steps\n\n1. Boil the water\n2. Pour it\n")
    files = f"/agents/{world.agent.pk}/workspace/files"
    assert callers.viewer.get(f"{files}/{SKILL}").json()["uses"] == 0
    read(world, callers, f"memory://root/{SKILL}")
    asked = {**END_USER, "message": "How do we boil the water for tea?"}
    callers.helpdesk.post(f"/agents/{world.agent.pk}/context", asked)
    assert Injection.objects.count() == 2
    assert callers.viewer.get(f"{files}/{SKILL}").json()["uses"] == 2
    page = signed_in(world.bob).get(url(world.team, "agents_file", world.agent.pk, SKILL))
    assert "2 times, in prompts and by tools" in text(page)


def test_history_is_put_together_from_its_months(world: World, callers: Callers) -> None:
    for month, said in (("2026-11", "third"), ("2026-10-2", "second"), ("2026-10", "zebra")):
        put(world, f"HISTORY-{month}.md", f"## {said}\n", world.customer)
    put(world, "HISTORY-2026-10.md", "## of all\n")
    own = read(world, callers, "HISTORY.md")
    assert own["content"] == "## zebra\n\n## second\n\n## third\n"
    files = f"/agents/{world.agent.pk}/workspace/files/HISTORY.md"
    assert callers.viewer.get(files).json()["content"] == "## of all\n"
    other = callers.helpdesk.get(f"{files}?owner=api:customer-2")
    assert "zebra" not in other.content.decode()
    page = text(
        signed_in(world.bob).get(url(world.team, "agents_file", world.agent.pk, "HISTORY.md"))
    )
    assert "of all" in page
    assert "zebra" not in page
    listed = text(signed_in(world.bob).get(url(world.team, "agents_files", world.agent.pk)))
    assert "All months on one page" in listed


def test_of_a_long_history_the_newest_months_are_shown(world: World, callers: Callers) -> None:
    for month in range(1, 10):
        put(world, f"HISTORY-2026-{month:02}.md", f"## of {month}\n\n{'said ' * 10_000}\n")
    path = f"/agents/{world.agent.pk}/workspace/files/HISTORY.md"
    content = callers.viewer.get(path).json()["content"]
    assert content.startswith(
        "Earlier months stand in files of their own, up to `HISTORY-2026-05.md`."
    )
    assert [f"of {month}" in content for month in range(1, 10)] == [False] * 5 + [True] * 4
    page = text(
        signed_in(world.bob).get(url(world.team, "agents_file", world.agent.pk, "HISTORY.md"))
    )
    assert "of 9" in page
    assert "too long to show" not in page
    put(world, "HISTORY-2026-10.md", f"## of 10\n\n{'said ' * 60_000}\n")
    content = callers.viewer.get(path).json()["content"]
    assert "`HISTORY-2026-09.md`" in content
    assert "of 10" in content


def test_a_history_that_somebody_wrote_stays_theirs(world: World, callers: Callers) -> None:
    assert (
        callers.viewer.get(f"/agents/{world.agent.pk}/workspace/files/HISTORY.md").status_code
        == 404
    )
    put(world, "HISTORY-2026-10.md", "## of all\n")
    put(world, "HISTORY.md", "Mine.\n")
    assert read(world, callers, "HISTORY.md")["content"] == "Mine.\n"
