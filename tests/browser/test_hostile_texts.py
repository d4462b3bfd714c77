"""Texts of users in a real browser: nothing runs, nothing leaves, nothing complains."""

import json

import pytest
from playwright.sync_api import Request
from pytest_django.live_server_helper import LiveServer

from memoryweb.memory.files import Place, Writer, write
from memoryweb.memory.unit import unit
from memoryweb.workspace.models import AuthorKind
from tests.browser.conftest import Open
from tests.web.hostile import HOSTILE
from tests.web.pages import url
from tests.world import World

PATH = "hostile.md"
ALL = "\n\n".join(text.replace("\x00", "") for text in HOSTILE.values())
ACTIVE = "script:not([src]), img, iframe, object, embed, video, form form, base, style, svg, math"
INSIDE = f""".prose :is({ACTIVE}, [onclick], [onerror], [onload], [onfocus], [style], [hx-get],
  [data-hx-get], [src], [srcset]), .diff :is({ACTIVE}), .blame :is({ACTIVE})"""

LINKS = "JSON.stringify([...document.querySelectorAll('main a[href]')].map(a => a.protocol))"


@pytest.fixture
def hostile(world: World) -> World:
    writer = Writer(AuthorKind.PERSON, user=world.bob)
    with unit(world.team) as work:
        for text in ("Harmless.\n", ALL):
            write(work, Place(world.agent, None, PATH), text, writer=writer)
    return world


def test_no_text_acts_on_any_page(open_page: Open, hostile: World, live_server: LiveServer) -> None:
    page = open_page("/", hostile.bob)
    asked: list[str] = []
    page.on("request", lambda request: _note(asked, request))
    for name in ("file", "file?authors=on", "edit", "compare", "revisions"):
        name, _sign, query = name.partition("?")
        page.goto(url(hostile.team, f"agents_{name}", hostile.agent.pk, PATH, query=f"?{query}"))
        page.wait_for_load_state("networkidle")
        assert page.evaluate("window.broken") is None, name
        assert page.evaluate("selector => document.querySelectorAll(selector).length", INSIDE) == 0
        assert _schemes(page.evaluate(LINKS)) <= {"http:", "https:", "mailto:"}, name
    page.goto(url(hostile.team, "agents_revision", hostile.agent.pk, PATH, 2))
    assert page.evaluate("window.broken") is None
    assert [one for one in asked if not one.startswith(live_server.url)] == []


def test_a_click_on_any_link_of_a_text_runs_nothing(open_page: Open, hostile: World) -> None:
    page = open_page(url(hostile.team, "agents_file", hostile.agent.pk, PATH), hostile.bob)
    page.evaluate(
        """document.querySelectorAll('.prose a').forEach(link => {
             link.addEventListener('click', event => {
               if (!link.protocol.startsWith('javascript')) event.preventDefault();
             });
             link.click();
           })"""
    )
    assert page.evaluate("window.broken") is None


def _schemes(found: str) -> set[str]:
    return set(json.loads(found))


def _note(asked: list[str], request: Request) -> None:
    asked.append(request.url)
