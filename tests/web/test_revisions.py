import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from memoryweb.memory.models import AuthorKind, File
from memoryweb.memory.models.writer import Place, Writer, write_transaction
from memoryweb.memory.writing.write import write
from tests.web.pages import fragment, text, url
from tests.world import World


@pytest.fixture
def soul(world: World) -> File:
    """Three revisions: the seed, Kind and patient, Kind and quick."""
    writer = Writer(AuthorKind.PERSON, user=world.bob)
    for said in ("Kind and patient.\n", "Kind and quick.\n"):
        with write_transaction(world.team) as tx:
            place = Place(world.agent, None, "SOUL.md")
            file = write(tx, place, said, writer=writer, reason=f"now {said[9:14]}").file
    return file


def test_the_list_names_authors_and_reasons(world: World, soul: File, vera: Client) -> None:
    page = text(vera.get(_url(world, "agents_revisions")))
    assert "Bob" in page
    assert "now quick" in page


@pytest.mark.parametrize(
    ("query", "shown"),
    [
        ("?kind=person", {3, 2}),
        ("?kind=system", {1}),
        ("?kind=dream", set()),
        ("?person={bob}", {3, 2}),
        ("?run=00000000-0000-4000-8000-000000000000", set()),
        ("?since=2999-01-01", set()),
        ("?until=1999-01-01", set()),
        ("?since=1999-01-01&until=2999-01-01", {3, 2, 1}),
        ("?kind=nonsense&since=never&person=nobody&page=99", {3, 2, 1}),
    ],
)
def test_the_list_is_filtered_by_its_address(
    world: World, soul: File, vera: Client, query: str, shown: set[int]
) -> None:
    page = text(vera.get(_url(world, "agents_revisions") + query.format(bob=world.bob.pk)))
    listed = {number for number in (1, 2, 3) if f"Compare to revision {number}" in page}
    assert listed == shown


def test_any_two_revisions_can_be_chosen_without_a_script(
    world: World, soul: File, vera: Client
) -> None:
    page = text(vera.get(_url(world, "agents_revisions")))
    assert re.findall(r'form="compare" name="from" value="(\d)"', page) == ["3", "2", "1"]
    assert re.findall(r'name="to" value="(\d)"[^>]* checked', page) == ["3"]


def test_a_rename_is_told(world: World, soul: File, bob: Client) -> None:
    soul.revisions.filter(number=2).update(path="HEART.md")
    page = text(bob.get(_url(world, "agents_revisions")))
    assert "renamed from HEART.md to SOUL.md" in page
    assert "HEART.md" in text(bob.get(_url(world, "agents_revision", 2)))


def test_the_list_takes_the_same_statements_for_a_long_history(
    world: World, soul: File, vera: Client
) -> None:
    address = _url(world, "agents_revisions")
    counted = []
    for _turn in range(2):
        with CaptureQueriesContext(connection) as queries:
            vera.get(address)
        counted.append(len(queries))
        with write_transaction(world.team) as tx:
            for number in range(9):
                write(
                    tx,
                    Place(world.agent, None, "SOUL.md"),
                    f"Kind, {number}.\n",
                    writer=Writer(AuthorKind.PERSON, user=world.alice),
                )
    assert counted[0] == counted[1]


def test_one_revision_shows_its_own_text(world: World, soul: File, vera: Client) -> None:
    page = text(vera.get(_url(world, "agents_revision", 2)))
    assert "Kind and patient." in page
    assert "Kind and quick." not in page


def test_comparing_marks_the_changed_words(world: World, soul: File, vera: Client) -> None:
    page = text(vera.get(_url(world, "agents_compare") + "?from=2&to=3"))
    assert "<del>patient</del>" in page
    assert "<ins>quick</ins>" in page


@pytest.mark.parametrize("query", ["?from=2&to=77", "?to=99"])
def test_comparing_with_what_never_was_is_404(
    world: World, soul: File, vera: Client, query: str
) -> None:
    assert vera.get(_url(world, "agents_compare") + query).status_code == 404


def test_unchanged_lines_open_at_a_link(world: World, soul: File, vera: Client) -> None:
    lines = [f"Line {number}." for number in range(40)]
    for last in ("One.", "Two."):
        with write_transaction(world.team) as tx:
            place = Place(world.agent, None, "SOUL.md")
            content = "\n".join([*lines, last])
            write(tx, place, content, writer=Writer(AuthorKind.PERSON, user=world.bob))
    address = _url(world, "agents_compare")
    closed = text(vera.get(address))
    assert "37 unchanged lines" in closed
    assert "Line 7." not in closed
    assert "Line 7." in text(vera.get(f"{address}?open=1"))
    part = text(fragment(vera, f"{address}?open=1", "diff"))
    assert part.lstrip().startswith('<section class="card" id="diff">')


def test_invisible_characters_are_seen_in_a_comparison(
    world: World, soul: File, vera: Client
) -> None:
    with write_transaction(world.team) as tx:
        place = Place(world.agent, None, "SOUL.md")
        writer = Writer(AuthorKind.PERSON, user=world.bob)
        write(tx, place, "Kind and \u202equick.\n", writer=writer)
    page = text(vera.get(_url(world, "agents_compare")))
    assert "\u202e" not in page
    assert "U+202E" in page


def test_restoring_makes_a_new_revision(world: World, soul: File, bob: Client) -> None:
    bob.post(_url(world, "agents_restore", 2))
    soul.refresh_from_db()
    assert soul.raw_content == "Kind and patient.\n"
    assert soul.revision == 4


def test_restoring_brings_a_deleted_file_back(world: World, soul: File, bob: Client) -> None:
    delete = url(world.team, "agents_delete", world.agent.pk, "SOUL.md")
    bob.post(delete, {"sha256": soul.sha256})
    assert bob.get(_url(world, "agents_file")).status_code == 404
    bob.post(_url(world, "agents_restore", 3))
    assert "Kind and quick." in text(bob.get(_url(world, "agents_file")))


def test_restoring_what_never_was_is_404(world: World, soul: File, bob: Client) -> None:
    assert bob.post(_url(world, "agents_restore", 44)).status_code == 404


def _url(world: World, name: str, *number: int) -> str:
    return url(world.team, name, world.agent.pk, "SOUL.md", *number)


def test_showing_every_line_leads_back_and_not_ever_further(
    world: World, soul: File, vera: Client
) -> None:
    page = text(vera.get(f"{_url(world, 'agents_compare')}?to=3&open=all&open=all"))
    assert "open=all" not in page
    assert "Show what changed" in page
