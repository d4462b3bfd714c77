import pytest
from django.test import Client

from memoryweb.memory.files import Place, Writer, write
from memoryweb.memory.unit import unit
from memoryweb.workspace.models import AuthorKind, File
from tests.web.pages import text, url
from tests.world import World


@pytest.fixture
def soul(world: World) -> File:
    """Three revisions: the seed, Kind and patient, Kind and quick."""
    writer = Writer(AuthorKind.PERSON, user=world.bob)
    for said in ("Kind and patient.\n", "Kind and quick.\n"):
        with unit(world.team) as work:
            place = Place(world.agent, None, "SOUL.md")
            file = write(work, place, said, writer=writer, reason=f"now {said[9:14]}").file
    return file


def test_the_list_names_authors_and_reasons(world: World, soul: File, vera: Client) -> None:
    page = text(vera.get(_url(world, "agents_revisions")))
    assert "Bob" in page
    assert "now quick" in page


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


def test_restoring_makes_a_new_revision(world: World, soul: File, bob: Client) -> None:
    bob.post(_url(world, "agents_restore", 2))
    soul.refresh_from_db()
    assert soul.content == "Kind and patient.\n"
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
