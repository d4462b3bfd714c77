"""My memory: sentences about oneself, corrected, forgotten and taken along."""

import html
import re
from itertools import product

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from memoryweb.agents.break_glass import open_glass
from memoryweb.agents.models import Owner
from memoryweb.audit.record import SYSTEM
from memoryweb.memory.agents import archive_agent
from memoryweb.memory.models import (
    AuthorKind,
    Fact,
    File,
    ForgetRequest,
    Revision,
)
from memoryweb.memory.models.writer import Place, Writer, write_transaction
from memoryweb.memory.writing.write import NewLine, append, write
from tests.walls.web_calls import looks
from tests.web.pages import actions, fragment, text, url
from tests.web.stage import CUSTOMERS, NOTE, PERSONAL, SHARED, Stage
from tests.world import World

MEMORY = "# Memory\n\n- Bob keeps **bees**.\n- Bob sails on Sundays.\n\n## Work\n\nA paragraph.\n"


def mine(stage: Stage, query: str = "") -> str:
    return url(stage.world.team, "mine", query=query)


def keep(world: World, content: str = MEMORY, path: str = "MEMORY.md") -> File:
    with write_transaction(world.team) as tx:
        place = Place(world.agent, world.bobs_memory, path)
        return write(tx, place, content, writer=Writer(AuthorKind.SYSTEM)).file


def note(stage: Stage) -> File:
    return File.objects.get(owner=stage.world.bobs_memory, path=NOTE)


def fact(says: str) -> Fact:
    return Fact.objects.living().get(raw_text__contains=says)


def on_fact(world: World, act: str, says: str) -> str:
    return url(world.team, f"mine_fact_{act}", fact(says).pk)


def on_line(world: World, act: str, file: File, first: int, last: int = 0) -> str:
    place = (file.pk, first, last or first, file.sha256)
    return url(world.team, f"mine_line_{act}", *place)


def row(page: str, says: str) -> str:
    """The row of that sentence."""
    rows: list[str] = re.findall(r'<li class="[^"]*" id="[sl]-.*?</li>', page, re.DOTALL)
    return next(one for one in rows if says in one)


def undo_of(page: str) -> str:
    told = page.partition('class="about done"')[2]
    return html.unescape(re.findall(r'hx-post="([^"]*)"', told)[0])


def content(file: File) -> str:
    file.refresh_from_db()
    return file.raw_content


def test_how_one_wants_to_be_answered_stands_first_and_once(stage: Stage, bob: Client) -> None:
    said = "Please always answer in German."
    keep(stage.world, f"# Memory\n\n- Bob keeps **bees**.\n\n- {said}\n")
    page = text(bob.get(mine(stage)))
    assert page.count(f'<p class="say">{said}</p>') == 1
    assert page.index(said) < page.index("Bob keeps bees.")


def test_a_sentence_tells_who_said_it_and_leads_to_all_about_it(stage: Stage, bob: Client) -> None:
    page, world = text(bob.get(mine(stage))), stage.world
    told = row(page, PERSONAL)
    its_page = url(world.team, "agents_fact", world.agent.pk, fact("walnuts").pk, query="?owner=me")
    assert f'href="{its_page}"' in told
    assert ">You, " in told
    assert "Extraction" not in page


def test_nobody_elses_sentence_is_there(stage: Stage, bob: Client, alice: Client) -> None:
    for client in (bob, alice):
        page = text(client.get(mine(stage)))
        assert CUSTOMERS not in page
        assert SHARED not in page
    assert PERSONAL not in text(alice.get(mine(stage)))


@pytest.mark.parametrize("role", ["alice", "bob", "vera", "audrey"])
def test_everybody_has_the_page_whatever_the_role(
    world: World, role: str, request: pytest.FixtureRequest
) -> None:
    client: Client = request.getfixturevalue(role)
    owner = Owner.objects.create(
        team=world.team, source="slack", external_id=role, person=getattr(world, role)
    )
    with write_transaction(world.team) as tx:
        place = Place(world.agent, owner, "MEMORY.md")
        file = write(tx, place, MEMORY, writer=Writer(AuthorKind.SYSTEM)).file
    assert "Bob keeps bees." in text(client.get(url(world.team, "mine")))
    answer = client.post(on_fact(world, "edit", "bees"), {"text": "I keep goats."})
    assert answer.status_code == 302
    assert "- I keep goats.\n" in content(file)


def test_a_sentence_reads_without_markdown(stage: Stage, bob: Client) -> None:
    keep(stage.world)
    assert '<p class="say">Bob keeps bees.</p>' in text(bob.get(mine(stage)))


