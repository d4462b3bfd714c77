"""Unsaved texts: kept for their person alone, tab by tab, whatever becomes of page and session."""

import pytest
from django.contrib.sessions.models import Session
from playwright.sync_api import Page, expect

from memoryweb.accounts.models import User
from memoryweb.memory.models import AuthorKind, File
from memoryweb.memory.models.writer import Place, Writer, write_transaction
from memoryweb.memory.writing.write import write
from tests.browser.conftest import Open, expect_saved
from tests.browser.test_every_page import AXE, RUN, TAGS
from tests.waiting import until
from tests.web.pages import url
from tests.world import PASSWORD, World

MINE = "Not saved yet."


def test_two_tabs_keep_two_drafts_and_a_save_ends_only_its_own(
    open_page: Open, world: World
) -> None:
    one, two = _editor(open_page, world), _editor(open_page, world)
    _write(one, "One.")
    _write(two, "Two.")
    until(lambda: len(_drafts(one)) == 2)
    _undo_all(two)
    until(lambda: _drafts(one) == ["One."])
    _write(two, "Two.")
    until(lambda: len(_drafts(one)) == 2)
    two.keyboard.press("Control+s")
    expect_saved(two)
    until(lambda: _drafts(two) == ["One."])


def test_a_draft_of_an_older_text_says_so_and_is_merged(open_page: Open, world: World) -> None:
    page = _editor(open_page, world)
    page.on("dialog", lambda dialog: dialog.accept())
    _write(page, MINE)
    until(lambda: _drafts(page))
    with write_transaction(world.team) as tx:
        place = Place(world.agent, None, "SOUL.md")
        write(tx, place, "# Theirs\n", writer=Writer(AuthorKind.PERSON, user=world.alice))
    page.reload()
    note = page.locator(".draft")
    expect(note).to_contain_text("The file has changed since")
    note.get_by_role("button", name="Use the draft").press("Enter")
    page.keyboard.press("Control+s")
    expect(page.get_by_role("alert")).to_contain_text("Alice saved revision 2")
    expect(page.locator(".diff")).to_contain_text(MINE)


def test_a_text_that_was_refused_leaves_no_second_draft(open_page: Open, world: World) -> None:
    page = _editor(open_page, world)
    _write(page, "AKIA" + "QXNBTM4PLZ7RWD2K")
    page.keyboard.press("Control+s")
    expect(page.get_by_role("alert")).to_contain_text("looks like a secret")
    until(lambda: len(_drafts(page)) == 1)
    _write(page, MINE)
    page.keyboard.press("Control+s")
    expect_saved(page)
    until(lambda: _drafts(page) == [])


def test_leaving_a_conflict_keeps_my_text(open_page: Open, world: World) -> None:
    page = _conflict(open_page, world)
    page.on("dialog", lambda dialog: dialog.accept())
    _write(page, "In other words.")
    page.get_by_role("link", name="Back to the file").click()
    page.wait_for_url("**/files/SOUL.md*")
    page.goto(url(world.team, "agents_edit", world.agent.pk, "SOUL.md"))
    page.get_by_role("button", name="Use the draft").click()
    page.keyboard.press("Control+s")
    expect_saved(page)
    until(lambda: _drafts(page) == [])
    assert "In other words." in File.objects.get(path="SOUL.md", agent=world.agent).raw_content


def test_mine_is_saved_by_keyboard_and_leaves_no_draft(open_page: Open, world: World) -> None:
    page = _conflict(open_page, world)
    page.evaluate(AXE)
    assert page.evaluate(RUN, TAGS)["violations"] == []
    page.keyboard.press("Control+s")
    expect_saved(page)
    expect(page.get_by_label("Text", exact=True)).to_be_focused()
    expect(page.get_by_text("Someone else saved first")).to_be_hidden()
    until(lambda: _drafts(page) == [])
    assert MINE in File.objects.get(path="SOUL.md", agent=world.agent).raw_content


def test_theirs_is_taken_without_a_question_and_leaves_no_draft(
    open_page: Open, world: World
) -> None:
    page = _conflict(open_page, world)
    page.get_by_role("button", name="Take theirs").click()
    page.wait_for_url("**/files/SOUL.md*")
    until(lambda: _drafts(page) == [])
    assert File.objects.get(path="SOUL.md", agent=world.agent).raw_content == "# Theirs\n"


def test_what_others_saved_elsewhere_comes_into_the_editor_with_the_save(
    open_page: Open, world: World
) -> None:
    page = _editor(open_page, world)
    base = File.objects.get(path="SOUL.md", agent=world.agent).raw_content
    with write_transaction(world.team) as tx:
        place = Place(world.agent, None, "SOUL.md")
        write(tx, place, f"Theirs.\n{base}", writer=Writer(AuthorKind.PERSON, user=world.alice))
    page.get_by_label("Text", exact=True).press("Control+End")
    page.keyboard.type(MINE)
    page.keyboard.press("Control+s")
    expect_saved(page)
    expect(page.get_by_label("Text", exact=True)).to_have_value(f"Theirs.\n{base}{MINE}")
    until(lambda: _drafts(page) == [])


