"""What a person does without a mouse, and what moves by itself."""

import re

import pytest
from playwright.sync_api import Page, expect

from memoryweb.runs import engine
from memoryweb.runs.models import Run
from tests.browser.conftest import Open
from tests.web.pages import url
from tests.web.stage import NOTE, SHARED, Stage, build
from tests.world import World


@pytest.fixture
def stage(world: World) -> Stage:
    return build(world)


def test_the_first_tab_skips_to_the_content(open_page: Open, world: World) -> None:
    page = open_page(url(world.team, "last_night"), world.alice)
    page.keyboard.press("Tab")
    expect(page.locator(".skip")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_be_focused()


def test_the_rail_comes_in_the_order_it_is_read(open_page: Open, world: World) -> None:
    page = open_page(url(world.team, "last_night"), world.alice)
    seen = [_next(page) for _step in range(6)]
    assert seen[1:] == ["memoryweb", "Team: Harbour", "Last night", "Review", "Agents"]


def test_the_menu_of_teams_opens_and_escape_closes_it(open_page: Open, world: World) -> None:
    page = open_page(url(world.team, "last_night"), world.alice)
    menu = page.locator("details.teams")
    menu.locator("summary").focus()
    page.keyboard.press("Enter")
    expect(menu).to_have_attribute("open", "")
    page.keyboard.press("Escape")
    expect(menu).not_to_have_attribute("open", "")
    expect(menu.locator("summary")).to_be_focused()


def test_a_dream_is_started_and_followed_to_its_end(open_page: Open, stage: Stage) -> None:
    page = open_page(url(stage.world.team, "agents_dreams", stage.world.agent.pk), stage.world.bob)
    page.get_by_role("button", name="Dream now").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#progress")).to_contain_text("Waiting for a worker")
    list(engine.run_pending(until_idle=True))
    expect(page.locator("#progress")).to_have_count(0)
    expect(page.locator("#story")).to_be_visible()
    assert Run.objects.filter(trigger="person").count() == 1


def test_what_was_learned_is_answered_by_letters(open_page: Open, stage: Stage) -> None:
    page = open_page(url(stage.world.team, "last_night"), stage.world.alice)
    row = page.locator("[data-row]", has_text=SHARED)
    page.keyboard.press("j")
    expect(row).to_be_focused()
    page.keyboard.press("c")
    expect(row).to_contain_text("confirmed by you")
    expect(row).to_be_focused()
    page.keyboard.press("u")
    expect(row).not_to_contain_text("confirmed by you")
    expect(row).to_be_focused()
    page.keyboard.press("f")
    expect(row.locator(".sure button.bad")).to_be_visible()
    page.keyboard.press("Escape")
    expect(row.locator(".sure button.bad")).to_be_hidden()
    assert SHARED in stage.memory.raw_content


def test_a_search_needs_no_mouse(open_page: Open, stage: Stage) -> None:
    page = open_page(url(stage.world.team, "search"), stage.world.vera)
    page.locator("main").focus()
    page.keyboard.press("/")
    expect(page.locator("[data-search]")).to_be_focused()
    page.keyboard.type("releases")
    hits = page.locator("[data-hit]")
    expect(hits.first).to_be_visible()
    expect(page).to_have_url(re.compile(r"\?q=releases$"))
    page.keyboard.press("ArrowDown")
    page.wait_for_load_state("networkidle")
    expect(hits.first).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator("[data-search]")).to_be_focused()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.locator(".blk mark").first).to_have_text("release")


def test_the_prompt_is_ordered_without_losing_the_place(open_page: Open, stage: Stage) -> None:
    page = open_page(url(stage.world.team, "agents_prompt", stage.world.agent.pk), stage.world.bob)
    button = page.get_by_role("button", name="Move SOUL.md up")
    button.press("Enter")
    expect(page.locator("table.given tbody tr").first).to_contain_text("SOUL.md")
    expect(button).to_be_focused()


def test_why_opens_beside_the_line_and_takes_the_focus(open_page: Open, stage: Stage) -> None:
    address = url(stage.world.team, "agents_file", stage.world.agent.pk, NOTE)
    page = open_page(address, stage.world.vera)
    page.locator("#L3 .num a").focus()
    page.get_by_role("link", name="why? line 3").focus()
    page.keyboard.press("Enter")
    panel = page.locator("#why")
    expect(panel).to_contain_text("said")
    expect(panel).to_contain_text(SHARED)
    expect(panel.locator("h2")).to_be_focused()
    assert page.url.endswith(NOTE)


def test_pausing_tells_so_without_a_new_page(open_page: Open, world: World) -> None:
    page = open_page(url(world.team, "mine"), world.vera)
    page.evaluate("window.same = true")
    page.get_by_label("Menu", exact=True).press("Enter")
    page.get_by_role("switch", name="Learn from what I say").press("Enter")
    expect(page.get_by_role("status")).to_contain_text("Nothing new about you is noted")
    page.get_by_role("switch", name="Use what is known").press("Enter")
    expect(page.get_by_role("status")).to_contain_text("Memory is paused")
    expect(page.get_by_role("switch", name="Learn from what I say")).not_to_be_checked()
    assert page.evaluate("window.same") is True


def _next(page: Page) -> str:
    page.keyboard.press("Tab")
    said: str = page.evaluate("document.activeElement.textContent.trim().replace(/\\s+/g, ' ')")
    return said
