"""The editor and the order of the prompt as people use them."""

import re

from playwright.sync_api import Page, expect

from memoryweb.memory.models import AuthorKind, File
from memoryweb.memory.models.writer import Place, Writer, write_transaction
from memoryweb.memory.writing.write import write
from tests.browser.conftest import Open, expect_saved
from tests.waiting import until
from tests.web.pages import url
from tests.world import World


def test_a_text_is_edited_and_saved_by_keyboard_alone(open_page: Open, world: World) -> None:
    page = open_page(url(world.team, "agents_edit", world.agent.pk, "SOUL.md"), world.bob)
    text = page.get_by_label("Text", exact=True)
    page.keyboard.press("Control+Home")
    page.keyboard.type("Kind words first.\n")
    expect(page.locator(".mirror > div > div").first).to_have_text("Kind words first.")
    page.keyboard.press("Tab")
    expect(text).not_to_be_focused()
    page.keyboard.press("Control+s")
    expect_saved(page)
    expect(page.get_by_role("status")).to_contain_text("saved as revision 2")
    assert _file(world, "SOUL.md").raw_content.startswith("Kind words first.\n")


def test_the_editor_begins_at_its_text(open_page: Open, world: World) -> None:
    page = open_page("/", world.bob)
    page.set_viewport_size({"width": 360, "height": 640})
    page.goto(url(world.team, "agents_edit", world.agent.pk, "SOUL.md"))
    expect(page.get_by_label("Text", exact=True)).to_be_focused()
    until(lambda: page.evaluate("scrollY") == 0)


def test_a_page_with_something_to_say_leaves_the_text_to_a_skip_link(
    open_page: Open, world: World
) -> None:
    page = open_page(url(world.team, "agents_new_file", world.agent.pk), world.bob)
    page.get_by_label("Name").fill("keys.md")
    text = page.get_by_label("Text", exact=True)
    text.fill("The pass" + "word: hunter2hunter2X9\n")
    page.get_by_role("button", name="Create the file").click()
    expect(page.get_by_role("alert")).to_be_visible()
    expect(text).not_to_be_focused()
    for _step in range(2):
        page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the text")).to_be_focused()
    page.keyboard.press("Enter")
    expect(text).to_be_focused()


def test_a_save_leaves_the_caret_and_the_page_where_they_were(
    open_page: Open, world: World
) -> None:
    page = open_page("/", world.bob)
    page.set_viewport_size({"width": 360, "height": 640})
    page.goto(url(world.team, "agents_edit", world.agent.pk, "SOUL.md"))
    page.evaluate("window.isSamePage = true")
    text = page.get_by_label("Text", exact=True)
    text.fill("\n".join(f"- Habit {number}." for number in range(1, 200)))
    page.keyboard.press("Control+s")
    expect_saved(page)
    text.evaluate("text => { text.scrollTop = 900; text.setSelectionRange(700, 700); }")
    page.mouse.wheel(0, 150)
    until(lambda: page.evaluate("scrollY") > 0)
    page.keyboard.type("!")
    until(lambda: "!" in text.input_value())
    until(lambda: page.evaluate(_IS_AT_REST))
    before = page.evaluate(_WHERE)
    page.keyboard.press("Control+s")
    expect(page.locator("#messages")).to_contain_text("revision 3. 1 line changed.")
    expect(text).to_be_focused()
    until(lambda: page.evaluate(_WHERE) == before)
    expect(page.locator(".numbers .changed")).to_have_count(1)
    page.get_by_role("button", name="Undo").click()
    expect(page.locator("#messages")).to_contain_text("Undone: SOUL.md is as it was before.")
    expect(text).not_to_have_value(re.compile("!"))
    assert "!" not in _file(world, "SOUL.md").raw_content


def test_what_is_refused_stays_in_the_text_with_its_reason_beside_it(
    open_page: Open, world: World
) -> None:
    page = open_page(url(world.team, "agents_edit", world.agent.pk, "SOUL.md"), world.bob)
    text = page.get_by_label("Text", exact=True)
    text.fill("The pass" + "word: hunter2hunter2X9\n")
    page.keyboard.press("Control+s")
    expect(page.get_by_role("alert")).to_be_visible()
    expect(text).to_be_focused()
    page.get_by_label("These are no secrets").check()
    page.get_by_role("button", name="Save").click()
    expect_saved(page)
    expect(page.get_by_role("alert")).to_have_count(0)