def test_signing_out_asks_and_takes_the_drafts_along(open_page: Open, world: World) -> None:
    page = _editor(open_page, world)
    _write(page, MINE)
    until(lambda: _drafts(page))
    asked: list[str] = []

    def answer(dialog: object) -> None:
        asked.append(dialog.message)  # type: ignore[attr-defined]
        dialog.accept()  # type: ignore[attr-defined]

    page.on("dialog", answer)
    page.get_by_role("button", name="Sign out").click()
    page.wait_for_url("**/accounts/login/**")
    assert "have not saved" in asked[0]
    until(lambda: _drafts(page) == [])


def test_nobody_else_in_the_same_browser_is_offered_a_draft(open_page: Open, world: World) -> None:
    page = _editor(open_page, world)
    page.on("dialog", lambda dialog: dialog.accept())
    _write(page, MINE)
    until(lambda: _drafts(page))
    Session.objects.all().delete()
    _sign_in(page, world.alice, url(world.team, "agents_edit", world.agent.pk, "SOUL.md"))
    expect(page.locator(".numbers > div").first).to_be_visible()
    expect(page.locator(".draft")).to_be_hidden()
    assert MINE not in page.locator("main").inner_text()


def test_a_session_that_ends_while_writing_costs_no_text(open_page: Open, world: World) -> None:
    page = _editor(open_page, world)
    page.get_by_role("button", name="Preview").click()
    expect(page.locator("#preview .prose").first).to_be_visible()
    Session.objects.all().delete()
    _write(page, MINE)
    told = page.locator("#messages")
    expect(told).to_contain_text("You are signed out.")
    expect(page.get_by_label("Text", exact=True)).to_have_value(MINE)
    with page.expect_popup() as tab:
        told.get_by_role("link", name="Sign in in a new tab").click()
    _sign_in(tab.value, world.bob)
    page.evaluate("dispatchEvent(new Event('focus'))")
    expect(told).to_contain_text("You are signed in again.")
    page.keyboard.press("Control+s")
    expect_saved(page)
    assert File.objects.get(path="SOUL.md", agent=world.agent).raw_content == MINE


def test_a_save_after_the_session_ended_is_made_again(open_page: Open, world: World) -> None:
    page = _editor(open_page, world)
    _write(page, MINE)
    Session.objects.all().delete()
    page.keyboard.press("Control+s")
    told = page.locator("#messages")
    with page.expect_popup() as tab:
        told.get_by_role("link", name="Sign in in a new tab").click()
    _sign_in(tab.value, world.bob)
    page.evaluate("dispatchEvent(new Event('focus'))")
    expect(told).to_contain_text("You are signed in again.")
    page.keyboard.press("Control+s")
    expect_saved(page)
    assert File.objects.get(path="SOUL.md", agent=world.agent).raw_content == MINE


@pytest.mark.parametrize("answer", ["none", "500"])
def test_a_preview_that_fails_says_so_and_comes_back(
    open_page: Open, world: World, answer: str
) -> None:
    page = _editor(open_page, world).context.new_page()  # one whose console may complain
    page.goto(url(world.team, "agents_edit", world.agent.pk, "SOUL.md"))
    page.get_by_role("button", name="Preview").click()
    expect(page.locator("#preview .prose").first).to_be_visible()
    shown = page.locator("#preview").inner_text()
    act = (lambda route: route.abort()) if answer == "none" else (lambda r: r.fulfill(status=500))
    page.route("**/files/preview/**", act)
    _write(page, MINE)
    expect(page.get_by_text("No preview: the server does not answer.")).to_be_visible()
    assert page.locator("#preview").inner_text() == shown
    page.unroute("**/files/preview/**")
    page.keyboard.type(" More.")
    expect(page.locator("#preview")).to_contain_text("More.")
    expect(page.locator("[data-failed]")).to_be_hidden()


def _editor(open_page: Open, world: World) -> Page:
    return open_page(url(world.team, "agents_edit", world.agent.pk, "SOUL.md"), world.bob)


def _conflict(open_page: Open, world: World) -> Page:
    page = _editor(open_page, world)
    with write_transaction(world.team) as tx:
        place = Place(world.agent, None, "SOUL.md")
        write(tx, place, "# Theirs\n", writer=Writer(AuthorKind.PERSON, user=world.alice))
    _write(page, MINE)
    page.keyboard.press("Control+s")
    page.wait_for_selector(".diff")
    return page


def _write(page: Page, said: str) -> None:
    page.get_by_label("Text", exact=True).focus()
    page.keyboard.press("Control+a")
    page.keyboard.type(said)


def _undo_all(page: Page) -> None:
    text = page.get_by_label("Text", exact=True)
    text.fill(text.evaluate("text => text.defaultValue"))


def _drafts(page: Page) -> list[str]:
    kept: list[str] = page.evaluate(
        """Object.keys(localStorage).filter(key => key.startsWith("memoryweb-draft:"))
             .map(key => JSON.parse(localStorage.getItem(key)).text)"""
    )
    return kept


def _sign_in(page: Page, user: User, address: str = "") -> None:
    if address:
        page.goto(address)
    page.get_by_label("Email").fill(user.email)
    page.locator("[name=password]").fill(PASSWORD)
    page.keyboard.press("Enter")
    page.wait_for_url(lambda there: "/accounts/login/" not in there)
