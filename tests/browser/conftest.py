import os
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest
from django.conf import settings
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright
from pytest_django.live_server_helper import LiveServer

from memoryweb.accounts.models import User
from scripts.chromium import found
from tests.snapshot import restored_world
from tests.waiting import SECONDS
from tests.world import World, signed_in

Open = Callable[..., Page]
MILLISECONDS = SECONDS * 1000
expect.set_options(timeout=MILLISECONDS)  # as long as anything else is waited for


# What costs no text and opens no door when it breaks: a browser takes a second for each.
OF_SOAK = {"after_success", "by_keyboard", "chat", "company_sign_in", "history", "second_factor"}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.is_relative_to(Path(__file__).parent):
            item.add_marker(pytest.mark.browser)
            if item.path.stem.removeprefix("test_") in OF_SOAK:
                item.add_marker(pytest.mark.slow)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    # Playwright keeps an event loop in this thread, for which Django would refuse every query.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    with sync_playwright() as playwright:
        sandbox = [] if os.geteuid() else ["--no-sandbox"]
        browser = playwright.chromium.launch(executable_path=found(), args=sandbox)
        yield browser
        browser.close()


@pytest.fixture
def world(live_server: LiveServer) -> World:
    return restored_world()


@pytest.fixture(scope="module")
def contexts(chromium: Browser) -> Iterator[list[BrowserContext]]:
    """Of one file: with the style sheets and scripts that they have loaded, and nothing else."""
    made: list[BrowserContext] = []
    yield made
    for context in made:
        context.close()


@pytest.fixture
def new_context(
    chromium: Browser, live_server: LiveServer, contexts: list[BrowserContext]
) -> Iterator[Callable[[], BrowserContext]]:
    free = list(contexts)

    def new() -> BrowserContext:
        if free:
            return _emptied(free.pop(), live_server.url)
        _begin(chromium, live_server.url)
        context = chromium.new_context(base_url=live_server.url)
        context.set_default_timeout(MILLISECONDS)
        contexts.append(context)
        return context

    yield new
    for context in contexts:
        for page in context.pages:
            page.close()


def _emptied(context: BrowserContext, address: str) -> BrowserContext:
    """Without who was signed in and without drafts. A page that is being left may still write one:
    no page of the test before is open here any more."""
    page = context.new_page()
    session = context.new_cdp_session(page)
    session.send("Storage.clearDataForOrigin", {"origin": address, "storageTypes": "all"})
    page.close()
    context.unroute_all()
    context.clear_cookies()
    return context


@pytest.fixture
def open_page(new_context: Callable[[], BrowserContext]) -> Iterator[Open]:
    """`open_page("/path", user)`: signed in as `user`, each in a browser of their own. Anything in
    the console fails the test."""
    complaints: list[str] = []
    contexts: dict[User | None, BrowserContext] = {}

    def open_(path: str, user: User | None = None) -> Page:
        if user not in contexts:
            contexts[user] = _signed_in(new_context(), user)
        page = contexts[user].new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda message: _note(complaints, message.type, message.text))
        page.goto(path)
        return page

    yield open_
    assert complaints == []


@cache
def _begin(chromium: Browser, address: str) -> None:
    """With the first page a server makes its addresses and templates, and the browser its
    processes: on a busy machine that takes longer than a page may that a test asks for."""
    page = chromium.new_page()
    page.goto(f"{address}/accounts/login/", timeout=MILLISECONDS)
    page.close()


def expect_saved(page: Page) -> None:
    expect(page.locator("#messages")).to_contain_text("saved as revision")


def _signed_in(context: BrowserContext, user: User | None) -> BrowserContext:
    if user is not None:
        name = settings.SESSION_COOKIE_NAME
        value = signed_in(user).cookies[name].value
        context.add_cookies([{"name": name, "value": value, "domain": "localhost", "path": "/"}])
    return context


def _note(complaints: list[str], kind: str, text: str) -> None:
    """A refusal, a conflict and an invalid form are answers; the tests look at them."""
    is_answer = any(
        said in text
        for status in (401, 403, 409, 422)
        for said in (f"status of {status}", f"Status Error Code {status} ")
    )
    if kind in {"error", "warning"} and not is_answer:
        complaints.append(text)
