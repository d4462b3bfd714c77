"""A line is edited where it stands, what was saved is marked, and one click takes it back."""

from typing import Any

import pytest
from django.test import Client

from memoryweb.markdown.line_edits import Clash, brought_together, with_words, words_of
from memoryweb.memory.models import AuthorKind, File
from memoryweb.memory.models.writer import Place, Writer, write_transaction
from memoryweb.memory.writing import write as door
from tests.web.pages import actions, text, url
from tests.world import World

TEXT = "# Guests\n\n- Ada drinks tea.\n- Ben drinks coffee.\n\nThe end.\n"


@pytest.fixture
def guests(world: World) -> File:
    return _by(world, TEXT)


def test_a_line_is_edited_in_place_and_marked(world: World, bob: Client, guests: File) -> None:
    open_line = text(bob.get(_page(world, "?edit=3")))
    assert ">\nAda drinks tea.</textarea>" in open_line  # its words, without the mark of the item
    answer = _save(world, bob, guests, 3, "Ada drinks juice.")
    assert answer.url == _page(world, "?saved=2#L3")
    assert _now(world).raw_content == TEXT.replace("tea", "juice")
    page = text(bob.get(answer.url))
    assert "1 line changed." in page
    assert page.count(">changed</span>") == 1
    assert "file.written" in actions(world.team)
    assert _now(world).origins.get(line=3).author_kind == AuthorKind.PERSON


def test_htmx_gets_the_text_again_with_the_message_and_its_undo(
    world: World, bob: Client, guests: File
) -> None:
    headers = {"HX-Request": "true", "HX-Target": "text"}
    answer = _save(world, bob, guests, 3, "Ada drinks juice.", headers=headers)
    page = text(answer)
    assert answer.status_code == 200
    assert "<html" not in page
    assert "Ada drinks juice." in page
    assert _url(world, "agents_undo_save", 2) in page
    assert "csrfmiddlewaretoken" in page


def test_a_line_of_nothing_is_removed(world: World, bob: Client, guests: File) -> None:
    answer = _save(world, bob, guests, 3, "  ", follow=True)
    assert "1 line was removed." in text(answer)
    assert "Ada" not in _now(world).raw_content


def test_what_others_changed_elsewhere_stays(world: World, bob: Client, guests: File) -> None:
    _by(
        world, TEXT.replace("# Guests", "# Guests\n\nNew above.").replace("The end", "The very end")
    )
    _save(world, bob, guests, 3, "Ada drinks juice.")
    assert "New above.\n\n- Ada drinks juice.\n- Ben" in _now(world).raw_content
    assert "The very end" in _now(world).raw_content


def test_both_texts_are_shown_when_somebody_changed_the_same_line(
    world: World, bob: Client, guests: File
) -> None:
    theirs = _by(world, TEXT.replace("tea", "water").replace("# Guests", "# Guests\n\nMore."))
    answer = _save(world, bob, guests, 3, "Ada drinks juice.")
    page = text(answer)
    assert answer.status_code == 409
    assert '<pre class="theirs">- Ada drinks water.</pre>' in page
    assert ">\nAda drinks juice.</textarea>" in page
    assert _now(world).raw_content == theirs.raw_content
    _save(world, bob, theirs, 5, "Ada drinks juice.")
    assert "- Ada drinks juice." in _now(world).raw_content


def test_a_line_that_was_taken_away_meanwhile_comes_back_with_its_new_words(
    world: World, bob: Client, guests: File
) -> None:
    theirs = _by(world, TEXT.replace("- Ada drinks tea.\n", ""))
    page = text(_save(world, bob, guests, 3, "Ada drinks juice."))
    assert "They took it away." in page
    _save(world, bob, theirs, 3, "- Ada drinks juice.", last="2")
    assert _now(world).raw_content == TEXT.replace("tea", "juice")


def test_a_secret_is_refused_and_the_words_stay(world: World, bob: Client, guests: File) -> None:
    answer = _save(world, bob, guests, 3, "The password=hunter2hunter2 opens it")
    assert answer.status_code == 422
    assert "hunter2hunter2" in text(answer)
    answer = _save(world, bob, guests, 3, "password=hunter2hunter2", no_secrets="on")
    assert answer.status_code == 302


