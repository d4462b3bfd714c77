from typing import Any

import pytest
from django.test import Client

from memoryweb.language.secrets.own_token import generate
from memoryweb.memory.models import File
from tests.web.pages import actions, text, url
from tests.web.stage import NOTE, Stage
from tests.world import World


def test_a_member_saves_a_new_text(world: World, bob: Client) -> None:
    file = _soul(world)
    response = _save(world, bob, content="Calm.\n", sha256=file.sha256, reason="Shorter")
    assert response.status_code == 302
    file.refresh_from_db()
    assert file.raw_content == "Calm.\n"
    assert file.revisions.get(number=2).reason == "Shorter"
    assert "file.written" in actions(world.team)


def test_htmx_gets_what_stands_around_the_text_and_the_message_with_its_undo(
    world: World, bob: Client
) -> None:
    response = _save(world, bob, "saved", content="Calm.\n", sha256=_soul(world).sha256)
    page = text(response)
    assert response.status_code == 200
    assert "<textarea" not in page  # what is written meanwhile stays
    assert 'data-changed="1"' in page
    assert _soul(world).sha256 in page
    assert url(world.team, "agents_undo_save", world.agent.pk, "SOUL.md", 2) in page


def test_who_undoes_a_save_in_the_editor_stays_there_and_goes_nowhere_else(
    world: World, bob: Client
) -> None:
    editor = url(world.team, "agents_edit", world.agent.pk, "SOUL.md")
    file = url(world.team, "agents_file", world.agent.pk, "SOUL.md")
    for number, (asked, reached) in enumerate(
        ((f"{editor}?x=1", editor), ("/profile/", file), (f"https://evil.example{editor}", file))
    ):
        before = _soul(world)
        _save(world, bob, content=f"Calm {number}.\n", sha256=before.sha256)
        undo = url(world.team, "agents_undo_save", world.agent.pk, "SOUL.md", before.revision + 1)
        response = bob.post(undo, {"next": asked})
        assert response["Location"].partition("?")[0] == reached
        assert _soul(world).raw_content == before.raw_content


def test_htmx_gets_the_conflict_in_place_of_the_editor(world: World, bob: Client) -> None:
    opened = _soul(world).sha256
    _save(world, bob, content="Theirs, first.\n", sha256=opened)
    response = _save(world, bob, "saved", content="Mine, second.\n", sha256=opened)
    page = text(response)
    assert response.status_code == 409
    assert response["HX-Retarget"] == "#editing"
    assert "<html" not in page
    assert "Theirs, first." in page
    assert "Mine, second." in page


def test_htmx_is_refused_a_secret_beside_the_text(world: World, bob: Client) -> None:
    secret = f"key {generate()}\n"
    response = _save(world, bob, "saved", content=secret, sha256=_soul(world).sha256)
    assert response.status_code == 422
    assert "looks like a secret" in text(response)
    assert "<textarea" not in text(response)


def test_line_ends_of_browsers_are_undone_and_nothing_is_stripped(
    world: World, bob: Client
) -> None:
    _save(world, bob, content="  one\r\ntwo\r\n\r\n", sha256=_soul(world).sha256)
    assert _soul(world).raw_content == "  one\ntwo\n\n"


def test_a_stale_form_answers_409_with_both_texts(world: World, bob: Client) -> None:
    opened = _soul(world).sha256
    _save(world, bob, content="Theirs, first.\n", sha256=opened)
    response = _save(world, bob, content="Mine, second.\n", sha256=opened)
    assert response.status_code == 409
    page = text(response)
    assert "Theirs, first." in page
    assert "Mine, second." in page
    assert _soul(world).sha256 in page
    assert _soul(world).raw_content == "Theirs, first.\n"


def test_a_secret_is_refused_and_the_text_stays_in_the_form(world: World, bob: Client) -> None:
    secret = generate()
    response = _save(world, bob, content=f"key {secret}\n", sha256=_soul(world).sha256)
    assert response.status_code == 422
    assert "looks like a secret" in text(response)
    assert secret in text(response)
    assert "secret.refused" in actions(world.team)


