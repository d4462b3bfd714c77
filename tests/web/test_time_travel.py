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
from tests.web.stage import NOTE, PERSONAL, Stage

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
    page = tight(vera.get(f"{_url(past)}?at={_iso(AGO)}"))
    for path in ("plan.md", "draft.md", "list.md"):
        assert f'">{path}</a>' in page
    assert "deleted since" in page
    assert "now shopping.md" in page


def test_before_everything_nothing_was_there(past: Stage, vera: Client) -> None:
    page = text(vera.get(f"{_url(past)}?at=2001-01-01T00:00"))
    assert "No files at that time" in page


def test_what_changed_since_is_told_with_the_difference(past: Stage, vera: Client) -> None:
    address = url(past.world.team, "agents_moments_compare", past.world.agent.pk)
    page = text(vera.get(f"{address}?since={_iso(AGO)}"))
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
    address = url(past.world.team, "agents_moments_compare", past.world.agent.pk)
    page = text(vera.get(f"{address}?since={_iso(AGO)}"))
    assert "# Dump" in page
    assert "Only the beginning is shown here." in page
    assert len(page) < 200_000


def test_two_moments_are_compared_in_either_order(past: Stage, vera: Client) -> None:
    address = url(past.world.team, "agents_moments_compare", past.world.agent.pk)
    later = AGO + timedelta(minutes=1)
    page = text(vera.get(f"{address}?since={_iso(later)}&until=2001-01-01T00:00"))
    assert page.count(">added</span>") >= 3
    assert ">removed</span>" not in page


def test_since_last_monday_is_one_click_from_the_files(past: Stage, vera: Client) -> None:
    files = text(vera.get(url(past.world.team, "agents_files", past.world.agent.pk)))
    address = url(past.world.team, "agents_moments_compare", past.world.agent.pk)
    assert f'href="{address}"' in files
    page = text(vera.get(address))
    assert 'aria-current="true">Last Monday</a>' in page
    assert "shopping.md" in page


def test_other_moments_are_one_click_further(past: Stage, vera: Client) -> None:
    page = text(vera.get(_url(past)))
    assert "Last Monday" in page
    assert url(past.world.team, "agents_moments_compare", past.world.agent.pk) + "?since=" in page
    assert "Before the last dream" in page


@pytest.mark.parametrize("at", ["", "yesterday", "2026-13-40T99:99", "0001-01-01T00:00", "9" * 400])
def test_what_is_no_moment_is_said(past: Stage, vera: Client, at: str) -> None:
    page = vera.get(f"{_url(past)}?at={at}")
    assert page.status_code == 200
    assert 'class="errors"' in text(page)


def test_ones_own_past_is_apart_from_the_shared_one(past: Stage, bob: Client) -> None:
    address = url(past.world.team, "agents_moments_compare", past.world.agent.pk)
    mine = text(bob.get(f"{address}?owner=me&since=2001-01-01T00:00"))
    assert PERSONAL.split()[-1] in mine
    assert "plan.md" not in mine
    shared = text(bob.get(f"{address}?since=2001-01-01T00:00"))
    assert "thermos" not in shared


def test_it_takes_the_same_statements_for_many_files(past: Stage, vera: Client) -> None:
    now = _iso(timezone.now() + timedelta(days=1))
    compare = url(past.world.team, "agents_moments_compare", past.world.agent.pk)
    addresses = (f"{_url(past)}?at={now}", f"{compare}?since={_iso(AGO)}&until={now}")
    few = [_statements(vera, address) for address in addresses]
    writer = Writer(AuthorKind.PERSON, user=past.world.bob)
    with write_transaction(past.world.team) as tx:
        for number in range(12):
            write(tx, Place(past.world.agent, None, f"n{number}.md"), "text", writer=writer)
    assert [_statements(vera, address) for address in addresses] == few


def test_a_note_opens_as_it_was(past: Stage, vera: Client) -> None:
    page = text(vera.get(f"{_url(past)}?at={_iso(timezone.now() + timedelta(days=1))}"))
    assert url(past.world.team, "agents_revision", past.world.agent.pk, NOTE, 1) in page


def test_whose_memory_it_is_learns_that_its_changes_were_read(
    stage: Stage, alice: Client, bob: Client
) -> None:
    world = stage.world
    open_glass(owner=world.bobs_memory, user=world.alice, reason="Bob is ill.", by=SYSTEM)
    compare = url(world.team, "agents_moments_compare", world.agent.pk)
    page = text(alice.get(f"{compare}?owner={world.bobs_memory.pk}&since={_iso(AGO)}"))
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
