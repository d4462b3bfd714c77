"""Two who edit one file: what fits comes together, the rest is chosen, and no text is lost."""

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
    now = _theirs(world, BASE.replace("Calm", "Very calm"))
    mine = BASE.replace("Kind", "Very kind")
    page = text(_edit(world, bob, mine, opened))
    assert "do not overlap" in page
    saved = _merge(world, bob, content=mine, sha256=now, base=opened)
    assert saved.status_code == 302
    assert _soul(world).raw_content == "# Soul\n\n- Very calm.\n- Brief.\n- Very kind.\n"


def test_a_place_that_both_changed_shows_theirs_mine_and_before(
    world: World, bob: Client, opened: str
) -> None:
    theirs, mine = (BASE.replace("Brief", f"Brief {word}") for word in ("theirs", "mine"))
    _theirs(world, theirs)
    response = _edit(world, bob, mine, opened)
    page = text(response)
    assert response.status_code == 409
    for line in ("- Brief<ins> theirs</ins>.", "- Brief<ins> mine</ins>.", "- Brief."):
        assert f">{line}</pre>" in page
    assert _soul(world).raw_content == theirs


@pytest.mark.parametrize(
    ("choice", "becomes"),
    [
        ("theirs", "- Theirs.\n"),
        ("mine", "- Mine.\n"),
        ("both", "- Theirs.\n- Mine.\n"),
        ("mine-first", "- Mine.\n- Theirs.\n"),
        ("hand", "- By hand.\n"),
    ],
)
def test_each_choice_is_what_is_saved(
    world: World, bob: Client, opened: str, choice: str, becomes: str
) -> None:
    now = _theirs(world, BASE.replace("Brief", "Theirs"))
    chosen = {"choice-1": choice, "hand-1": "- By hand."}
    _merge(world, bob, content=BASE.replace("Brief", "Mine"), sha256=now, base=opened, **chosen)
    assert _soul(world).raw_content == BASE.replace("- Brief.\n", becomes)


def test_htmx_goes_on_in_the_editor_with_the_merged_text(
    world: World, bob: Client, opened: str
) -> None:
    now = _theirs(world, BASE.replace("Calm", "Very calm"))
    said = {"content": BASE.replace("Kind", "Very kind"), "sha256": now, "base": opened}
    headers = {"HX-Request": "true", "HX-Target": "editing"}
    address = url(world.team, "agents_merge", world.agent.pk, "SOUL.md")
    response = bob.post(address, said, headers=headers)
    page = text(response)
    assert response.status_code == 200
    assert "<html" not in page
    assert "- Very calm.\n- Brief.\n- Very kind.\n</textarea>" in page
    assert _soul(world).sha256 in page
    assert url(world.team, "agents_undo_save", world.agent.pk, "SOUL.md", 4) in page


def test_without_a_choice_nothing_is_saved_and_what_was_chosen_stays(
    world: World, bob: Client, opened: str
) -> None:
    now = _theirs(world, BASE.replace("Calm", "X").replace("Kind", "Y"))
    mine = BASE.replace("Calm", "Q").replace("Kind", "R")
    chosen = {"choice-1": "hand", "hand-1": "- My own words."}
    response = _merge(world, bob, content=mine, sha256=now, base=opened, **chosen)
    page = text(response)
    assert response.status_code == 422
    assert "Nothing is saved yet: choose what place 2 becomes." in page
    assert "- My own words." in page
    assert _soul(world).sha256 == now


def test_what_fits_by_itself_can_be_left_as_it_was(world: World, bob: Client, opened: str) -> None:
    now = _theirs(world, BASE.replace("Calm", "Very calm"))
    mine = BASE.replace("Kind", "Very kind")
    chosen = {"choice-1": "mine", "choice-3": "hand", "hand-3": "- By hand."}
    _merge(world, bob, content=mine, sha256=now, base=opened, **chosen)
    assert _soul(world).raw_content == BASE.replace("- Kind.", "- By hand.")


def test_a_choice_that_a_hunk_does_not_offer_counts_as_none(
    world: World, bob: Client, opened: str
) -> None:
    now = _theirs(world, BASE.replace("Calm", "Very calm"))
    _merge(world, bob, content=BASE, sha256=now, base=opened, **{"choice-1": "mine-first"})
    assert _soul(world).sha256 == now


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


def test_somebody_who_is_faster_again_is_merged_again(
    world: World, bob: Client, opened: str
) -> None:
    now = _theirs(world, BASE.replace("Brief", "Theirs"))
    _theirs(world, BASE.replace("Brief", "Theirs").replace("Calm", "Faster"))
    mine = BASE.replace("Brief", "Mine")
    response = _merge(world, bob, content=mine, sha256=now, base=opened, **{"choice-1": "both"})
    page = text(response)
    assert response.status_code == 409
    assert "do not overlap" in page
    assert "- Theirs.\n- Mine.\n" in page


def test_an_ancestor_that_is_unknown_takes_no_line_away(
    world: World, bob: Client, opened: str
) -> None:
    now = _theirs(world, "- Theirs.\n- Shared.\n")
    _edit(world, bob, "- Shared.\n- Mine.\n", "0" * 64)
    _merge(world, bob, content="- Shared.\n- Mine.\n", sha256=now, base="0" * 64)
    assert _soul(world).raw_content == "- Theirs.\n- Shared.\n- Mine.\n"


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


def test_a_secret_in_the_merged_text_is_refused_and_the_choices_stay(
    world: World, bob: Client, opened: str
) -> None:
    now = _theirs(world, BASE.replace("Brief", "Theirs"))
    secret = "AKIA" + "QXNBTM4PLZ7RWD2K"
    chosen = {"choice-1": "hand", "hand-1": f"- {secret}"}
    response = _merge(
        world, bob, content=BASE.replace("Brief", "Mine"), sha256=now, base=opened, **chosen
    )
    assert response.status_code == 422
    assert "looks like a secret" in text(response)
    assert _soul(world).sha256 == now


def test_hundreds_of_places_are_chosen_in_one_form(world: World, bob: Client) -> None:
    base, theirs, mine = (
        "\n".join(f"- {n} {word}\n- {n} stays" for n in range(300))
        for word in ("first", "theirs", "mine")
    )
    opened, now = _theirs(world, base), _theirs(world, theirs)
    said = {f"choice-{at}": "mine" for at in range(600)}
    said |= {f"hand-{at}": "" for at in range(600)}
    saved = _merge(world, bob, content=mine, sha256=now, base=opened, **said)
    assert saved.status_code == 302
    assert _soul(world).raw_content == mine


def test_saving_both_together_is_an_event_with_its_reason(
    world: World, bob: Client, opened: str
) -> None:
    now = _theirs(world, BASE.replace("Brief", "Theirs"))
    said = {"choice-1": "mine", "reason": "Agreed on the phone."}
    _merge(world, bob, content=BASE.replace("Brief", "Mine"), sha256=now, base=opened, **said)
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


def _edit(world: World, client: Client, content: str, sha256: str) -> Any:
    address = url(world.team, "agents_edit", world.agent.pk, "SOUL.md")
    return client.post(address, {"content": content, "sha256": sha256})


def _merge(world: World, client: Client, **fields: str) -> Any:
    return client.post(url(world.team, "agents_merge", world.agent.pk, "SOUL.md"), fields)