def test_a_form_without_its_hash_is_422(world: World, bob: Client) -> None:
    assert _save(world, bob, content="x").status_code == 422


def test_a_viewer_may_edit_only_their_own(stage: Stage, vera: Client, world: World) -> None:
    assert vera.get(_edit(world)).status_code == 403
    new = url(world.team, "agents_new_file", world.agent.pk, query="?owner=me")
    assert vera.post(new, {"path": "tea.md", "content": "Green."}).status_code == 302
    made = File.objects.get(path="tea.md")
    assert made.owner is not None
    assert made.owner.person == world.vera


def test_a_new_file_with_a_wrong_name_says_why(world: World, bob: Client) -> None:
    address = url(world.team, "agents_new_file", world.agent.pk)
    response = bob.post(address, {"path": "../etc.md", "content": "x"})
    assert response.status_code == 422
    assert not File.objects.filter(path__contains="etc").exists()


def test_a_new_file_does_not_replace_another(world: World, bob: Client) -> None:
    address = url(world.team, "agents_new_file", world.agent.pk)
    response = bob.post(address, {"path": "SOUL.md", "content": "x"})
    assert response.status_code == 422
    assert "exists already" in text(response)


def test_a_file_is_renamed(world: World, bob: Client) -> None:
    response = _rename(world, bob, path="VOICE.md", sha256=_soul(world).sha256)
    assert response.url == url(world.team, "agents_file", world.agent.pk, "VOICE.md")
    assert File.objects.get(path="VOICE.md", agent=world.agent).revision == 2


@pytest.mark.parametrize(
    ("path", "said"),
    [("MEMORY.md", "exists already"), ("../x.md", "parts"), ("notes.txt", "Markdown")],
)
def test_a_new_name_that_cannot_be_says_why(
    world: World, bob: Client, path: str, said: str
) -> None:
    response = _rename(world, bob, path=path, sha256=_soul(world).sha256)
    assert response.status_code == 422
    assert said in text(response)


def test_renaming_what_changed_meanwhile_says_so(world: World, bob: Client) -> None:
    response = _rename(world, bob, path="VOICE.md", sha256="0" * 64)
    assert response.status_code == 422
    assert "Someone else changed" in text(response)


def test_deleting_asks_first_and_keeps_the_history(world: World, bob: Client) -> None:
    file = _soul(world)
    confirm = url(world.team, "agents_delete_confirm", world.agent.pk, "SOUL.md")
    assert file.sha256 in text(bob.get(confirm))
    address = url(world.team, "agents_delete", world.agent.pk, "SOUL.md")
    bob.post(address, {"sha256": file.sha256})
    file.refresh_from_db()
    assert file.deleted_at is not None
    listed = text(bob.get(url(world.team, "agents_files", world.agent.pk)))
    assert url(world.team, "agents_revisions", world.agent.pk, "SOUL.md") in listed


def test_deleting_what_changed_meanwhile_deletes_nothing(world: World, bob: Client) -> None:
    address = url(world.team, "agents_delete", world.agent.pk, "SOUL.md")
    bob.post(address, {"sha256": "0" * 64})
    assert _soul(world).deleted_at is None


def test_nobody_edits_a_note_of_another_even_with_a_guess(stage: Stage, bob: Client) -> None:
    query = f"?owner={stage.world.customer.pk}"
    address = url(stage.world.team, "agents_edit", stage.world.agent.pk, NOTE, query=query)
    assert bob.post(address, {"content": "x", "sha256": "0" * 64}).status_code == 404


def _soul(world: World) -> File:
    return File.objects.get(agent=world.agent, owner=None, path="SOUL.md")


def _rename(world: World, client: Client, **fields: str) -> Any:
    address = url(world.team, "agents_rename", world.agent.pk, "SOUL.md")
    return client.post(address, fields)


def _edit(world: World) -> str:
    return url(world.team, "agents_edit", world.agent.pk, "SOUL.md")


def _save(world: World, client: Client, part: str = "", **fields: str) -> Any:
    """`part`: what htmx asks for."""
    headers = {"HX-Request": "true", "HX-Target": part} if part else {}
    return client.post(_edit(world), fields, headers=headers)
