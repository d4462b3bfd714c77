"""Two who edit one file: what fits comes together, the rest is asked, and no text is lost."""

from typing import Any

import pytest
from django.test import Client

from memoryweb.memory.models import AuthorKind, File
from memoryweb.memory.models.writer import Place, Writer, write_transaction
from memoryweb.memory.writing import write as door
from tests.web.pages import actions, text, url
from tests.world import World

BASE = "# Soul\n\n- Calm.\n- Brief.\n- Kind.\n"


@pytest.fixture
def opened(world: World) -> str:
    """The hash that everybody's form was opened with."""
    return _theirs(world, BASE)


def test_changes_in_different_places_are_saved_together(
    world: World, bob: Client, opened: str
) -> None:
    _theirs(world, BASE.replace("Calm", "Very calm"))
    saved = _edit(world, bob, BASE.replace("Kind", "Very kind"), opened)
    assert saved.status_code == 302
    assert "What others saved meanwhile is kept." in text(bob.get(saved["Location"]))
    assert _soul(world).raw_content == "# Soul\n\n- Very calm.\n- Brief.\n- Very kind.\n"


def test_htmx_goes_on_in_the_editor_with_the_merged_text(
    world: World, bob: Client, opened: str
) -> None:
    _theirs(world, BASE.replace("Calm", "Very calm"))
    headers = {"HX-Request": "true", "HX-Target": "saved"}
    response = _edit(world, bob, BASE.replace("Kind", "Very kind"), opened, headers=headers)
    page = text(response)
    assert (response.status_code, response["HX-Retarget"]) == (200, "#editing")
    assert "<html" not in page
    assert "- Very calm.\n- Brief.\n- Very kind.\n</textarea>" in page
    assert _soul(world).sha256 in page
    assert url(world.team, "agents_undo_save", world.agent.pk, "SOUL.md", 4) in page


def test_where_both_changed_a_line_the_current_text_stands_beside_mine(
    world: World, bob: Client, opened: str
) -> None:
    theirs = BASE.replace("Brief", "Brief theirs").replace("Soul", "The soul")
    now = _theirs(world, theirs)
    response = _edit(world, bob, BASE.replace("Brief", "Brief mine"), opened)
    page = text(response)
    assert response.status_code == 409
    for line in ("- Brief <del>theirs</del>.", "- Brief <ins>mine</ins>."):
        assert line in page
    assert "# The soul\n\n- Calm.\n- Brief mine.\n- Kind.\n</textarea>" in page
    assert f"{theirs}</textarea>" in page
    assert f'value="{now}"' in page
    assert _soul(world).raw_content == theirs


@pytest.mark.parametrize("word", ["Brief mine", "Brief theirs", "In other words"])
def test_mine_theirs_or_what_was_edited_is_saved_beside_all_that_fits(
    world: World, bob: Client, opened: str, word: str
) -> None:
    now = _theirs(world, BASE.replace("Brief", "Brief theirs").replace("Soul", "The soul"))
    mine = BASE.replace("Brief", "Brief mine") + "- New.\n"
    page = text(_edit(world, bob, mine, opened))
    offered = "# The soul\n\n- Calm.\n- {}.\n- Kind.\n- New.\n"
    for side in ("Brief mine", "Brief theirs"):
        assert f"{offered.format(side)}</textarea>" in page
    saved = _edit(world, bob, offered.format(word), now)
    assert saved.status_code == 302
    assert _soul(world).raw_content == offered.format(word)


def test_what_changes_again_while_one_chooses_is_merged_too(
    world: World, bob: Client, opened: str
) -> None:
    theirs = BASE.replace("Brief", "Theirs")
    now = _theirs(world, theirs)
    _edit(world, bob, BASE.replace("Brief", "Mine"), opened)
    _theirs(world, theirs.replace("Soul", "Faster"))
    _edit(world, bob, BASE.replace("Brief", "Mine"), now)
    assert _soul(world).raw_content == BASE.replace("Brief", "Mine").replace("Soul", "Faster")


def test_the_same_line_changed_again_while_one_chooses_is_asked_again(
    world: World, bob: Client, opened: str
) -> None:
    now = _theirs(world, BASE.replace("Brief", "Theirs"))
    mine = BASE.replace("Brief", "Mine")
    _edit(world, bob, mine, opened)
    _theirs(world, BASE.replace("Brief", "Theirs, again"))
    response = _edit(world, bob, mine, now)
    assert response.status_code == 409
    assert f"{mine}</textarea>" in text(response)
    assert _soul(world).raw_content == BASE.replace("Brief", "Theirs, again")