def test_linked_owners_and_every_agent_are_there(stage: Stage, bob: Client) -> None:
    world = stage.world
    Owner.objects.filter(pk=world.sender.pk).update(person=world.bob)
    with write_transaction(world.team) as tx:
        for agent, said in ((world.agent, "Seen in chat."), (world.other_agent, "Beacon's.")):
            place = Place(agent, world.sender, "MEMORY.md")
            write(tx, place, f"- {said}\n", writer=Writer(AuthorKind.SYSTEM))
    page = text(bob.get(mine(stage)))
    assert "Seen in chat." in page
    assert "Beacon&#x27;s." in page
    assert "slack:U1" in page
    only = text(bob.get(mine(stage, f"?agent={world.other_agent.pk}")))
    assert "Beacon&#x27;s." in only
    assert "Seen in chat." not in only


def test_an_archived_agent_keeps_quiet(stage: Stage, bob: Client) -> None:
    keep(stage.world)
    address = on_fact(stage.world, "edit", "bees")
    with write_transaction(stage.world.team) as tx:
        archive_agent(tx, stage.world.agent)
    assert "Bob keeps bees." not in text(bob.get(mine(stage)))
    assert bob.post(address, {"text": "New."}).status_code == 404


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("?q=bees", {"bees"}),
        ("?q=BOB+sundays", {"Sundays"}),
        ("?q=zürich", {"Zürich"}),
        ("?kind=notes", {"walnuts"}),
        ("?kind=other", {"paragraph"}),
        ("?kind=nonsense&agent=none&q=%00bees", {"bees", "Sundays", "Zürich", "walnuts"}),
        ("?q=nothing+like+it", set()),
    ],
)
def test_it_is_searched_and_filtered(
    stage: Stage, bob: Client, query: str, found: set[str]
) -> None:
    keep(stage.world)
    keep(stage.world, "# Profile\n\n- Lives in Zürich.\n", "PROFILE.md")
    page = text(bob.get(mine(stage, query)))
    rows = " ".join(re.findall(r'<p class="say">(.*?)</p>', page))
    words = ("bees", "Sundays", "Zürich", "walnuts", "paragraph")
    assert {word for word in words if word in rows} == found
    if not found:
        assert "No matches" in page


def test_it_is_paged_with_the_same_number_of_queries(stage: Stage, bob: Client) -> None:
    world = stage.world
    keep(world)
    bob.get(mine(stage))
    with CaptureQueriesContext(connection) as few:
        bob.get(mine(stage))
    lines = "".join(f"- Bob has shelf {n}.\n" for n in range(60))
    keep(world, f"{MEMORY}{lines}")
    with write_transaction(world.team) as tx:
        for day in range(3, 30):
            place = Place(world.agent, world.bobs_memory, f"memory/2026-01-{day:02}.md")
            writer = Writer(AuthorKind.EXTRACTION, is_vouched=True)
            append(tx, place, [NewLine(f"- Bob counted {day}.")], writer=writer)
    with CaptureQueriesContext(connection) as many:
        page = text(bob.get(mine(stage)))
    assert len(many) <= len(few) + 1  # how many there are
    assert "Next" in page
    both = page + text(bob.get(mine(stage, "?page=2")))
    assert all(f"Bob has shelf {n}." in both for n in range(60))
    assert "All notes" in page


def test_it_is_right_in_its_row_and_can_be_undone(stage: Stage, bob: Client) -> None:
    keep(stage.world)
    told = text(fragment(bob, on_fact(stage.world, "confirm", "bees"), "s-x", {}))
    assert "You said this is right." in told
    assert fact("bees").confirmed_by == stage.world.bob
    assert "confirmed by you" in row(text(bob.get(mine(stage))), "bees")
    again = text(fragment(bob, undo_of(told), "s-x", {}))
    assert "Right" in again
    assert fact("bees").confirmed_at is None


def test_an_edit_is_the_persons_word_and_can_be_undone(stage: Stage, bob: Client) -> None:
    file = keep(stage.world)
    address = on_fact(stage.world, "edit", "bees")
    told = text(fragment(bob, address, "s-x", {"text": "Bob keeps\r\n goats."}))
    assert "You changed this." in told
    assert content(file) == MEMORY.replace("Bob keeps **bees**.", "Bob keeps goats.")
    made = Revision.objects.filter(file=file).latest("number")
    assert (made.author_kind, made.user) == ("person", stage.world.bob)
    assert actions(stage.world.team)[-1] == "fact.edited"
    assert bob.post(undo_of(told)).status_code == 302
    assert content(file) == MEMORY


def test_what_is_not_true_goes_and_comes_back(stage: Stage, bob: Client) -> None:
    file = keep(stage.world)
    told = text(fragment(bob, on_fact(stage.world, "not_true", "bees"), "s-x", {}))
    assert "Marked as not true." in told
    assert content(file) == MEMORY.replace("- Bob keeps **bees**.\n", "")
    page = text(bob.get(mine(stage)))
    assert "Bob keeps bees." in page.partition('<details class="card ended"')[2]
    fragment(bob, undo_of(told), "s-x", {})
    assert "- Bob keeps **bees**.\n" in content(file)


