import pytest
from django.test import Client
from django.urls import reverse

from memoryweb.memory.models import AuthorKind, File, Revision
from memoryweb.memory.models.writer import Place, Writer, write_transaction
from memoryweb.memory.writing.write import write
from tests.web.pages import fragment, text, tight, url
from tests.web.stage import Stage
from tests.world import World


def test_pinned_lines_and_those_of_people_are_named(world: World, bob: Client) -> None:
    machine = Writer(AuthorKind.DREAM, is_vouched=True)
    pinned = "# Memory\n\n<!-- pinned -->\n- Stays.\n<!-- /pinned -->\n- Machine's.\n"
    with write_transaction(world.team) as tx:
        place = Place(world.agent, None, "MEMORY.md")
        write(tx, place, pinned, writer=machine)
        write(tx, place, f"{pinned}- A person's.\n", writer=_person(world))
    page = tight(bob.get(url(world.team, "agents_edit", world.agent.pk, "MEMORY.md")))
    assert 'data-pinned="3-5" data-persons="7"' in page


def test_the_count_says_how_much_enters_the_prompt(world: World, bob: Client) -> None:
    with write_transaction(world.team) as tx:
        place = Place(world.agent, None, "MEMORY.md")
        write(tx, place, "x" * 12_300, writer=_person(world))
    page = text(bob.get(url(world.team, "agents_edit", world.agent.pk, "MEMORY.md")))
    assert "12 more than the 12,288 that fit into the prompt" in page


def test_a_preview_is_rendered_and_kept_nowhere(world: World, bob: Client) -> None:
    before = Revision.objects.count()
    address = url(world.team, "agents_preview", world.agent.pk)
    said = {"content": "# Tea\n\n- **hot**\n"}
    page = tight(fragment(bob, address, "preview", said))
    assert page.startswith('<div id="preview"')
    assert "<strong>hot</strong>" in page
    assert Revision.objects.count() == before
    assert "<html" in text(bob.post(address, said))


def test_a_preview_shows_what_is_pinned_and_what_nobody_sees(world: World, bob: Client) -> None:
    said = {"content": "- Free.\n<!-- pinned -->\n- Kept\u202e.\n<!-- /pinned -->\n"}
    page = text(fragment(bob, url(world.team, "agents_preview", world.agent.pk), "preview", said))
    assert page.count("depth-0 pinned") == 3
    assert "U+202E" in page


@pytest.mark.parametrize("content", ["", "\0", "<script>alert(1)</script>", "x" * 2_000_000])
def test_a_preview_takes_any_text(world: World, bob: Client, content: str) -> None:
    response = bob.post(url(world.team, "agents_preview", world.agent.pk), {"content": content})
    assert response.status_code == 200
    assert "<script>alert" not in text(response)


def test_a_draft_is_named_by_person_and_file(world: World, bob: Client) -> None:
    file = File.objects.get(agent=world.agent, owner=None, path="SOUL.md")
    page = text(bob.get(url(world.team, "agents_edit", world.agent.pk, "SOUL.md")))
    assert f'data-draft="{world.bob.pk}:{file.pk}" data-base="{file.sha256}"' in page


def test_saving_leads_to_the_file_and_says_that_the_draft_has_served(
    stage: Stage, bob: Client
) -> None:
    world = stage.world
    file = File.objects.get(agent=world.agent, owner=None, path="SOUL.md")
    address = url(world.team, "agents_edit", world.agent.pk, "SOUL.md")
    response = bob.post(address, {"content": "Calm.", "sha256": file.sha256})
    assert response["Location"] == (
        url(world.team, "agents_file", world.agent.pk, "SOUL.md") + "?saved=2#L1"
    )


def test_signing_out_takes_the_drafts_along(bob: Client) -> None:
    response = bob.post(reverse("account_logout"))
    assert response["Clear-Site-Data"] == '"storage"'
    assert "Clear-Site-Data" not in bob.get(reverse("account_login"))


def _person(world: World) -> Writer:
    return Writer(AuthorKind.PERSON, user=world.alice)