def test_everybody_who_was_faster_is_named_with_a_link_to_what_changed(
    world: World, bob: Client, opened: str
) -> None:
    _theirs(world, BASE.replace("Calm", "One"))
    with write_transaction(world.team) as tx:
        place = Place(world.agent, None, "SOUL.md")
        door.write(tx, place, BASE.replace("Calm", "Two"), writer=Writer(AuthorKind.IMPORT))
    page = text(_edit(world, bob, BASE.replace("Calm", "Mine"), opened))
    for said in ("Import saved revision 4 after you", "Alice saved revision 3 after you"):
        assert said in page
    assert url(world.team, "agents_compare", world.agent.pk, "SOUL.md") + "?from=2&amp;to=4" in page


def test_an_ancestor_that_is_unknown_takes_no_line_away(
    world: World, bob: Client, opened: str
) -> None:
    now = _theirs(world, "- Theirs.\n- Shared.\n")
    response = _edit(world, bob, "- Shared.\n- Mine.\n", "0" * 64)
    assert response.status_code == 409
    assert "- Theirs.\n- Shared.\n- Mine.\n</textarea>" in text(response)
    assert _soul(world).sha256 == now


def test_a_file_that_was_deleted_meanwhile_keeps_the_text_for_a_new_one(
    world: World, bob: Client, opened: str
) -> None:
    with write_transaction(world.team) as tx:
        door.delete(tx, _soul(world), writer=_alice(world))
    response = _edit(world, bob, "Mine after all.\n", opened)
    page = text(response)
    assert response.status_code == 409
    assert "This file was deleted" in page
    assert "Mine after all." in page
    new = url(world.team, "agents_new_file", world.agent.pk)
    bob.post(new, {"path": "SOUL.md", "content": "Mine after all.\n"})
    assert _soul(world).raw_content == "Mine after all.\n"


def test_a_file_that_was_renamed_meanwhile_takes_the_text_under_its_new_name(
    world: World, bob: Client, opened: str
) -> None:
    with write_transaction(world.team) as tx:
        door.rename(tx, _soul(world), "VOICE.md", writer=_alice(world))
    page = text(_edit(world, bob, "Mine.\n", opened))
    assert "renamed “SOUL.md” to “VOICE.md”" in page
    address = url(world.team, "agents_edit", world.agent.pk, "VOICE.md")
    assert address in page
    bob.post(address, {"content": "Mine.\n", "sha256": opened})
    assert File.objects.get(path="VOICE.md", agent=world.agent).raw_content == "Mine.\n"


def test_a_new_file_under_the_old_name_is_not_what_was_edited(
    world: World, bob: Client, opened: str
) -> None:
    with write_transaction(world.team) as tx:
        door.rename(tx, _soul(world), "VOICE.md", writer=_alice(world))
    other = _theirs(world, "Another file.\n")
    assert "renamed “SOUL.md” to “VOICE.md”" in text(_edit(world, bob, "Mine.\n", opened))
    assert _soul(world).sha256 == other


def test_a_secret_in_the_merged_text_is_refused_and_the_text_stays(
    world: World, bob: Client, opened: str
) -> None:
    now = _theirs(world, BASE.replace("Brief", "Theirs"))
    secret = "AKIA" + "QXNBTM4PLZ7RWD2K"
    response = _edit(world, bob, BASE.replace("Kind", secret), opened)
    page = text(response)
    assert response.status_code == 422
    assert "looks like a secret" in page
    assert f"- {secret}.\n</textarea>" in page
    assert _soul(world).sha256 == now


def test_saving_both_together_is_an_event_with_its_reason(
    world: World, bob: Client, opened: str
) -> None:
    _theirs(world, BASE.replace("Brief", "Theirs"))
    _edit(world, bob, BASE.replace("Kind", "Mine"), opened, reason="Agreed on the phone.")
    assert actions(world.team)[-1] == "file.written"
    assert _soul(world).revisions.latest("number").reason == "Agreed on the phone."


def _alice(world: World) -> Writer:
    return Writer(AuthorKind.PERSON, user=world.alice)


def _theirs(world: World, content: str) -> str:
    with write_transaction(world.team) as tx:
        place = Place(world.agent, None, "SOUL.md")
        return door.write(tx, place, content, writer=_alice(world)).file.sha256


def _soul(world: World) -> File:
    return File.objects.get(agent=world.agent, owner=None, path="SOUL.md")


def _edit(
    world: World,
    client: Client,
    content: str,
    sha256: str,
    *,
    headers: dict[str, str] | None = None,
    **said: str,
) -> Any:
    address = url(world.team, "agents_edit", world.agent.pk, "SOUL.md")
    return client.post(address, {"content": content, "sha256": sha256, **said}, headers=headers)
