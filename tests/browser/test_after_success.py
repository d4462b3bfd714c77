"""What pages look like once something was done: nothing for axe to find there either."""

import pytest
from playwright.sync_api import expect

from memoryweb.memory.models import Fact
from memoryweb.runs import engine
from tests.browser.conftest import Open
from tests.browser.test_every_page import looked_at
from tests.web.pages import url
from tests.web.stage import PERSONAL, SHARED, Stage, build
from tests.world import World


@pytest.fixture
def stage(world: World) -> Stage:
    return build(world)


def test_last_night_after_each_answer(open_page: Open, stage: Stage) -> None:
    page = open_page(url(stage.world.team, "last_night"), stage.world.bob)
    rows = page.locator("[data-row]")
    row, mine = rows.filter(has_text=SHARED), rows.filter(has_text=PERSONAL)
    page.keyboard.press("j")
    page.keyboard.press("c")
    expect(row).to_contain_text("confirmed by you")
    assert looked_at(page) == []
    mine.focus()
    page.keyboard.press("f")
    forget = mine.locator(".sure button.bad")
    expect(forget).to_be_visible()
    assert looked_at(page) == []
    forget.press("Enter")
    expect(page.get_by_role("status").get_by_role("button", name="Undo")).to_be_visible()
    assert looked_at(page) == []


def test_review_after_a_decision(open_page: Open, stage: Stage) -> None:
    page = open_page(url(stage.world.team, "review"), stage.world.alice)
    page.keyboard.press("j")
    page.keyboard.press("a")
    expect(page.get_by_role("button", name="Undo").first).to_be_visible()
    assert looked_at(page) == []


def test_a_file_after_a_save(open_page: Open, stage: Stage) -> None:
    team, agent = stage.world.team, stage.world.agent
    page = open_page(url(team, "agents_edit", agent.pk, "MEMORY.md"), stage.world.alice)
    page.get_by_label("Text").press("End")
    page.keyboard.type(" And more.")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("button", name="Undo")).to_be_visible()
    assert looked_at(page) == []


def test_a_statement_after_it_was_confirmed_and_forgotten(open_page: Open, stage: Stage) -> None:
    team, agent = stage.world.team, stage.world.agent
    fact = Fact.objects.get(agent=agent, owner=None, file=stage.memory, raw_text=SHARED)
    page = open_page(url(team, "agents_fact", agent.pk, fact.pk), stage.world.alice)
    page.get_by_role("button", name="Right").click()
    expect(page.get_by_role("status")).to_contain_text("You said this is right.")
    assert looked_at(page) == []
    page.get_by_role("link", name="Forget", exact=True).click()
    page.locator("main").get_by_role("button", name="orget").click()
    expect(page.get_by_role("status")).to_contain_text("Forgotten.")
    assert looked_at(page) == []


def test_a_source_after_it_was_reverted(open_page: Open, stage: Stage) -> None:
    query = f"?run={stage.shared_run.pk}"
    address = url(stage.world.team, "agents_provenance", stage.world.agent.pk, query=query)
    page = open_page(address, stage.world.alice)
    page.locator("form[action*='revert'] button").click()
    expect(page.get_by_role("status")).to_contain_text("Reverted in 1 file.")
    assert looked_at(page) == []


def test_asking_its_memory_keeps_the_token_that_is_shown_once(
    open_page: Open, world: World
) -> None:
    page = open_page(url(world.team, "agents_connect", world.agent.pk), world.bob)
    page.get_by_role("button", name="Create a token").press("Enter")
    token = page.locator("#token")
    expect(token).to_contain_text("mwp_")
    page.get_by_role("button", name="Say it").press("Enter")
    expect(page.locator("#checklist")).to_contain_text("It reads what you said")
    list(engine.run_pending(until_idle=True))
    expect(page.locator("h1")).to_contain_text("knows what you said")
    page.get_by_label("You ask").fill("Do I prefer tea or coffee?")
    page.get_by_role("button", name="Ask", exact=True).press("Enter")
    expect(page.locator(".big-say")).to_contain_text("coffee")
    expect(token).to_contain_text("mwp_")
    assert looked_at(page) == []