def test_who_may_not_write_is_offered_nothing(world: World, vera: Client, guests: File) -> None:
    page = text(vera.get(_page(world, "?edit=3")))
    assert "textarea" not in page
    assert "?edit=" not in page
    assert _save(world, vera, guests, 3, "Mine.").status_code == 403


@pytest.mark.parametrize("first", ["0", "x", "9"])
def test_lines_that_make_no_sense_are_told(
    world: World, bob: Client, guests: File, first: str
) -> None:
    assert _save(world, bob, guests, 3, "x", first=first, last="2").status_code in {409, 422}
    assert _now(world).raw_content == TEXT


def test_a_save_is_undone_with_one_click(world: World, bob: Client, guests: File) -> None:
    page = text(_save(world, bob, guests, 3, "Ada drinks juice.", follow=True))
    assert _url(world, "agents_undo_save", 2) in page
    page = text(bob.post(_url(world, "agents_undo_save", 2), follow=True))
    assert "Undone: guests.md is as it was before." in page
    assert _now(world).raw_content == TEXT


def test_an_undo_takes_nothing_away_that_is_newer(world: World, bob: Client, guests: File) -> None:
    _save(world, bob, guests, 3, "Ada drinks juice.")
    newer = _by(world, TEXT + "- Newer.\n")
    page = text(bob.post(_url(world, "agents_undo_save", 2), follow=True))
    assert "guests.md has changed since." in page
    assert _now(world).raw_content == newer.raw_content


def test_nobody_undoes_what_another_saved(
    world: World, alice: Client, bob: Client, guests: File
) -> None:
    _save(world, bob, guests, 3, "Ada drinks juice.")
    page = text(alice.post(_url(world, "agents_undo_save", 2), follow=True))
    assert "guests.md has changed since." in page
    assert "juice" in _now(world).raw_content


def test_a_deletion_is_undone(world: World, bob: Client, guests: File) -> None:
    gone = bob.post(_url(world, "agents_delete"), {"sha256": guests.sha256}, follow=True)
    assert _url(world, "agents_undo_save", 2) in text(gone)
    bob.post(_url(world, "agents_undo_save", 2))
    assert _now(world).deleted_at is None
    assert _now(world).raw_content == TEXT


@pytest.mark.parametrize(
    ("line", "said", "becomes"),
    [
        ("- Tea.", "Juice.", "- Juice."),
        ("  - Tea.", "Juice.\nCold.", "  - Juice.\n    Cold."),
        ("- 1. Tea.", "Juice.", "- 1. Juice."),
        ("12) Tea.", "12) Juice.", "12) Juice."),
        ("## Tea", "## Juice", "## Juice"),
    ],
)
def test_an_item_keeps_its_mark(line: str, said: str, becomes: str) -> None:
    assert with_words(line, 1, 1, said) == becomes
    assert with_words(line, 1, 1, words_of(line, 1, 1)) == line


def test_of_lines_that_changed_one_by_one_only_mine_is_asked_about() -> None:
    base, theirs = "- one tea\n- two teas\n- c", "- one cup of tea\n- two cups of tea\n- c"
    found = brought_together(base, theirs, 1, 1, "one juice")
    assert found == Clash(1, 1, "- one cup of tea", "one juice")


def _save(world: World, client: Client, file: File, line: int, said: str, **more: Any) -> Any:
    follow, headers = more.pop("follow", False), more.pop("headers", {})
    sent = {"first": line, "last": line, "sha256": file.sha256, "text": said} | more
    return client.post(_url(world, "agents_edit_line"), sent, follow=follow, headers=headers)


def _by(world: World, content: str) -> File:
    with write_transaction(world.team) as tx:
        place = Place(world.agent, None, "guests.md")
        writer = Writer(AuthorKind.PERSON, user=world.alice)
        return door.write(tx, place, content, writer=writer).file


def _now(world: World) -> File:
    return File.objects.get(agent=world.agent, owner=None, path="guests.md")


def _page(world: World, query: str) -> str:
    return url(world.team, "agents_file", world.agent.pk, "guests.md", query=query)


def _url(world: World, name: str, *place: int) -> str:
    return url(world.team, name, world.agent.pk, "guests.md", *place)