def test_a_draft_outlives_a_reload_and_ends_with_the_save(open_page: Open, world: World) -> None:
    page = open_page(url(world.team, "agents_edit", world.agent.pk, "SOUL.md"), world.bob)
    page.on("dialog", lambda dialog: dialog.accept())
    page.get_by_label("Text", exact=True).fill("Not saved yet.\n")
    until(lambda: _drafts(page) == 1)
    page.reload()
    page.get_by_role("button", name="Use the draft").click()
    expect(page.get_by_label("Text", exact=True)).to_have_value("Not saved yet.\n")
    page.get_by_role("button", name="Save").click()
    expect_saved(page)
    until(lambda: _drafts(page) == 0)
    assert _file(world, "SOUL.md").raw_content == "Not saved yet.\n"


def test_the_draft_of_a_new_file_ends_with_the_file(open_page: Open, world: World) -> None:
    page = open_page(url(world.team, "agents_new_file", world.agent.pk), world.bob)
    page.get_by_label("Name").fill("plans.md")
    page.get_by_label("Text", exact=True).fill("- Row to the pier.\n")
    until(lambda: _drafts(page) == 1)
    page.get_by_role("button", name="Create the file").click()
    page.wait_for_url("**/files/plans.md*")
    until(lambda: _drafts(page) == 0)


def test_a_preview_stands_beside_the_text_and_follows_it(open_page: Open, world: World) -> None:
    page = open_page(url(world.team, "agents_edit", world.agent.pk, "SOUL.md"), world.bob)
    page.get_by_role("button", name="Preview").press("Enter")
    page.get_by_label("Text", exact=True).fill("- **Warm** tea\n")
    expect(page.locator("#preview strong")).to_have_text("Warm")
    assert _file(world, "SOUL.md").revision == 1


def test_the_prompt_is_ordered_by_keys_and_by_dragging(open_page: Open, world: World) -> None:
    page = open_page(url(world.team, "agents_files", world.agent.pk), world.bob)
    up = page.get_by_role("button", name="Move MEMORY.md up")
    up.press("Enter")
    expect(page.get_by_role("status")).to_contain_text("MEMORY.md is in the prompt, in place 3")
    rows = page.locator("[data-path]")
    expect(rows.nth(2)).to_have_attribute("data-path", "MEMORY.md")
    expect(up).to_be_focused()
    _drag(page, "MEMORY.md", "AGENTS.md")
    expect(rows.first).to_have_attribute("data-path", "MEMORY.md")
    switch = page.get_by_role("switch", name="SOUL.md in the prompt")
    switch.press("Space")
    expect(switch).to_have_attribute("aria-checked", "false")
    order = File.objects.of(world.agent.pk, None).enabled_in_order()
    assert list(order.values_list("path", flat=True)) == ["MEMORY.md", "AGENTS.md", "PROFILE.md"]


def test_a_finger_drags_by_the_handle(open_page: Open, world: World) -> None:
    page = open_page(url(world.team, "agents_files", world.agent.pk), world.bob)
    page.set_viewport_size({"width": 360, "height": 740})
    grip = page.locator("[data-path='MEMORY.md'] .grip")
    grip.scroll_into_view_if_needed()
    start, end = grip.bounding_box(), page.locator("[data-path='AGENTS.md']").bounding_box()
    assert start
    assert end
    touch = page.context.new_cdp_session(page)
    x, y = start["x"] + 8, start["y"] + 8
    for kind, at in (("Start", y), ("Move", y - 20), ("Move", end["y"] + 4), ("End", None)):
        points = [] if at is None else [{"x": x, "y": at}]
        touch.send("Input.dispatchTouchEvent", {"type": f"touch{kind}", "touchPoints": points})
    expect(page.locator("[data-path]").first).to_have_attribute("data-path", "MEMORY.md")
    expect(page.get_by_role("status")).to_contain_text("in place 1")


def test_a_drag_that_escape_ends_moves_nothing(open_page: Open, world: World) -> None:
    page = open_page(url(world.team, "agents_files", world.agent.pk), world.bob)
    _drag(page, "MEMORY.md", "AGENTS.md", key="Escape")
    expect(page.locator(".drop, .dragged")).to_have_count(0)
    assert File.objects.of(world.agent.pk, None).enabled_in_order()[0].path == "AGENTS.md"


