"""My memory: sentences about oneself with their sources, corrected, removed and taken along."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from memoryweb.agents.break_glass import open_glass
from memoryweb.agents.models import Owner, Reader
from memoryweb.audit.record import SYSTEM
from memoryweb.memory.agents import archive_agent
from memoryweb.memory.index.recalls import RecalledLine, count
from memoryweb.memory.lines.revisions import content_of
from memoryweb.memory.models import (
    AuthorKind,
    Conversation,
    Fact,
    File,
    InjectedSpan,
    Injection,
    Proposal,
    RecallEvent,
    Revision,
)
from memoryweb.memory.models.writer import Place, Writer, write_transaction
from memoryweb.memory.writing.write import NewLine, append, write
from tests.web.pages import actions, opened, text, url
from tests.web.stage import CUSTOMERS, NOTE, PERSONAL, SHARED, Stage
from tests.world import World

MEMORY = "# Memory\n\n- Bob keeps **bees**.\n- Bob sails on Sundays.\n\n## Work\n\nA paragraph.\n"
BEES = {"first": "3", "last": "3"}


def mine(stage: Stage, query: str = "") -> str:
    return url(stage.world.team, "mine", query=query)


def keep(world: World, content: str = MEMORY, path: str = "MEMORY.md") -> File:
    with write_transaction(world.team) as tx:
        place = Place(world.agent, world.bobs_memory, path)
        return write(tx, place, content, writer=Writer(AuthorKind.PERSON, user=world.bob)).file


def note(stage: Stage) -> File:
    return File.objects.get(owner=stage.world.bobs_memory, path=NOTE)


def bees(file: File) -> dict[str, str]:
    return {"file": str(file.pk), "sha256": file.sha256, **BEES}


def content(file: File) -> str:
    file.refresh_from_db()
    return file.raw_content


def test_how_one_wants_to_be_answered_stands_first_and_once(stage: Stage, bob: Client) -> None:
    world = stage.world
    said = "Please always answer in German."
    assert "How you want to be answered" not in text(bob.get(mine(stage)))
    file = keep(world, f"# Memory\n\n- Bob keeps **bees**.\n\n- {said}\n")
    page = text(bob.get(mine(stage)))
    section = page.partition('id="wishes"')[2].partition("</section>")[0]
    assert f'<span class="says">{said}</span>' in section
    assert page.count(f'<span class="says">{said}</span>') == 1
    assert "Bob keeps bees." not in section
    fact = Fact.objects.get(raw_text=said)
    its_page = f"{url(world.team, 'agents_fact', world.agent.pk, fact.pk)}?owner=me"
    assert its_page in opened(bob, page, said)
    spot = {"file": str(file.pk), "sha256": file.sha256, "first": "5", "last": "5"}
    assert bob.post(url(world.team, "mine_remove"), spot).status_code == 302
    assert "How you want to be answered" not in text(bob.get(mine(stage)))


def test_each_sentence_stands_with_its_file_and_what_was_said(stage: Stage, bob: Client) -> None:
    page = text(bob.get(mine(stage)))
    world = stage.world
    assert "<small>" in page
    note = opened(bob, text(bob.get(mine(stage, "?kind=notes"))), PERSONAL)
    talk = url(world.team, "agents_conversation", world.agent.pk, stage.bobs_talk.pk)
    for said in (talk, url(world.team, "agents_why", world.agent.pk, NOTE, 3)):
        assert said not in page
        assert said in note
    assert "written by Extraction" in note


def test_a_sentence_of_a_file_that_moved_on_says_so(stage: Stage, bob: Client) -> None:
    file = keep(stage.world)
    address = url(stage.world.team, "mine_sentence")
    spot = bees(file)
    assert "Bob keeps bees." in text(bob.get(address, spot))
    assert bob.get(address, {**spot, "first": "4", "last": "4"}).status_code == 200
    assert bob.get(address, {**spot, "first": "2"}).status_code == 404
    assert bob.get(address, {**spot, "back": "q=bees&next=//x"}).text.count('?q=bees"') == 1
    keep(stage.world, MEMORY.replace("bees", "wasps"))
    moved = bob.get(address, spot)
    assert moved.status_code == 409
    assert "has changed since" in text(moved)
    assert "wasps" not in text(moved)


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
    said = {**bees(file), "text": "I keep goats."}
    assert client.post(url(world.team, "mine_reword"), said).status_code == 302
    assert "- I keep goats.\n" in content(file)


def test_a_sentence_reads_without_markdown(stage: Stage, bob: Client) -> None:
    keep(stage.world)
    assert '<span class="says">Bob keeps bees.</span>' in text(bob.get(mine(stage)))


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
    file = keep(stage.world)
    with write_transaction(stage.world.team) as tx:
        archive_agent(tx, stage.world.agent)
    assert "Bob keeps bees." not in text(bob.get(mine(stage)))
    answer = bob.post(url(stage.world.team, "mine_reword"), {**bees(file), "text": "New."})
    assert answer.status_code == 404


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("?q=bees", {"bees"}),
        ("?q=BOB+sundays", {"Sundays"}),
        ("?kind=memory", {"bees", "Sundays"}),
        ("?kind=profile", {"Zürich"}),
        ("?q=ZÜRICH", {"Zürich"}),
        ("?kind=notes", {"walnuts"}),
        ("?kind=nonsense&agent=none&q=%00bees", {"bees"}),
        ("?q=nothing+like+it", set()),
    ],
)
def test_it_is_searched_and_filtered(
    stage: Stage, bob: Client, query: str, found: set[str]
) -> None:
    keep(stage.world)
    keep(stage.world, "# Profile\n\n- Lives in Zürich.\n", "PROFILE.md")
    Proposal.objects.all().delete()
    page = text(bob.get(mine(stage, query)))
    kept = page.split('id="kept"')[1].split("By agent")[0]
    assert {word for word in ("bees", "Sundays", "Zürich", "walnuts") if word in kept} >= found
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
    assert len(many) <= len(few)
    assert "Next" in page
    assert "Bob has shelf 59." in text(bob.get(mine(stage, "?page=3")))
    assert "All notes" in page


def test_last_use_is_told_of_recalls_and_of_prompts(stage: Stage, bob: Client) -> None:
    world = stage.world
    file = keep(world)
    page = text(bob.get(mine(stage, "?kind=memory")))
    bees, sundays = "Bob keeps bees.", "Bob sails on Sundays."
    assert "last used" not in opened(bob, page, bees)
    talk = Conversation.objects.get(pk=stage.bobs_talk.pk)
    given = [RecalledLine(file.pk, "- Bob keeps **bees**.")]
    reader = Reader(world.agent, world.bobs_memory)
    via = RecallEvent.Via.TOOL
    count(reader, talk.pk, "bees", given, via=via, at=timezone.now())
    assert "last used" in opened(bob, page, bees)
    assert "last used" not in opened(bob, page, sundays)
    injection = Injection.objects.create(
        team=world.team, agent=world.agent, owner=world.bobs_memory, via=Injection.Via.CONTEXT
    )
    InjectedSpan.objects.create(
        team=world.team,
        injection=injection,
        file=file,
        revision=file.revision,
        first_line=1,
        last_line=4,
    )
    assert "last used" in opened(bob, page, sundays)
    Injection.objects.update(at=timezone.now() - timedelta(days=100))
    RecallEvent.objects.all().delete()
    assert "last used" not in opened(bob, page, bees)


def test_rewording_writes_a_revision_of_that_line(stage: Stage, bob: Client) -> None:
    file = keep(stage.world)
    said = {**bees(file), "text": "Bob keeps\r\n goats."}
    answer = bob.post(url(stage.world.team, "mine_reword"), said)
    assert answer.status_code == 302
    assert content(file) == MEMORY.replace("Bob keeps **bees**.", "Bob keeps goats.")
    made = Revision.objects.filter(file=file).latest("number")
    assert (made.author_kind, made.user) == ("person", stage.world.bob)
    assert actions(stage.world.team)[-2:] == ["file.written", "fact.changed"]


def test_a_note_keeps_its_time_and_a_paragraph_its_lines(stage: Stage, bob: Client) -> None:
    file = keep(stage.world, "# 2026-01-02\n\n- 09:15 Bob ran.\n", "memory/2026-01-02.md")
    bob.post(url(stage.world.team, "mine_reword"), {**bees(file), "text": "Bob walked."})
    assert "- 09:15 Bob walked.\n" in content(file)
    file = keep(stage.world)
    words = {**bees(file), "first": "8", "last": "8", "text": "One.\n\nTwo.\n"}
    bob.post(url(stage.world.team, "mine_reword"), words)
    assert content(file).endswith("## Work\n\nOne.\nTwo.\n")


@pytest.mark.parametrize("words", ["", "  \n ", "a\0b"])
def test_what_cannot_be_kept_is_told_and_nothing_lost(
    stage: Stage, bob: Client, words: str
) -> None:
    file = keep(stage.world)
    answer = bob.post(url(stage.world.team, "mine_reword"), {**bees(file), "text": words})
    assert answer.status_code in {404, 422}
    assert content(file) == MEMORY


def test_of_two_who_edit_the_slower_compares_and_saves(stage: Stage, bob: Client) -> None:
    file = keep(stage.world)
    opened = bees(file)
    keep(stage.world, MEMORY.replace("# Memory\n", "# Memory\n\n- Bob is tall.").replace("**", ""))
    address = url(stage.world.team, "mine_reword")
    answer = bob.post(address, {**opened, "text": "Bob keeps goats."})
    assert answer.status_code == 409
    page = text(answer)
    assert "Bob keeps goats." in page
    assert "Bob keeps **bees**." in page
    assert ">Bob keeps bees.</blockquote>" in page
    file.refresh_from_db()
    again = {**opened, "sha256": file.sha256, "first": "4", "last": "4"}
    for name in ("first", "last"):
        assert f'name="{name}" value="{again[name]}"' in page
    bob.post(address, {**again, "text": "Bob keeps goats."})
    assert "- Bob keeps goats.\n- Bob sails on Sundays.\n" in content(file)


def test_a_sentence_taken_out_meanwhile_keeps_the_persons_words(stage: Stage, bob: Client) -> None:
    file = keep(stage.world)
    opened = bees(file)
    keep(stage.world, "# Memory\n\nNothing alike stands here any more.\n")
    answer = bob.post(url(stage.world.team, "mine_reword"), {**opened, "text": "Bob has goats."})
    assert answer.status_code == 409
    assert "Bob has goats." in text(answer)


def test_removing_takes_the_line_and_says_that_history_keeps_it(stage: Stage, bob: Client) -> None:
    file = keep(stage.world)
    answer = bob.post(url(stage.world.team, "mine_remove"), bees(file), follow=True)
    assert content(file) == MEMORY.replace("- Bob keeps **bees**.\n", "")
    assert "stays in the file" in text(answer)
    assert "bees" in content_of(file, file.revision - 1)


def test_removing_with_its_notes_and_bringing_all_of_it_back(stage: Stage, bob: Client) -> None:
    memory = File.objects.get(owner=stage.world.bobs_memory, path="MEMORY.md")
    at = next(n for n, line in enumerate(memory.raw_content.split("\n"), 1) if "walnuts" in line)
    spot = {**bees(memory), "first": str(at), "last": str(at)}
    assert PERSONAL in note(stage).raw_content
    answer = bob.post(url(stage.world.team, "mine_remove"), {**spot, "sources": "on"})
    assert "walnuts" not in content(memory)
    assert "walnuts" not in note(stage).raw_content
    page = text(bob.get(answer.headers["Location"]))
    assert "Undo" in page
    undo = answer.headers["Location"].split("undo=")[1]
    bob.post(url(stage.world.team, "mine_undo"), {"undo": undo.replace("%7E", "~")})
    assert "walnuts" in content(memory)
    assert PERSONAL in note(stage).raw_content


def test_removing_alone_leaves_the_note(stage: Stage, bob: Client) -> None:
    memory = File.objects.get(owner=stage.world.bobs_memory, path="MEMORY.md")
    at = next(n for n, line in enumerate(memory.raw_content.split("\n"), 1) if "walnuts" in line)
    spot = {**bees(memory), "first": str(at), "last": str(at)}
    bob.post(url(stage.world.team, "mine_remove"), spot)
    assert "walnuts" not in content(memory)
    assert PERSONAL in note(stage).raw_content


def test_what_changed_meanwhile_is_not_removed_nor_brought_back(stage: Stage, bob: Client) -> None:
    file = keep(stage.world)
    opened = bees(file)
    keep(stage.world, MEMORY + "- More.\n")
    said = text(bob.post(url(stage.world.team, "mine_remove"), opened, follow=True))
    assert "Nothing was removed" in said
    assert "bees" in content(file)
    undo = {"undo": f"{file.pk}.1"}
    assert "has changed since" in text(
        bob.post(url(stage.world.team, "mine_undo"), undo, follow=True)
    )


def test_the_file_of_another_reads_like_one_that_nobody_has(stage: Stage, vera: Client) -> None:
    file = keep(stage.world)
    nobody = "00000000-0000-4000-8000-000000000000"
    for act in ("mine_reword", "mine_remove", "mine_sentence"):
        send = vera.get if act == "mine_sentence" else vera.post
        answers = {
            send(url(stage.world.team, act), {**bees(file), "file": one, "text": "x"}).content
            for one in (str(file.pk), nobody, "none")
        }
        assert len(answers) == 1
    assert content(file) == MEMORY


def test_a_shared_file_is_not_reached(stage: Stage, alice: Client) -> None:
    shared = stage.memory
    for act in ("mine_reword", "mine_remove"):
        said = {**bees(shared), "text": "Mine."}
        assert alice.post(url(stage.world.team, act), said).status_code == 404


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
    assert "1 change to your memory was proposed." in page
    assert "was proposed" not in text(vera.get(mine(stage)))


def test_a_last_day_is_chosen_for_ones_own_sentence(stage: Stage, bob: Client) -> None:
    file = keep(stage.world)
    address = url(stage.world.team, "mine_until")
    bob.post(address, {**bees(file), "day": "2099-12-31"})
    fact = Fact.objects.get(file=file, raw_text__contains="bees")
    assert str(fact.valid_to) == "2099-12-31"
    page = text(bob.get(mine(stage)))
    assert "until 31 Dec 2099" in page
    assert 'value="2099-12-31"' in opened(bob, page, "Bob keeps bees.")
    keep(stage.world, MEMORY + "\n- Bob rows.\n")
    answer = bob.post(address, {**bees(file), "day": ""}, follow=True)
    assert "changed while you had it open" in text(answer)
    fact.refresh_from_db()
    assert str(fact.valid_to) == "2099-12-31"
