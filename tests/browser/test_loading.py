"""Long files come as they are scrolled, whole where they are printed; a sentence when opened."""

from pathlib import Path

from playwright.sync_api import expect

from memoryweb.agents.models import Owner
from memoryweb.memory.models import AuthorKind
from memoryweb.memory.models.writer import Place, Writer, write_transaction
from memoryweb.memory.writing.write import write
from tests.browser.conftest import Open
from tests.web.pages import url
from tests.world import World

SHELVES = "".join(f"- Shelf {number}.\n" for number in range(1, 331))


def keep(world: World, owner: Owner | None, path: str, content: str) -> None:
    with write_transaction(world.team) as tx:
        writer = Writer(AuthorKind.PERSON, user=world.bob)
        write(tx, Place(world.agent, owner, path), content, writer=writer)


def test_a_long_file_comes_as_it_is_scrolled_and_is_printed_whole(
    open_page: Open, world: World, tmp_path: Path
) -> None:
    keep(world, None, "LONG.md", SHELVES)
    page = open_page(url(world.team, "agents_file", world.agent.pk, "LONG.md"), world.vera)
    lines = page.locator(".blk")
    expect(lines).to_have_count(100)
    page.locator("#more").scroll_into_view_if_needed()
    expect(lines).to_have_count(200)
    page.pdf(path=tmp_path / "long.pdf")
    expect(lines).to_have_count(330)
    expect(page.locator("#more[hx-get]")).to_have_count(0)


def test_an_address_of_a_line_shows_it_wherever_it_stands(open_page: Open, world: World) -> None:
    keep(world, None, "LONG.md", SHELVES)
    address = url(world.team, "agents_file", world.agent.pk, "LONG.md")
    page = open_page(f"{address}#L280", world.vera)
    expect(page.locator("#L280")).to_be_in_viewport()


def test_a_sentence_of_my_memory_is_changed_in_its_row(open_page: Open, world: World) -> None:
    keep(world, world.bobs_memory, "MEMORY.md", "- Bob keeps bees.\n")
    page = open_page(url(world.team, "mine"), world.bob)
    page.evaluate("window.same = true")
    row = page.locator(".mine > li").first
    row.locator("summary", has_text="Change").click()
    page.get_by_label("New text").fill("Bob keeps goats.")
    page.get_by_role("button", name="Save").click()
    expect(row).to_contain_text("Bob keeps goats.")
    expect(row).to_contain_text("You changed this.")
    row.get_by_role("button", name="Undo").click()
    expect(row).to_contain_text("Bob keeps bees.")
    row.locator("summary", has_text="Forget").click()
    row.get_by_role("button", name="Forget").click()
    expect(row).to_contain_text("Forgotten. Erased at")
    row.get_by_role("button", name="Undo").click()
    expect(row).to_contain_text("Bob keeps bees.")


def test_on_a_phone_the_first_sentence_stands_on_the_first_screen(
    open_page: Open, world: World
) -> None:
    keep(world, world.bobs_memory, "MEMORY.md", "- Bob keeps bees.\n")
    page = open_page(url(world.team, "mine"), world.bob)
    page.set_viewport_size({"width": 360, "height": 780})
    box = page.locator(".mine .say").bounding_box()
    assert box is not None
    assert box["y"] + box["height"] < 300


def test_on_a_phone_statements_stand_above_their_folded_filters(
    open_page: Open, world: World
) -> None:
    more = "".join(f"- Hive {number} stands in the garden.\n" for number in range(20))
    keep(world, world.bobs_memory, "MEMORY.md", f"- Bob keeps bees.\n{more}")
    address = url(world.team, "agents_facts", world.agent.pk, query="?owner=me")
    page = open_page(address, world.bob)
    words, folded = page.get_by_label("Words"), page.locator(".unfolds summary")
    expect(words).to_be_visible()
    expect(folded).to_be_hidden()
    page.set_viewport_size({"width": 360, "height": 780})
    expect(words).to_be_hidden()
    expect(page.locator(".says").first).to_be_in_viewport()
    folded.click()
    words.fill("goats")
    page.get_by_role("button", name="Filter").click()
    expect(page.get_by_text("No matches")).to_be_visible()
    expect(page.get_by_label("Words")).to_have_value("goats")
