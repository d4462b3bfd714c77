import re
from datetime import datetime, timedelta
from urllib.parse import quote

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from memoryweb.agents.break_glass import open_glass
from memoryweb.audit.record import SYSTEM
from memoryweb.memory.models import AuthorKind
from memoryweb.memory.models.writer import Place, Writer, write_transaction
from memoryweb.memory.writing.write import delete, rename, write
from tests.web.pages import text, tight, url
from tests.web.stage import NOTE, PERSONAL, SHARED, Stage
from tests.world import World

AGO = timezone.now() - timedelta(days=3)


@pytest.fixture
def past(stage: Stage) -> Stage:
    """Three days ago: a plan, a draft and a list. Since then one changed, one went, one moved."""
    writer = Writer(AuthorKind.PERSON, user=stage.world.bob)
    with write_transaction(stage.world.team) as tx:
        tx.now = AGO
        files = [
            write(tx, Place(stage.world.agent, None, path), said, writer=writer).file
            for path, said in (
                ("plan.md", "Go.\n"),
                ("draft.md", "Maybe.\n"),
                ("list.md", "Tea.\n"),
            )
        ]
    with write_transaction(stage.world.team) as tx:
        write(tx, Place(stage.world.agent, None, "plan.md"), "Stay.\n", writer=writer)
        delete(tx, files[1], writer=writer)
        rename(tx, files[2], "shopping.md", writer=writer)
    return stage


def test_the_files_then_have_their_names_of_then(past: Stage, vera: Client) -> None:
    page = tight(vera.get(f"{_url(past)}?show=files&at={_iso(AGO)}"))
    for path in ("plan.md", "draft.md", "list.md"):
        assert f'">{path}</a>' in page
    assert "deleted since" in page
    assert "now shopping.md" in page


def test_before_everything_nothing_was_there(past: Stage, vera: Client) -> None:
    page = text(vera.get(f"{_url(past)}?show=files&at=2001-01-01T00:00"))
    assert "No files at that time" in page


def test_what_changed_since_is_told_with_the_difference(past: Stage, vera: Client) -> None:
    address = _url(past)
    page = text(vera.get(f"{address}?show=changes&at={_iso(AGO)}"))
    for word in ("added", "removed", "renamed", "changed"):
        assert f">{word}</span>" in page
    assert "was list.md" in page
    assert "<ins>Stay</ins>" in page or "Stay." in page
    compare = url(past.world.team, "agents_compare", past.world.agent.pk, "plan.md")
    assert f"{compare}?from=1&amp;to=2" in page


def test_very_long_lines_are_left_to_the_comparison(past: Stage, vera: Client) -> None:
    writer = Writer(AuthorKind.PERSON, user=past.world.bob)
    with write_transaction(past.world.team) as tx:
        place = Place(past.world.agent, None, "dump.md")
        write(tx, place, f"# Dump\n\n{'x' * 500_000}\n", writer=writer)
    address = _url(past)
    page = text(vera.get(f"{address}?show=changes&at={_iso(AGO)}"))
    assert "# Dump" in page
    assert "Only the beginning is shown here." in page
    assert len(page) < 200_000


def test_two_moments_are_compared_in_either_order(past: Stage, vera: Client) -> None:
    address = _url(past)
    later = AGO + timedelta(minutes=1)
    page = text(vera.get(f"{address}?show=changes&at={_iso(later)}&until=2001-01-01T00:00"))
    assert page.count(">added</span>") >= 3
    assert ">removed</span>" not in page


def test_since_last_monday_is_one_click_from_activity(past: Stage, vera: Client) -> None:
    activity = text(vera.get(url(past.world.team, "agents_activity", past.world.agent.pk)))
    assert f'href="{_url(past)}"' in activity
    page = text(vera.get(_url(past)))
    assert 'aria-current="true">Last Monday</a>' in page
    assert SHARED in page


