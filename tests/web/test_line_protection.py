import pytest
from django.test import Client

from memoryweb.memory.models import AuthorKind, File
from memoryweb.memory.models.writer import Place, Writer, write_transaction
from memoryweb.memory.writing.write import write
from tests.web.pages import text, url
from tests.world import World

RULES = "# Rules\n\nBe kind.\n\n<!-- pinned -->\nNever lie.\n<!-- /pinned -->\n"


@pytest.fixture
def rules(world: World) -> File:
    place = Place(world.agent, None, "rules.md")
    with write_transaction(world.team) as tx:
        return write(tx, place, RULES, writer=Writer(AuthorKind.PERSON, user=world.bob)).file


def test_a_persons_and_pinned_lines_are_marked_in_words(
    world: World, rules: File, vera: Client
) -> None:
    page = text(vera.get(_url(world, "agents_file")))
    assert "A person wrote this. Machines do not change it." in page
    assert "Pinned: machines do not change it" in page
    assert "Release these lines" not in page  # she may not


def test_releasing_and_keeping_again(world: World, rules: File, bob: Client) -> None:
    lines = {"first": "1", "last": "3", "sha256": rules.sha256}
    assert 'name="last" value="3"' in text(bob.get(_url(world, "agents_file")))
    page = text(bob.post(_url(world, "agents_release"), lines, follow=True))
    assert "Machines may change it." in page
    assert "Keep again" in page
    page = text(bob.post(_url(world, "agents_keep"), lines, follow=True))
    assert "A person wrote this. Machines do not change it." in page


def test_a_text_that_moved_on_is_said_and_nothing_is_released(
    world: World, rules: File, bob: Client
) -> None:
    lines = {"first": "1", "last": "3", "sha256": "0" * 64}
    page = text(bob.post(_url(world, "agents_release"), lines, follow=True))
    assert "Someone else changed" in page
    assert not rules.origins.filter(released=True).exists()


@pytest.mark.parametrize("first", ["", "0", "x", "99999999999"])
def test_no_lines_are_no_change(world: World, rules: File, bob: Client, first: str) -> None:
    lines = {"first": first, "last": "3", "sha256": rules.sha256}
    page = text(bob.post(_url(world, "agents_release"), lines, follow=True))
    assert "Choose which lines to change." in page


def _url(world: World, name: str) -> str:
    return url(world.team, name, world.agent.pk, "rules.md")
