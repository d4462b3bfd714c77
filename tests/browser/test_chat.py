"""A chat in the browser: sent by Enter, read as it is written, told why when it fails."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Open
from tests.fakes import ModelServer
from tests.web.pages import url
from tests.world import World


@pytest.fixture
def page(open_page: Open, world: World, model_server: ModelServer) -> Page:
    return open_page(url(world.team, "agents_chat", world.agent.pk), world.bob)


def test_enter_sends_and_shift_enter_begins_a_line(page: Page, model_server: ModelServer) -> None:
    model_server.text("Then I will book it.")
    form = page.get_by_label("Your message")
    form.press_sequentially("A table for two,")
    form.press("Shift+Enter")
    form.press_sequentially("at eight.")
    form.press("Enter")
    expect(page.get_by_text("for the last answer")).to_be_visible()  # the page came back
    expect(page.locator("#talk .assistant")).to_contain_text("Then I will book it.")
    expect(page.locator("#talk .user .said")).to_have_text("A table for two,\nat eight.")
    expect(form).to_have_value("")


def test_why_it_failed_is_told_and_the_words_stay(page: Page, model_server: ModelServer) -> None:
    model_server.status(500)
    form = page.get_by_label("Your message")
    form.fill("A table for two.")
    form.press("Enter")
    expect(page.locator("#talk .assistant")).to_contain_text("The model endpoint had an error")
    expect(form).to_have_value("A table for two.")
    expect(form).to_be_editable()
