import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from memoryweb.accounts.models import User
from memoryweb.agents.break_glass import open_glass
from memoryweb.audit.record import SYSTEM
from memoryweb.memory.models import AuthorKind, File
from memoryweb.memory.models.writer import Place, Writer, write_transaction
from memoryweb.memory.writing.write import delete, write
from tests.web.pages import actions, fragment, text, tight, url
from tests.web.stage import CUSTOMERS, NOTE, PERSONAL, SHARED, Stage
from tests.world import World, signed_in


def test_the_list_has_shared_and_own_files_apart(stage: Stage, bob: Client) -> None:
    shared = url(stage.world.team, "agents_files", stage.world.agent.pk)
    assert "AGENTS.md" in text(bob.get(shared))
    mine = text(bob.get(f"{shared}?owner=me"))
    assert NOTE in mine
    assert "AGENTS.md" not in mine


def test_a_file_shows_each_line_under_its_number(stage: Stage, vera: Client) -> None:
    page = text(vera.get(url(stage.world.team, "agents_file", stage.world.agent.pk, NOTE)))
    assert 'id="L3"' in page
    assert SHARED in page


def test_a_long_file_comes_in_pages_and_as_it_is_scrolled(stage: Stage, vera: Client) -> None:
    world = stage.world
    content = "# Shelves\n\n" + "".join(f"- Shelf {n}.\n" for n in range(240))
    with write_transaction(world.team) as tx:
        place = Place(world.agent, None, "LONG.md")
        write(tx, place, content, writer=Writer(AuthorKind.PERSON, user=world.alice))
    address = url(world.team, "agents_file", world.agent.pk, "LONG.md")
    page = text(vera.get(address))
    assert page.count('class="blk') == 100
    assert f'hx-get="{address}?page=2"' in page
    assert f'href="{address}?page=2-">All on one page' in page
    more = text(fragment(vera, f"{address}?page=3", "more"))
    assert ("<html" in more, more.count('class="blk'), "page=4" in more) == (False, 41, False)
    assert text(vera.get(f"{address}?page=1-")).count('class="blk') == 241
    assert 'id="L180"' in text(vera.get(f"{address}?line=180"))
    assert 'name="first" value="180"' in text(signed_in(world.bob).get(f"{address}?edit=180"))


def test_lines_of_machines_ask_why_and_others_do_not(stage: Stage, vera: Client) -> None:
    team, agent = stage.world.team, stage.world.agent
    note = text(vera.get(url(team, "agents_file", agent.pk, NOTE)))
    assert url(team, "agents_why", agent.pk, NOTE, 3) in note
    seeded = text(vera.get(url(team, "agents_file", agent.pk, "AGENTS.md")))
    assert "/why/" not in seeded


def test_why_leads_from_memory_to_the_note_and_the_message(stage: Stage, vera: Client) -> None:
    line = next(n for n, t in enumerate(stage.memory.raw_content.split("\n"), 1) if "Thursday" in t)
    page = text(vera.get(_why(stage, "MEMORY.md", line)))
    assert f"{NOTE}:3" in page
    talk = url(stage.world.team, "agents_conversation", stage.world.agent.pk, stage.shared_talk.pk)
    assert f"{talk}?message=1#m1" in page


def test_why_answers_htmx_with_its_panel_alone(stage: Stage, vera: Client) -> None:
    page = text(fragment(vera, _why(stage, NOTE, 3), "why"))
    assert page.lstrip().startswith('<aside id="why"')


def test_why_of_a_line_beyond_the_end_is_404(stage: Stage, vera: Client) -> None:
    assert vera.get(_why(stage, NOTE, 99)).status_code == 404


def test_why_hides_a_source_that_is_not_open(stage: Stage, vera: Client) -> None:
    """A shared line that stands on a person's message names no word of it."""
    origin = stage.memory.origins.filter(source_file__isnull=False).first()
    assert origin is not None
    note = origin.source_file
    assert note is not None
    note.origins.update(message=stage.bobs_talk.messages.get(position=1))
    page = text(vera.get(_why(stage, "MEMORY.md", origin.line)))
    assert PERSONAL not in page
    assert "another person" in page


def test_a_personal_file_of_another_is_404_or_403(
    stage: Stage, vera: Client, alice: Client
) -> None:
    address = _customers(stage)
    assert vera.get(address).status_code == 404
    refused = alice.get(address)
    assert refused.status_code == 403
    assert url(stage.world.team, "owners_detail", stage.world.customer.pk) in text(refused)


