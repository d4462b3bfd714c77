"""Texts of users in a real browser: nothing runs, nothing leaves, nothing complains."""

import json
from dataclasses import dataclass, field

import pytest
from playwright.sync_api import Page, Request
from pytest_django.live_server_helper import LiveServer

from memoryweb.memory.conversations.messages import NewMessage, add_messages
from memoryweb.memory.models import AuthorKind, Conversation
from memoryweb.memory.models.writer import Place, Writer, write_transaction
from memoryweb.memory.writing.write import write
from tests.browser.conftest import Open
from tests.web.hostile import HOSTILE
from tests.web.pages import url
from tests.world import World

PATH = "hostile.md"
ALL = "\n\n".join(text.replace("\x00", "") for text in HOSTILE.values())
LINES = "".join(f"- {text}\n" for text in ALL.split("\n") if text.strip())
# What no page of ours has in it, and what a text may not have in it.
NOWHERE = "img, iframe, object, embed, video, base, style, math, meta, link, script:not([src])"
HANDLERS = "[onclick], [onerror], [onload], [onfocus], [onmouseover], [srcset], [srcdoc], [poster]"
SENTENCES = ".mine .say, .mine .when"
TEXTS = f".prose, .diff, .wrote, .hunk pre, {SENTENCES}, .found, .quote, .sent, .said, blockquote"
INSIDE = f"main :is({NOWHERE}, {HANDLERS}), :is({TEXTS}) :is(svg, [style], [hx-get], [data-hx-get])"
COUNT = "selector => document.querySelectorAll(selector).length"
LINKS = "JSON.stringify([...document.querySelectorAll('main a[href]')].map(a => a.protocol))"


@dataclass(frozen=True)
class Watched:
    """A page on which nothing may happen by itself."""

    page: Page
    base: str
    asked: list[str] = field(default_factory=list)

    def check(self, where: str, *, shows: str = "broken") -> None:
        self.page.wait_for_load_state("networkidle")
        self.page.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true })")
        assert shows in self.page.locator("main").inner_text(), where
        assert self.page.evaluate("window.broken") is None, where
        assert self.page.evaluate(COUNT, INSIDE) == 0, where
        schemes = set(json.loads(self.page.evaluate(LINKS)))
        assert schemes <= {"http:", "https:", "mailto:"}, where
        assert [one for one in self.asked if not one.startswith(self.base)] == [], where


@pytest.fixture
def hostile(world: World) -> World:
    person = Writer(AuthorKind.PERSON, user=world.bob)
    with write_transaction(world.team) as tx:
        for text in ("Harmless.\n", ALL):
            write(tx, Place(world.agent, None, PATH), text, writer=person)
        write(tx, Place(world.agent, None, "MEMORY.md"), ALL, writer=person)
        write(tx, Place(world.agent, world.bobs_memory, "MEMORY.md"), LINES, writer=person)
    return world


@pytest.fixture
def talk(hostile: World) -> Conversation:
    said = [NewMessage(id=str(n), role="user", content=t) for n, t in enumerate(HOSTILE.values())]
    with write_transaction(hostile.team) as tx:
        return add_messages(
            tx,
            agent=hostile.agent,
            owner=hostile.bobs_memory,
            conversation_id="hostile",
            messages=said,
        ).conversation


@pytest.fixture
def watched(open_page: Open, world: World, live_server: LiveServer) -> Watched:
    page = open_page("/", world.bob)
    found = Watched(page, live_server.url)
    page.context.on("request", lambda request: _note(found.asked, request))
    return found


def test_no_text_acts_on_the_pages_of_a_file(watched: Watched, hostile: World) -> None:
    team, agent = hostile.team, hostile.agent.pk
    for name in ("file", "compare"):
        watched.page.goto(url(team, f"agents_{name}", agent, PATH))
        watched.check(name)
    watched.page.goto(url(team, "agents_file", agent, PATH, query="?authors=1"))
    watched.page.wait_for_selector(".wrote")
    watched.check("who wrote which line")
    watched.page.goto(url(team, "agents_revision", agent, PATH, 2))
    watched.check("revision")
    watched.page.goto(url(team, "agents_revisions", agent, PATH))
    watched.check("revisions", shows="Revision 2")
    watched.page.goto(url(team, "agents_moments", agent, query="?show=changes&at=2001-01-01T00:00"))
    watched.check("moments", shows=PATH)


def test_no_text_acts_in_the_editor_its_preview_and_the_merge(
    watched: Watched, hostile: World
) -> None:
    page = watched.page
    page.goto(url(hostile.team, "agents_edit", hostile.agent.pk, PATH))
    page.get_by_role("button", name="Preview").click()
    page.wait_for_selector("#preview .prose")
    watched.check("preview")
    with write_transaction(hostile.team) as tx:
        place = Place(hostile.agent, None, PATH)
        theirs = ALL.replace("window.broken", "window.broken = 2, window.broken")
        write(tx, place, theirs, writer=Writer(AuthorKind.PERSON, user=hostile.alice))
    text = page.get_by_label("Text", exact=True)
    text.fill(ALL.replace("window.broken", "window.broken = 3, window.broken"))
    page.keyboard.press("Control+s")
    page.wait_for_selector(".diff")
    watched.check("merge")


def test_no_text_acts_where_it_is_found_sent_and_told(
    watched: Watched, hostile: World, talk: Conversation
) -> None:
    team, agent = hostile.team, hostile.agent.pk
    pages: dict[str, str] = {
        "search": url(team, "search", query="?q=broken"),
        "search as typed": url(team, "search", query="?q=%22window.broken%22&kind=message"),
        "prompt": url(team, "agents_prompt", agent),
        "personal prompt": url(team, "agents_prompt", agent, query="?owner=me&message=broken"),
        "my memory": url(team, "mine"),
        "conversation": url(team, "agents_conversation", agent, talk.pk),
    }
    for where, address in pages.items():
        watched.page.goto(address)
        watched.check(where)


def test_a_click_on_any_link_of_a_text_runs_nothing(watched: Watched, hostile: World) -> None:
    page = watched.page
    page.goto(url(hostile.team, "agents_file", hostile.agent.pk, PATH))
    page.evaluate(
        """document.querySelectorAll('.prose a').forEach(link => {
             link.addEventListener('click', event => {
               if (!link.protocol.startsWith('javascript')) event.preventDefault();
             });
             link.click();
           })"""
    )
    watched.check("links")


def _note(asked: list[str], request: Request) -> None:
    asked.append(request.url)
