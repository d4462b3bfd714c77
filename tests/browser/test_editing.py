"""The editor and the order of the prompt as people use them."""

from playwright.sync_api import Page, expect

from memoryweb.memory.files import NewLine, Place, Writer, append
from memoryweb.memory.unit import unit
from memoryweb.workspace.models import AuthorKind, File
from memoryweb.workspace.origins import Origin
from tests.api.client import Api
from tests.browser.conftest import Open
from tests.browser.test_every_page import AXE, RUN, TAGS
from tests.waiting import until
from tests.web.pages import url
from tests.web.stage import NOTE, dream
from tests.world import World, integration_token

DREAMT = "Marta keeps the spare keys in the blue drawer."
TEXT = "# Memory\n\n- Tea is served at five.\n"


def test_two_people_an_agent_and_a_dream_write_one_file_and_no_text_is_lost(
    open_page: Open, world: World
) -> None:
    address = url(world.team, "agents_edit", world.agent.pk, "MEMORY.md")
    alice = open_page(address, world.alice)
    bob = open_page(address, world.bob)
    _an_agent_writes(world)
    _a_dream_writes(world)

    _type_and_save(alice, "# Memory", "# Memory\n\n- Alice knows the way.\n")
    expect(alice.get_by_role("alert")).to_contain_text("Dream saved revision")
    expect(alice.locator("form.merge")).to_contain_text(DREAMT)
    expect(alice.locator("form.merge")).to_contain_text("Tea is served at five.")
    _keep_both_and_save(alice)

    _type_and_save(bob, "# Memory", "# Memory\n\n- Bob knows another way.\n")
    expect(bob.get_by_role("alert")).to_contain_text("Alice saved revision")
    expect(bob.locator("form.merge")).to_contain_text("Alice knows the way.")
    bob.evaluate(AXE)
    assert bob.evaluate(RUN, TAGS)["violations"] == []
    _keep_both_and_save(bob)

    now = _file(world, "MEMORY.md")
    for said in ("Tea is served", DREAMT, "Alice knows the way.", "Bob knows another way."):
        assert said in now.content
    authors = now.revisions.order_by("number").values_list("author_kind", flat=True)
    assert list(authors)[-4:] == ["agent", "dream", "person", "person"]


def test_a_text_is_edited_and_saved_by_keyboard_alone(open_page: Open, world: World) -> None:
    page = open_page(url(world.team, "agents_edit", world.agent.pk, "SOUL.md"), world.bob)
    text = page.get_by_label("Text", exact=True)
    text.focus()
    page.keyboard.press("Control+Home")
    page.keyboard.type("Kind words first.\n")
    expect(page.locator(".mirror > div > div").first).to_have_text("Kind words first.")
    page.keyboard.press("Tab")
    expect(text).not_to_be_focused()
    page.keyboard.press("Control+s")
    page.wait_for_url("**/files/SOUL.md")
    expect(page.get_by_role("status")).to_contain_text("saved as revision 2")
    assert _file(world, "SOUL.md").content.startswith("Kind words first.\n")


def test_a_draft_outlives_a_reload_and_ends_with_the_save(open_page: Open, world: World) -> None:
    page = open_page(url(world.team, "agents_edit", world.agent.pk, "SOUL.md"), world.bob)
    page.on("dialog", lambda dialog: dialog.accept())
    page.get_by_label("Text", exact=True).fill("Not saved yet.\n")
    until(lambda: _drafts(page) == 1)
    page.reload()
    page.get_by_role("button", name="Use it").click()
    expect(page.get_by_label("Text", exact=True)).to_have_value("Not saved yet.\n")
    page.get_by_role("button", name="Save").click()
    page.wait_for_url("**/files/SOUL.md")
    assert _drafts(page) == 0
    assert _file(world, "SOUL.md").content == "Not saved yet.\n"


def test_the_draft_of_a_new_file_ends_with_the_file(open_page: Open, world: World) -> None:
    page = open_page(url(world.team, "agents_new_file", world.agent.pk), world.bob)
    page.get_by_label("Name").fill("plans.md")
    page.get_by_label("Text", exact=True).fill("- Row to the pier.\n")
    until(lambda: _drafts(page) == 1)
    page.get_by_role("button", name="Create the file").click()
    page.wait_for_url("**/files/plans.md")
    assert _drafts(page) == 0


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
    expect(up).to_be_focused()
    row = page.locator("[data-path='MEMORY.md']")
    row.drag_to(page.locator("[data-path='AGENTS.md']"), target_position={"x": 40, "y": 2})
    expect(page.locator("[data-path]").first).to_have_attribute("data-path", "MEMORY.md")
    switch = page.get_by_role("switch", name="SOUL.md in the prompt")
    switch.press("Space")
    expect(switch).to_have_attribute("aria-checked", "false")
    order = File.objects.of(world.agent.pk, None).enabled_in_order()
    assert list(order.values_list("path", flat=True)) == ["MEMORY.md", "AGENTS.md", "PROFILE.md"]


def _an_agent_writes(world: World) -> None:
    address = f"/agents/{world.agent.pk}/workspace/files/MEMORY.md?owner=shared"
    answer = Api(integration_token(world.integration)).put(address, {"content": TEXT})
    assert answer.status_code == 200, answer.content


def _a_dream_writes(world: World) -> None:
    with unit(world.team) as work:
        fresh = NewLine(f"- 09:00 {DREAMT}", Origin(durable=True, asked=True, category="work"))
        append(
            work,
            Place(world.agent, None, NOTE),
            [fresh],
            writer=Writer(AuthorKind.EXTRACTION),
        )
    run = dream(world.home, None)
    assert run.status == "succeeded", run.reason


def _type_and_save(page: Page, old: str, new: str) -> None:
    text = page.get_by_label("Text", exact=True)
    text.fill(text.input_value().replace(old, new, 1))
    page.keyboard.press("Control+s")
    page.wait_for_selector("form.merge")


def _keep_both_and_save(page: Page) -> None:
    for choice in page.get_by_label("Keep both, theirs first").all():
        choice.check()
    page.get_by_role("button", name="Save both together").click()
    page.wait_for_url("**/files/MEMORY.md")


def _drafts(page: Page) -> int:
    kept: int = page.evaluate("Object.keys(localStorage).filter(k => k.includes('draft')).length")
    return kept


def _file(world: World, path: str) -> File:
    return File.objects.get(agent=world.agent, owner=None, path=path)