def test_a_grant_opens_it_and_every_read_is_an_event(stage: Stage, alice: Client) -> None:
    open_glass(
        owner=stage.world.customer, user=stage.world.alice, reason="A court asks.", by=SYSTEM
    )
    page = text(alice.get(_customers(stage)))
    assert CUSTOMERS in page
    assert actions(stage.world.team)[-1] == "personal.read"


def test_a_grant_that_ran_out_opens_nothing(stage: Stage, alice: Client) -> None:
    grant = open_glass(
        owner=stage.world.customer, user=stage.world.alice, reason="A court asks.", by=SYSTEM
    )
    grant.expires_at = grant.created_at
    grant.save()
    assert alice.get(_customers(stage)).status_code == 403


def test_the_list_takes_the_same_statements_for_many_files(stage: Stage, vera: Client) -> None:
    address = url(stage.world.team, "agents_files", stage.world.agent.pk)
    few = _statements(vera, address)
    _fill(stage, *(f"n{number}.md" for number in range(12)))
    _fill(stage, *(f"memory/2025-{number:02}-01.md" for number in range(1, 13)))
    assert _statements(vera, address) == few


def test_files_are_grouped_by_what_they_are(stage: Stage, vera: Client) -> None:
    _fill(stage, "skills/tea/SKILL.md", "structured/people.md", "plans.md")
    page = text(vera.get(url(stage.world.team, "agents_files", stage.world.agent.pk)))
    labels = ["Core files", "Other files", "Skills", "Structured", "Dreams and history", "Daily"]
    assert sorted(labels, key=page.index) == labels
    assert page.index("Other files") < page.index("plans.md") < page.index("Skills")


def test_notes_are_shown_a_month_at_a_time(stage: Stage, vera: Client) -> None:
    _fill(stage, "memory/2025-02-03.md", "memory/2025-03-04.md")
    address = url(stage.world.team, "agents_files", stage.world.agent.pk)
    newest, february = text(vera.get(address)), text(vera.get(f"{address}?month=2025-02"))
    assert "?month=2025-02" in newest
    assert "memory/2025-02-03.md" not in newest
    assert "memory/2025-02-03.md" in february
    assert "memory/2025-03-04.md" not in february


def test_notes_tell_the_readers_time(stage: Stage, vera: Client) -> None:
    note = "# 2025-02-03\n\n- 09:30 Bob: Tea is at five.\n- 23:10 The harbour is shut.\n- 99:10 x\n"
    place = Place(stage.world.agent, None, "memory/2025-02-03.md")
    with write_transaction(stage.world.team) as tx:
        write(tx, place, note, writer=Writer(AuthorKind.EXTRACTION))
    User.objects.filter(pk=stage.world.vera.pk).update(time_zone="Asia/Tokyo")
    page = text(vera.get(url(stage.world.team, "agents_notes", stage.world.agent.pk)))
    assert "<li>18:30 Bob: Tea is at five.</li>" in page
    assert "<li>4 Feb 08:10 The harbour is shut.</li>" in page
    assert "<li>99:10 x</li>" in page
    assert "<h1>2025-02-03</h1>" not in page
    page = text(vera.get(url(stage.world.team, "agents_file", stage.world.agent.pk, place.path)))
    assert [*re.findall(r'class="at soft">([^<]+)<', page)] == ["18:30", "4 Feb 08:10"]
    assert "09:30 Bob: Tea is at five." in page


def test_a_month_that_is_none_shows_the_newest(stage: Stage, vera: Client) -> None:
    address = url(stage.world.team, "agents_files", stage.world.agent.pk)
    for month in ("2025-13", "0000-01", "99999-01", "x", "２０２５-01"):
        assert NOTE in text(vera.get(address, {"month": month}))


def test_a_kind_with_many_files_has_a_page_of_its_own(stage: Stage, vera: Client) -> None:
    _fill(stage, *(f"n{number:02}.md" for number in range(60)))
    address = url(stage.world.team, "agents_files", stage.world.agent.pk)
    first = text(vera.get(address))
    assert "Show all 60" in first
    assert "n20.md" not in first
    assert "n59.md" in text(vera.get(f"{address}?kind=other&page=2"))


def test_a_switch_takes_a_file_out_of_the_prompt(stage: Stage, bob: Client) -> None:
    response = bob.post(_arrange(stage, "SOUL.md"), {"enabled": "off"})
    assert response.status_code == 302
    assert not File.objects.get(agent=stage.world.agent, owner=None, path="SOUL.md").enabled
    assert actions(stage.world.team)[-1] == "prompt.changed"


def test_moving_a_file_answers_htmx_with_the_tree_and_says_its_place(
    stage: Stage, bob: Client
) -> None:
    page = tight(fragment(bob, _arrange(stage, "MEMORY.md"), "tree", {"move": "up"}))
    assert page.startswith('<div id="tree"')
    assert "MEMORY.md is in the prompt, in place 3 of 4." in page


