"""What changed and who wrote it, by keyboard, from the files or a file."""

import re

from playwright.sync_api import expect

from memoryweb.memory.models import AuthorKind
from memoryweb.memory.models.writer import Place, Writer, write_transaction
from memoryweb.memory.writing.write import write
from tests.browser.conftest import Open
from tests.waiting import until
from tests.web.pages import url
from tests.world import World

# How many cells of each row stand below all before them.
LINES = """[...document.querySelectorAll("table.history tbody tr")].map((row) => {
  const cells = [...row.children].map((cell) => cell.getBoundingClientRect())
    .filter((box) => box.height).sort((a, b) => a.top - b.top);
  let end = -1;
  return cells.filter((box) => {
    const isBelow = box.top >= end;
    end = Math.max(end, box.bottom);
    return isBelow;
  }).length;
})"""


def test_since_last_monday_is_a_link_beside_activity(open_page: Open, world: World) -> None:
    page = open_page(url(world.team, "agents_activity", world.agent.pk), world.vera)
    page.get_by_role("link", name="Memory on another day").press("Enter")
    page.get_by_role("link", name="Changed files").press("Enter")
    expect(page.locator(".change")).to_have_count(4)  # the seeded files are new this week


def test_a_revision_takes_three_lines_of_a_phone(open_page: Open, world: World) -> None:
    for content in ("One.", "Two."):
        with write_transaction(world.team) as tx:
            writer = Writer(AuthorKind.PERSON, user=world.bob)
            reason = "The release day moved to Thursday, as the harbour said on the phone today"
            write(tx, Place(world.agent, None, "day.md"), content, writer=writer, reason=reason)
    page = open_page("/", world.bob)
    page.set_viewport_size({"width": 360, "height": 800})
    page.goto(url(world.team, "agents_revisions", world.agent.pk, "day.md"))
    assert page.evaluate(LINES) == [3, 3]


def test_unchanged_lines_open_in_place(open_page: Open, world: World) -> None:
    lines = [f"Line {number}." for number in range(40)]
    for last in ("One.", "Two."):
        with write_transaction(world.team) as tx:
            writer = Writer(AuthorKind.PERSON, user=world.bob)
            content = "\n".join([*lines, last])
            write(tx, Place(world.agent, None, "lines.md"), content, writer=writer)
    page = open_page(url(world.team, "agents_compare", world.agent.pk, "lines.md"), world.vera)
    page.get_by_role("link", name="Show 37 unchanged lines").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_text("Line 7.").first).to_be_visible()
    until(lambda: page.evaluate("document.activeElement.innerText") == "1")


def test_who_wrote_which_line_is_opened_and_closed_by_keyboard(
    open_page: Open, world: World
) -> None:
    page = open_page(url(world.team, "agents_file", world.agent.pk, "MEMORY.md"), world.bob)
    page.locator("#as-authors").press("Enter")
    expect(page.locator(".blame")).to_be_visible()
    expect(page).to_have_url(re.compile(r"\?authors=on$"))
    expect(page.locator("#as-authors")).to_be_focused()
    page.locator("#as-text").press("Enter")
    expect(page.locator("#text .lines")).to_be_visible()
    page.go_back()
    expect(page.locator(".blame")).to_be_visible()
