"""How much a page asks of whoever looks at it: what Tab reaches in `main`, with nothing hovered."""

from playwright.sync_api import Page, expect

from memoryweb.memory.models import AuthorKind
from memoryweb.memory.models.writer import Place, Writer, write_transaction
from memoryweb.memory.writing.write import write
from tests.browser.conftest import Open
from tests.web.pages import url
from tests.web.stage import build
from tests.world import World

COUNT = """() => [...document.querySelectorAll(
  "#main :is(a[href], button, input, select, textarea, summary, [tabindex])")].filter(one => {
  const box = one.getBoundingClientRect();
  return one.tabIndex >= 0 && !one.disabled && box.width && box.height
    && getComputedStyle(one).visibility !== "hidden";
}).length"""
SUBJECTS = ("Plans", "People", "Places", "Preferences", "Decisions")


def _remembers(world: World) -> None:
    """Forty-five lines, five of them headings."""
    lines = ["# Memory"]
    for subject in SUBJECTS:
        lines += ["", f"## {subject}", *(f"- {subject} number {n} is kept." for n in range(7))]
    with write_transaction(world.team) as tx:
        place = Place(world.agent, None, "MEMORY.md")
        write(tx, place, "\n".join(lines[:45]) + "\n", writer=Writer(AuthorKind.AGENT))


def _opened(open_page: Open, world: World, name: str, *args: str) -> Page:
    build(world)
    _remembers(world)
    return open_page(url(world.team, name, world.agent.pk, *args, query="?owner=shared"), world.bob)


def test_home_has_few_controls(open_page: Open, world: World) -> None:
    page = _opened(open_page, world, "agents_detail")
    expect(page.locator(".facts > li")).to_have_count(14)
    assert page.evaluate(COUNT) <= 45


def test_a_file_has_few_controls_and_arrows_lead_to_those_of_a_line(
    open_page: Open, world: World
) -> None:
    page = _opened(open_page, world, "agents_file", "MEMORY.md")
    assert page.evaluate(COUNT) <= 25
    edit = page.get_by_role("link", name="edit line 4")
    expect(edit).to_be_hidden()
    page.locator("#L1 .num a").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    expect(page.locator("#L4 .num a")).to_be_focused()
    expect(edit).to_be_visible()