def test_a_dragged_file_stands_before_the_one_it_was_dropped_on(stage: Stage, bob: Client) -> None:
    bob.post(_arrange(stage, "MEMORY.md"), {"before": "AGENTS.md"})
    order = File.objects.of(stage.world.agent.pk, None).enabled_in_order()
    assert order.values_list("path", flat=True)[0] == "MEMORY.md"


@pytest.mark.parametrize("data", [{}, {"enabled": "maybe"}, {"move": "sideways"}])
def test_nothing_is_arranged_without_saying_how(
    stage: Stage, bob: Client, data: dict[str, str]
) -> None:
    bob.post(_arrange(stage, "SOUL.md"), data)
    assert "prompt.changed" not in actions(stage.world.team)


def test_who_may_not_write_has_no_switches(stage: Stage, vera: Client) -> None:
    page = text(vera.get(url(stage.world.team, "agents_files", stage.world.agent.pk)))
    assert "formaction" not in page
    assert vera.post(_arrange(stage, "SOUL.md"), {"enabled": "off"}).status_code == 403


def test_a_deleted_file_comes_back_with_one_click(stage: Stage, bob: Client) -> None:
    file = File.objects.get(agent=stage.world.agent, owner=None, path="SOUL.md")
    with write_transaction(stage.world.team) as tx:
        delete(tx, file, writer=Writer(AuthorKind.PERSON, user=stage.world.alice))
    address = url(stage.world.team, "agents_restore", stage.world.agent.pk, "SOUL.md", 1)
    assert address in text(bob.get(url(stage.world.team, "agents_files", stage.world.agent.pk)))
    bob.post(address)
    file.refresh_from_db()
    assert file.deleted_at is None


def test_a_file_takes_the_same_statements_for_many_lines(stage: Stage, vera: Client) -> None:
    address = url(stage.world.team, "agents_file", stage.world.agent.pk, "MEMORY.md")
    writer = Writer(AuthorKind.DREAM, run=stage.shared_run, is_vouched=True)
    counts = []
    for lines in (3, 60):
        with write_transaction(stage.world.team) as tx:
            place = Place(stage.world.agent, None, "MEMORY.md")
            write(tx, place, "\n".join(f"- {n}" for n in range(lines)), writer=writer)
        counts.append(_statements(vera, address))
    assert counts[0] == counts[1]


def _fill(stage: Stage, *paths: str) -> None:
    writer = Writer(AuthorKind.PERSON, user=stage.world.alice)
    with write_transaction(stage.world.team) as tx:
        for path in paths:
            write(tx, Place(stage.world.agent, None, path), "text", writer=writer)


def _arrange(stage: Stage, path: str) -> str:
    return url(stage.world.team, "agents_arrange", stage.world.agent.pk, path)


def _why(stage: Stage, path: str, line: int) -> str:
    return url(stage.world.team, "agents_why", stage.world.agent.pk, path, line)


def _customers(stage: Stage) -> str:
    query = f"?owner={stage.world.customer.pk}"
    return url(stage.world.team, "agents_file", stage.world.agent.pk, NOTE, query=query)


def _statements(client: Client, address: str) -> int:
    with CaptureQueriesContext(connection) as queries:
        assert client.get(address).status_code == 200
    return len(queries)


@pytest.mark.parametrize(
    ("asked", "found"),
    [("soul", ["SOUL.md"]), ("OUL.M", ["SOUL.md"]), ("%", []), ("_", []), ("\x00", None)],
)
def test_files_are_found_by_a_part_of_their_name(
    world: World, bob: Client, asked: str, found: list[str] | None
) -> None:
    page = tight(bob.get(url(world.team, "agents_files", world.agent.pk), {"name": asked}))
    shown = re.findall(r'<th scope="row"><a class="path"[^>]*>([^<]+)</a>', page)
    assert shown == found or (found is None and len(shown) > 1)
    assert ("No file found" in page) is (found == [])


def test_files_of_others_are_not_found_by_name(world: World, bob: Client) -> None:
    with write_transaction(world.team) as tx:
        for owner in (world.customer, world.bobs_memory):
            place = Place(world.agent, owner, "hidden.md")
            write(tx, place, "Hidden.\n", writer=Writer(AuthorKind.PERSON, user=world.bob))
    address = url(world.team, "agents_files", world.agent.pk)
    assert "No file found" in text(bob.get(address, {"name": "hidden"}))
    assert "hidden.md" in text(bob.get(address, {"name": "hidden", "owner": "me"}))