def test_forgetting_hides_at_once_and_is_undone(stage: Stage, bob: Client) -> None:
    keep(stage.world)
    address = on_fact(stage.world, "forget", "bees")
    told = text(fragment(bob, address, "s-x", {}))
    assert re.search(r"Forgotten\. Erased at \d\d:\d\d\.", told)
    assert "bees" not in told
    request = ForgetRequest.objects.get()
    assert request.erase_at is not None
    assert (request.erase_at - request.created_at).total_seconds() <= 600
    page = text(bob.get(mine(stage)))
    assert "Bob keeps bees." not in page.partition('id="asked"')[0]
    assert "Bob keeps bees." in row(text(fragment(bob, undo_of(told), "s-x", {})), "bees")


def test_without_scripts_the_page_says_it_and_keeps_its_filter(stage: Stage, bob: Client) -> None:
    keep(stage.world)
    here = mine(stage, "?q=bees")
    answer = bob.post(on_fact(stage.world, "not_true", "bees"), {"next": here}, follow=True)
    assert answer.redirect_chain[-1][0] == here
    assert "Marked as not true." in text(answer)
    answer = bob.post(
        on_fact(stage.world, "edit", "Sundays"), {"next": "//evil.example", "text": "x y"}
    )
    assert answer.headers["Location"] == mine(stage)


@pytest.mark.parametrize("words", ["", "  \n ", "a\0b", "x" * 601])
def test_what_cannot_be_kept_is_told_and_nothing_lost(
    stage: Stage, bob: Client, words: str
) -> None:
    file = keep(stage.world)
    answer = bob.post(on_fact(stage.world, "edit", "bees"), {"text": words})
    assert answer.status_code == 422
    assert "Bob keeps bees." in text(answer)
    assert content(file) == MEMORY


def test_a_note_is_changed_at_its_place(stage: Stage, bob: Client) -> None:
    file = keep(
        stage.world, "# 2026-01-02\n\n- 09:15 Bob ran.\n- 09:16 Bob sat.\n", "memory/2026-01-02.md"
    )
    address = on_line(stage.world, "edit", file, 3)
    told = text(fragment(bob, address, "l-x", {"text": "Bob\r\nwalked."}))
    assert "- 09:15 Bob walked.\n- 09:16 Bob sat.\n" in content(file)
    assert "Bob walked." in told
    bob.post(undo_of(told))
    assert "- 09:15 Bob ran.\n" in content(file)
    file = keep(stage.world)
    bob.post(on_line(stage.world, "edit", file, 8), {"text": "One.\n\nTwo.\n"})
    assert content(file).endswith("## Work\n\nOne.\nTwo.\n")
    for words in ("", " \n", "a\0b"):
        answer = bob.post(on_line(stage.world, "edit", file, 3), {"text": words})
        assert answer.status_code == 422


def test_a_note_that_is_right_is_a_statement_from_then_on(stage: Stage, bob: Client) -> None:
    file = keep(stage.world, "# 2026-01-02\n\n- 09:15 Bob runs.\n", "memory/2026-01-02.md")
    told = text(fragment(bob, on_line(stage.world, "confirm", file, 3), "l-x", {}))
    assert fact("Bob runs.").is_persons_word
    assert "09:15" not in fact("Bob runs.").raw_text
    bob.post(undo_of(told))
    assert not Fact.objects.living().filter(raw_text="Bob runs.").exists()


def test_a_note_is_forgotten_and_comes_back(stage: Stage, bob: Client) -> None:
    page = text(bob.get(mine(stage, "?kind=notes")))
    [address] = re.findall(r'hx-post="([^"]*/forget/)"', row(page, PERSONAL))
    told = text(fragment(bob, address, "l-x", {}))
    assert "Forgotten. Erased at" in told
    assert PERSONAL not in text(bob.get(mine(stage, "?kind=notes"))).partition('id="asked"')[0]
    assert PERSONAL in text(fragment(bob, undo_of(told), "l-x", {}))


def test_a_note_that_is_not_true_goes_and_comes_back(stage: Stage, bob: Client) -> None:
    file = note(stage)
    line = file.raw_content.split("\n").index(f"- {PERSONAL}") + 1
    told = text(fragment(bob, on_line(stage.world, "not_true", file, line), "l-x", {}))
    assert PERSONAL not in content(file)
    bob.post(undo_of(told))
    assert PERSONAL in content(file)