def test_files_are_found_by_name_as_it_is_typed(open_page: Open, world: World) -> None:
    with write_transaction(world.team) as tx:
        for number in range(20):
            place = Place(world.agent, None, f"skills/n{number}/SKILL.md")
            write(tx, place, "text", writer=Writer(AuthorKind.PERSON, user=world.bob))
    page = open_page(url(world.team, "agents_files", world.agent.pk), world.bob)
    page.get_by_label("File name").press_sequentially("soul")
    expect(page.locator(".tree th[scope='row']")).to_have_text(["SOUL.md"])
    expect(page.get_by_label("File name")).to_be_focused()
    expect(page).to_have_url(re.compile(r"\?name=soul$"))


def test_enter_goes_on_with_a_list_and_tab_indents_without_holding_anybody(
    open_page: Open, world: World
) -> None:
    page = open_page(url(world.team, "agents_new_file", world.agent.pk), world.bob)
    text = page.get_by_label("Text", exact=True)
    text.focus()
    page.keyboard.type("- [x] one\ntwo\n\n\n9. nine\nten\n")
    expect(text).to_have_value("- [x] one\n- [ ] two\n\n9. nine\n10. ten\n11. ")
    page.keyboard.press("Tab")
    expect(text).to_have_value("- [x] one\n- [ ] two\n\n9. nine\n10. ten\n  11. ")
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Enter")
    expect(text).to_have_value("- [x] one\n- [ ] two\n\n9. nine\n10. ten\n")
    for _step in range(3):
        page.keyboard.press("Control+z")
    expect(text).to_have_value("- [x] one\n- [ ] two\n\n9. nine\n10. ten\n11. ")
    page.keyboard.press("Escape")
    page.keyboard.press("Tab")
    expect(text).not_to_be_focused()
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Control+Home")
    page.keyboard.press("Shift+Tab")
    expect(text).to_be_focused()
    page.keyboard.press("Escape")
    page.keyboard.press("Shift+Tab")
    expect(text).not_to_be_focused()


def test_numbers_stand_beside_their_lines_however_they_wrap(open_page: Open, world: World) -> None:
    page = open_page(url(world.team, "agents_new_file", world.agent.pk), world.bob)
    lines = [f"line {number}" for number in range(1, 400)]
    lines[2], lines[4] = "会議は木曜日です。" * 60, "x" * 900
    text = page.get_by_label("Text", exact=True)
    text.fill("\n".join(lines))
    text.focus()
    page.keyboard.press("Control+Home")
    page.keyboard.type("# Title\n\n")
    for width in (1280, 360):
        page.set_viewport_size({"width": width, "height": 800})
        until(lambda: abs(page.evaluate(_DRIFT)) < 2)
    page.keyboard.press("Control+End")
    page.keyboard.type("\nlast")
    expect(page.locator(".numbers > div").last).to_have_text("402")
    for _step in range(4):
        page.keyboard.press("Control+z")
    until(lambda: page.evaluate(_MIRRORED))


# The caret, and how far the text and the page are scrolled.
_WHERE = """(text => [window.isSamePage, text.selectionStart, text.scrollTop, scrollY])(
  document.querySelector('textarea.text'))"""

# A wheel scrolls frame by frame, and goes on after the first.
_IS_AT_REST = """async () => {
  const where = () => [scrollY, document.querySelector('textarea.text').scrollTop].join();
  const before = where();
  for (let frame = 0; frame < 20; frame++) await new Promise(requestAnimationFrame);
  return where() === before;
}"""

_MIRRORED = """[...document.querySelectorAll('.mirror > div > div')].map(d => d.textContent)
  .join('\\n') === document.querySelector('textarea.text').value"""

# How far the last number would stand from its line.
_DRIFT = """document.querySelector('textarea.text').scrollHeight
  - document.querySelector('.mirror').getBoundingClientRect().height"""


def _drag(page: Page, path: str, before: str, key: str = "") -> None:
    start = page.locator(f"[data-path='{path}'] small").bounding_box()
    end = page.locator(f"[data-path='{before}']").bounding_box()
    assert start
    assert end
    page.mouse.move(start["x"] + 4, start["y"] + 4)
    page.mouse.down()
    page.mouse.move(start["x"] + 4, end["y"] + 30)
    page.mouse.move(start["x"] + 4, end["y"] + 3)
    if key:
        page.keyboard.press(key)
    page.mouse.up()


def _drafts(page: Page) -> int:
    kept: int = page.evaluate("Object.keys(localStorage).filter(k => k.includes('draft')).length")
    return kept


def _file(world: World, path: str) -> File:
    return File.objects.get(agent=world.agent, owner=None, path=path)