def test_other_moments_are_one_click_further(past: Stage, vera: Client) -> None:
    page = text(vera.get(_url(past)))
    for label in ("Yesterday", "30 days ago", "Before the last dream"):
        assert re.search(rf'href="\?at=[^"]+">{label}</a>', page)


def test_history_tells_which_statements_came_changed_and_ended(world: World, bob: Client) -> None:
    place, moments = Place(world.agent, None, "MEMORY.md"), list[datetime]()
    for content in (
        "- Tea is at five.\n- The pier is open.\n",
        "- The pier is open.\n- Rita sings.\n",
    ):
        with write_transaction(world.team) as tx:
            write(tx, place, content, writer=Writer(AuthorKind.PERSON, user=world.bob))
        moments.append(timezone.now())
    page = tight(
        bob.get(f"{url(world.team, 'agents_moments', world.agent.pk)}?at={_iso(moments[0])}")
    )
    came, held = page.split("What it held at")
    assert re.search(r'class="is-add">.*Rita sings', came)
    assert re.search(r'class="is-retire">.*<del>Tea is at five', came)
    assert "pier" not in came
    assert "Tea is at five." in held
    assert "Rita" not in held


@pytest.mark.parametrize("at", ["", "yesterday", "2026-13-40T99:99", "0001-01-01T00:00", "9" * 400])
def test_what_is_no_moment_is_said(past: Stage, vera: Client, at: str) -> None:
    page = vera.get(f"{_url(past)}?at={at}")
    assert page.status_code == 200
    assert 'class="errors"' in text(page)


def test_ones_own_past_is_apart_from_the_shared_one(past: Stage, bob: Client) -> None:
    address = _url(past)
    mine = text(bob.get(f"{address}?owner=me&show=changes&at=2001-01-01T00:00"))
    assert PERSONAL.split()[-1] in mine
    assert "plan.md" not in mine
    shared = text(bob.get(f"{address}?show=changes&at=2001-01-01T00:00"))
    assert "thermos" not in shared


def test_it_takes_the_same_statements_for_many_files(past: Stage, vera: Client) -> None:
    now = _iso(timezone.now() + timedelta(days=1))
    compare = _url(past)
    addresses = (
        f"{_url(past)}?show=files&at={now}",
        f"{compare}?show=changes&at={_iso(AGO)}&until={now}",
    )
    few = [_statements(vera, address) for address in addresses]
    writer = Writer(AuthorKind.PERSON, user=past.world.bob)
    with write_transaction(past.world.team) as tx:
        for number in range(12):
            write(tx, Place(past.world.agent, None, f"n{number}.md"), "text", writer=writer)
    assert [_statements(vera, address) for address in addresses] == few


def test_a_note_opens_as_it_was(past: Stage, vera: Client) -> None:
    page = text(vera.get(f"{_url(past)}?show=files&at={_iso(timezone.now() + timedelta(days=1))}"))
    assert url(past.world.team, "agents_revision", past.world.agent.pk, NOTE, 1) in page


def test_whose_memory_it_is_learns_that_its_changes_were_read(
    stage: Stage, alice: Client, bob: Client
) -> None:
    world = stage.world
    open_glass(owner=world.bobs_memory, user=world.alice, reason="Bob is ill.", by=SYSTEM)
    compare = url(world.team, "agents_moments", world.agent.pk)
    page = text(alice.get(f"{compare}?owner={world.bobs_memory.pk}&show=changes&at={_iso(AGO)}"))
    assert PERSONAL in page
    assert "Read what changed in the files." in text(bob.get(url(world.team, "mine")))


def _url(stage: Stage) -> str:
    return url(stage.world.team, "agents_moments", stage.world.agent.pk)


def _iso(moment: datetime) -> str:
    return quote(moment.isoformat())


def _statements(client: Client, address: str) -> int:
    with CaptureQueriesContext(connection) as queries:
        assert client.get(address).status_code == 200
    return len(queries)
