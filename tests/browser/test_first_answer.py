"""From the first page to “it knew what I said”: at most five clicks and a minute."""

import time

import pytest
from playwright.sync_api import expect

from memoryweb.runs import engine
from tests.browser.conftest import Open
from tests.browser.test_every_page import looked_at
from tests.world import PASSWORD, World

CLICKS, A_MINUTE = 5, 60


@pytest.mark.parametrize("width", [360, 1280])
def test_it_knew_what_i_said(open_page: Open, world: World, width: int) -> None:
    world.team.is_demo = True
    world.team.save(update_fields=["is_demo"])
    page = open_page("/accounts/login/")
    page.set_viewport_size({"width": width, "height": 780})
    began, clicks = time.monotonic(), 0
    page.fill("input[name=login]", world.alice.email)
    page.fill("input[type=password]", PASSWORD)
    for name in ("Sign in", "Start my own", "Create the agent", "Say it"):
        if name == "Create the agent":
            page.get_by_label("Name", exact=True).fill("Nova")
        page.locator("main").get_by_role("button", name=name, exact=True).click()
        clicks += 1
    expect(page.locator("#checklist")).to_contain_text("It reads what you said")
    list(engine.run_pending(until_idle=True))
    expect(page.locator(".big-say")).to_have_text("I moved to Porto in May")
    expect(page.locator("h1")).to_contain_text("Nova knows what you said")
    expect(page.locator("mark")).to_have_text("I moved to Porto in May")
    assert clicks <= CLICKS
    assert time.monotonic() - began < A_MINUTE
    assert looked_at(page) == []