def test_of_two_who_edit_a_line_the_slower_keeps_the_words(stage: Stage, bob: Client) -> None:
    old = "# 2026-01-02\n\n- Bob keeps bees.\n"
    file = keep(stage.world, old, "memory/2026-01-02.md")
    address = on_line(stage.world, "edit", file, 3)
    keep(stage.world, old.replace("keeps bees", "keeps bees and hens"), "memory/2026-01-02.md")
    answer = bob.post(address, {"text": "Bob keeps goats."})
    assert answer.status_code == 422
    assert "Bob keeps bees and hens." in text(answer)
    assert "Bob keeps goats." in text(answer)
    assert "goats" not in content(file)
    keep(stage.world, "# 2026-01-02\n\nNothing alike.\n", "memory/2026-01-02.md")
    answer = bob.post(address, {"text": "Bob keeps goats."})
    assert answer.status_code == 422
    assert "no longer there" in text(answer)
    assert "Bob keeps goats." in text(answer)


def test_a_change_elsewhere_in_the_file_does_not_matter(stage: Stage, bob: Client) -> None:
    old = "# 2026-01-02\n\n- Bob keeps bees.\n"
    file = keep(stage.world, old, "memory/2026-01-02.md")
    address = on_line(stage.world, "not_true", file, 3)
    keep(stage.world, old.replace("- Bob", "- Above.\n- Bob"), "memory/2026-01-02.md")
    assert bob.post(address).status_code == 302
    assert content(file) == "# 2026-01-02\n\n- Above.\n"


def test_what_changed_since_is_not_undone(stage: Stage, bob: Client) -> None:
    file = keep(stage.world)
    told = text(fragment(bob, on_fact(stage.world, "edit", "bees"), "s-x", {"text": "Bob rows."}))
    keep(stage.world, MEMORY + "- More.\n")
    assert "has changed since" in text(bob.post(undo_of(told), follow=True))
    assert "- More." in content(file)


@pytest.mark.parametrize("sha256", ["none", "0" * 64])
def test_an_address_of_no_line_changes_nothing(stage: Stage, bob: Client, sha256: str) -> None:
    file = keep(stage.world)
    for first, last in ((2, 2), (3, 10**12), (99, 98)):
        for name in ("edit", "not_true", "forget", "confirm", "unforget"):
            address = url(stage.world.team, f"mine_line_{name}", file.pk, first, last, sha256)
            assert bob.post(address, {"text": "x"}).status_code == 422
    assert content(file) == MEMORY


def test_what_is_anothers_reads_like_what_nobody_has(
    stage: Stage, vera: Client, alice: Client
) -> None:
    file, nobody = keep(stage.world), "00000000-0000-4000-8000-000000000000"
    shared = Fact.objects.get(file=stage.memory)
    names = ("confirm", "edit", "not_true", "forget", "restore", "until", "unforget")
    for name, client in product(names, (vera, alice)):
        answers = set()
        for key in (fact("bees").pk, shared.pk, nobody):
            address = url(stage.world.team, f"mine_fact_{name}", key)
            answers.add(str(looks(client.post(address, {"text": "Mine."}))))
        assert len(answers) == 1
        assert answers.pop().startswith("(404, ")
    for key in (file.pk, stage.memory.pk, nobody):
        address = url(stage.world.team, "mine_line_edit", key, 3, 3, file.sha256)
        assert vera.post(address, {"text": "Mine."}).status_code == 404
    assert content(file) == MEMORY


def test_each_read_of_another_is_told_with_who_what_and_why(
    stage: Stage, alice: Client, bob: Client
) -> None:
    world = stage.world
    reason = "The customer asked us to find a lost order."
    open_glass(owner=world.bobs_memory, user=world.alice, reason=reason, by=SYSTEM)
    query = f"?owner={world.bobs_memory.pk}"
    alice.get(url(world.team, "agents_file", world.agent.pk, NOTE, query=query))
    page = text(bob.get(mine(stage)))
    assert "Read a file." in page
    assert page.count(reason) == 2
    assert "Read a file." not in text(alice.get(mine(stage)))


def test_what_waits_for_a_decision_is_linked(stage: Stage, bob: Client, vera: Client) -> None:
    page = text(bob.get(mine(stage)))
    assert "1 thing about you waits for your decision." in page
    assert "waits for your" not in text(vera.get(mine(stage)))


def test_a_last_day_is_chosen_for_ones_own_sentence(stage: Stage, bob: Client) -> None:
    keep(stage.world)
    bob.post(on_fact(stage.world, "until", "bees"), {"day": "2099-12-31"})
    assert str(fact("bees").valid_to) == "2099-12-31"
    assert "until 31 Dec 2099" in text(bob.get(mine(stage)))
    assert bob.post(on_fact(stage.world, "until", "bees"), {"day": "x"}).status_code == 404
