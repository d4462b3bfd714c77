"""What has ended of a statement, on the pages that show it: struck, and one click from alive."""

import re

import pytest
from django.test import Client

from memoryweb.memory.models import AuthorKind, Fact, File
from memoryweb.memory.models.writer import Place, Writer, write_transaction
from memoryweb.memory.writing.write import write
from tests.web.pages import text, tight, url
from tests.web.stage import Stage

SAID = "I live in Altona and keep bees."
MARK = "<!-- until 2026-09-28: live in Altona -->"
STRUCK = (
    'I <del title="until 28 September 2026">live in Altona</del>'
    '<span class="sr"> (until 28 September 2026)</span> and keep bees.'
)


@pytest.fixture
def mine(stage: Stage) -> Fact:
    """Bob's, in the file that is his."""
    world = stage.world
    with write_transaction(world.team) as tx:
        place = Place(world.agent, world.bobs_memory, "MEMORY.md")
        dream = Writer(AuthorKind.DREAM)
        file = write(tx, place, f"# Memory\n\n- {SAID} {MARK}\n", writer=dream).file
    return Fact.objects.get(file=file)


def content(fact: Fact) -> str:
    assert fact.file_id is not None
    return File.objects.get(pk=fact.file_id).raw_content


def test_pages_strike_it_and_show_no_comment(stage: Stage, bob: Client, mine: Fact) -> None:
    team, agent = stage.world.team, stage.world.agent.pk
    for name, args in (
        ("agents_facts", (agent,)),
        ("agents_fact", (agent, mine.pk)),
        ("agents_file", (agent, "MEMORY.md")),
        ("agents_detail", (agent,)),
    ):
        page = text(bob.get(url(team, name, *args, query="?owner=me")))
        assert STRUCK in page, name
        shown = re.sub(r"<textarea.*?</textarea>|<input[^>]*>", "", page, flags=re.DOTALL)
        assert "&lt;!--" not in shown, name


@pytest.mark.parametrize("owner", ["me", "shared"])
def test_a_file_s_page_strikes_what_ended_of_a_pinned_line(
    stage: Stage, bob: Client, owner: str
) -> None:
    world = stage.world
    whose = world.bobs_memory if owner == "me" else None
    pinned = f"# Memory\n\n<!-- pinned -->\n- {SAID}\n- I keep\n  bees.\n<!-- /pinned -->\n"
    with write_transaction(world.team) as tx:
        place = Place(world.agent, whose, "MEMORY.md")
        file = write(tx, place, pinned, writer=Writer(AuthorKind.PERSON)).file
    for fact in Fact.objects.filter(file=file):
        fact.raw_ended = [
            ["2026-09-28", "live in Altona" if fact.raw_text == SAID else "keep bees"]
        ]
        fact.save()
    address = url(world.team, "agents_file", world.agent.pk, "MEMORY.md", query=f"?owner={owner}")
    page = text(bob.get(address))
    assert STRUCK in page
    assert "bees. (until 2026-09-28: keep bees)" in page
    assert content(fact) == pinned


def test_the_form_has_the_line_as_it_is(stage: Stage, bob: Client, mine: Fact) -> None:
    team, agent = stage.world.team, stage.world.agent.pk
    address = url(team, "agents_fact", agent, mine.pk, query="?owner=me")
    shown = f"{SAID} {MARK}".replace("<", "&lt;").replace(">", "&gt;")
    assert shown in text(bob.get(address))
    edit = url(team, "agents_fact_edit", agent, mine.pk, query="?owner=me")
    bob.post(edit, {"text": f"{SAID} {MARK}".replace("bees", "two bees")})
    assert f"- {SAID} {MARK}\n".replace("bees", "two bees") in content(mine)


def test_still_true_is_one_click_and_can_be_undone(stage: Stage, bob: Client, mine: Fact) -> None:
    team, agent = stage.world.team, stage.world.agent.pk
    before = content(mine)
    address = url(team, "agents_fact_still_true", agent, mine.pk, query="?owner=me")
    page = tight(bob.post(address, follow=True))
    assert content(mine) == f"# Memory\n\n- {SAID}\n"
    assert "It still holds." in page
    assert address not in page
    [undo] = re.findall(r'(?:action|formaction|hx-post)="([^"]*undo[^"]*)"', page)[:1]
    bob.post(undo.replace("&amp;", "&"))
    assert content(mine) == before


def test_my_memory_strikes_it_and_lets_it_live(stage: Stage, bob: Client, mine: Fact) -> None:
    team = stage.world.team
    page = text(bob.get(url(team, "mine")))
    assert STRUCK in page
    address = url(team, "mine_fact_still_true", mine.pk)
    assert address in page
    assert bob.get(address).status_code == 405
    assert bob.post(address).status_code == 302
    assert content(mine) == f"# Memory\n\n- {SAID}\n"
    assert address not in text(bob.get(url(team, "mine")))


def test_its_page_says_since_when_the_words_hold_no_longer(
    stage: Stage, bob: Client, mine: Fact
) -> None:
    address = url(stage.world.team, "agents_fact", stage.world.agent.pk, mine.pk)
    assert "until 28 Sep: live in Altona" in tight(bob.get(f"{address}?owner=me"))
