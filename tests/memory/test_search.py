from datetime import UTC, date, datetime, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from memoryweb.agents.models import Agent, Owner, Reader
from memoryweb.agents.owners import set_paused
from memoryweb.audit.record import SYSTEM
from memoryweb.memory.conversations.messages import add_messages
from memoryweb.memory.conversations.parsing import NewMessage
from memoryweb.memory.index import query_syntax
from memoryweb.memory.models import (
    AuthorKind,
    Fact,
    File,
    LineOrigin,
    Passage,
    Revision,
    SourceClass,
    Vote,
)
from memoryweb.memory.models.refusals import SearchRefused
from memoryweb.memory.models.writer import Place, Writer, write_transaction
from memoryweb.memory.search.engine import Found, search
from memoryweb.memory.visible import placeholders
from memoryweb.memory.writing import write
from tests.statements import statements
from tests.world import World

pytestmark = pytest.mark.django_db
PERSON = Writer(AuthorKind.PERSON)
SAID = datetime(2026, 11, 2, 9, tzinfo=UTC)


def save(world: World, path: str, text: str, owner: Owner | None = None) -> File:
    with write_transaction(world.team) as tx:
        return write.write(tx, Place(world.agent, owner, path), text, writer=PERSON).file


def say(world: World, *texts: str, owner: Owner | None = None, name: str = "talk") -> None:
    with write_transaction(world.team) as tx:
        add_messages(
            tx,
            agent=world.agent,
            owner=owner or world.customer,
            conversation_id=name,
            messages=[
                NewMessage(role="user", content=text, id=f"m{at}", timestamp=SAID + timedelta(at))
                for at, text in enumerate(texts)
            ],
        )


def find(world: World, text: str, owner: Owner | None = None, **more: object) -> Found:
    return search(Reader(world.agent, owner), text, **more)  # type: ignore[arg-type]


def texts(found: Found) -> list[str]:
    return [hit.text for hit in found.hits]


def test_a_hit_says_where_it_stands_and_marks_the_match(world: World) -> None:
    save(world, "KNOWLEDGE.md", "# Harbour\n\nNothing.\n\n- The ferries leave at noon.")
    (hit,) = find(world, "ferry").hits
    assert (hit.kind, hit.line, hit.end_line, hit.trail) == ("file", 5, 5, "Harbour")
    assert [hit.snippet[start:end] for start, end in hit.marks] == ["ferries"]
    assert (hit.message, hit.owner_id) == (None, None)


def test_the_snippet_is_80_characters_around_the_match(world: World) -> None:
    save(world, "KNOWLEDGE.md", f"{'before ' * 40}lighthouse {'after ' * 40}")
    (hit,) = find(world, "lighthouse").hits
    (mark,) = hit.marks
    assert hit.snippet[slice(*mark)] == "lighthouse"
    assert 160 <= len(hit.snippet) <= 170


@pytest.mark.parametrize(
    ("text", "marked"), [("明天要交周报给经理", "周报"), ("ＦＥＲＲＹ来了", "ＦＥＲＲＹ")]
)
def test_it_marks_exactly_what_was_asked_for_in_cjk(world: World, text: str, marked: str) -> None:
    save(world, "KNOWLEDGE.md", text)
    (hit,) = find(world, marked).hits
    assert [hit.snippet[start:end] for start, end in hit.marks] == [marked]


def test_a_block_is_found_by_the_heading_above_it(world: World) -> None:
    save(world, "KNOWLEDGE.md", "## Camping trip\n\n- Bring the blue tent.\n\n## Other\n\n- Rest.")
    assert texts(find(world, "camping")) == ["- Bring the blue tent."]


def test_a_day_s_note_is_found_by_its_date(world: World) -> None:
    save(world, "memory/2026-11-20.md", "- 09:05 Painted the fence.")
    save(world, "memory/2026-11-21.md", "- 09:05 Painted the door.")
    assert texts(find(world, "what happened on 20 November 2026?"))[0].endswith("fence.")


def test_an_answer_is_ranked_by_the_question_before_it(world: World) -> None:
    say(world, "How was the camping trip to the sea?", "Wet, but lovely.", "Wet shoes.", "Wet?")
    assert texts(find(world, "wet camping", world.customer))[0] == "Wet, but lovely."


def test_a_hit_says_a_word_of_the_query_itself(world: World) -> None:
    say(world, "How was the camping trip?", "Lovely, thanks.", "Let us eat.")
    assert texts(find(world, "camping", world.customer)) == ["How was the camping trip?"]


def test_relevance_is_what_a_hit_answers_whatever_else_is_there(world: World) -> None:
    say(world, "The ferry leaves at noon.", "The lamp is red.")
    (ferry,) = find(world, "When does the ferry leave?", world.customer).hits
    (lamp,) = find(world, "Who broke the green lamp of Olaf?", world.customer).hits
    assert ferry.relevance == 1 > 0.5 > lamp.relevance > 0


def test_of_a_long_message_the_question_below_it_is_asked(world: World) -> None:
    pasted = " ".join(f"word{number} stands here." for number in range(200))
    say(world, "The ferry leaves at noon.")
    asked = query_syntax.plain(f"{pasted}\n\nWhen does the ferry leave?\n{pasted[:400]}")
    hits = search(Reader(world.agent, world.customer), asked).hits
    assert (hits[0].text, hits[0].relevance) == ("The ferry leaves at noon.", 1)


def test_memory_counts_for_more_than_a_note_and_a_note_for_more_than_the_diary(
    world: World,
) -> None:
    for path in ("DREAMS.md", "memory/2026-11-20.md", "KNOWLEDGE.md", "MEMORY.md"):
        save(world, path, f"- The lighthouse is {path[-6:-3]}.")
    order = [hit.file.path for hit in find(world, "lighthouse").hits if hit.file]
    assert order == ["MEMORY.md", "KNOWLEDGE.md", "memory/2026-11-20.md", "DREAMS.md"]


def test_of_statements_that_match_alike_the_trusted_comes_first_and_the_doubted_last(
    world: World,
) -> None:
    lines = [f"- The cello is kept at the {place}.\n" for place in ("school", "church", "club")]
    save(world, "KNOWLEDGE.md", "".join(lines))
    said = Fact.objects.order_by("raw_text")
    said.filter(raw_text__contains="church").update(confirmed_at=timezone.now())
    doubted = said.get(raw_text__contains="school")
    Vote.objects.create(team=world.team, fact=doubted, user=world.alice, helpful=False)
    found = [hit.text for hit in find(world, "cello").hits]
    assert [text.split()[-1] for text in found] == ["church.", "club.", "school."]


def test_a_statement_that_stands_in_no_file_is_found_where_it_is_asked_for(world: World) -> None:
    save(world, "KNOWLEDGE.md", "- The cello is kept at school.\n")
    Fact.objects.update(file=None)
    save(world, "KNOWLEDGE.md", "- The cello needs a new string.\n")
    both = ("file", "message", "fact")
    hits = find(world, "where is the cello kept at", kinds=both).hits
    assert [hit.kind for hit in hits[:2]] == ["fact", "file"]
    assert (hits[0].relevance, hits[0].fact) == (1, Fact.objects.get(file=None))
    assert [hit.kind for hit in find(world, "cello").hits] == ["file"]
    assert not find(world, "cello path:KNOW", kinds=("fact",)).hits
    assert [hit.kind for hit in find(world, '"kept at"', kinds=("fact",)).hits] == ["fact"]
    assert not find(world, '"at kept"', kinds=("fact",)).hits


def test_where_scores_are_equal_the_newer_comes_first(world: World) -> None:
    for day in ("2026-11-19", "2026-11-21", "2026-11-20"):
        save(world, f"memory/{day}.md", f"- The lighthouse is red, {day[-2:]}.")
    days = [hit.date for hit in find(world, "lighthouse").hits]
    assert days == [date(2026, 11, 21), date(2026, 11, 20), date(2026, 11, 19)]


def test_at_most_five_hits_of_a_file_and_all_of_a_conversation(world: World) -> None:
    save(world, "KNOWLEDGE.md", "\n".join(f"- my lighthouse {number} x" for number in range(8)))
    say(world, *(f"lighthouse {number}" for number in range(8)))
    found = find(world, "lighthouse", world.customer, limit=50)
    kinds = [hit.kind for hit in found.hits]
    assert (kinds.count("file"), kinds.count("message"), found.total) == (5, 8, 13)


def test_a_quoted_phrase_must_occur(world: World) -> None:
    save(world, "KNOWLEDGE.md", "- red old lighthouse\n\n- old red lighthouse")
    assert texts(find(world, '"old red" lighthouse')) == ["- old red lighthouse"]
    assert texts(find(world, '"red lighthouse"')) == ["- old red lighthouse"]
    assert find(world, '"lighthouse red"').total == 0


def test_a_phrase_of_stop_words_alone_is_still_a_phrase(world: World) -> None:
    save(world, "KNOWLEDGE.md", "- to be or not to be\n\n- be not or to")
    assert texts(find(world, '"to be or not"')) == ["- to be or not to be"]


def test_filters_narrow_by_path_date_kind_and_owner(world: World) -> None:
    save(world, "skills/ferry/SKILL.md", "The ferry leaves at noon.")
    save(world, "memory/2026-11-20.md", "- The ferry was late.")
    save(world, "PROFILE.md", "Likes the ferry.", world.customer)
    say(world, "The ferry is blue.", "The ferry is red.")
    who = world.customer
    assert texts(find(world, "ferry path:skills", who)) == ["The ferry leaves at noon."]
    assert texts(find(world, "ferry path:SKILLS/Ferry", who)) == ["The ferry leaves at noon."]
    assert texts(find(world, "ferry after:2026-11-20 before:2026-11-21 path:memory", who)) == [
        "- The ferry was late."
    ]
    assert texts(find(world, "ferry after:2026-11-03 before:2026-11-04", who)) == [
        "The ferry is red."
    ]
    assert {hit.owner_id for hit in find(world, "ferry owner:me", who).hits} == {who.pk}
    assert {hit.owner_id for hit in find(world, "ferry owner:shared", who).hits} == {None}
    assert {hit.kind for hit in find(world, "ferry", who, kinds=("message",)).hits} == {"message"}


@pytest.mark.parametrize("text", ["ferry before:tomorrow", "ferry at:soon", "a after:2026-13-01"])
def test_a_date_that_is_none_is_refused_with_a_sentence(world: World, text: str) -> None:
    with pytest.raises(SearchRefused, match="write a date") as refusal:
        find(world, text)
    assert refusal.value.code == "bad_date"


@pytest.mark.parametrize("name", ["me", "slack:U1", "nobody", "api:helpdesk/customer-2"])
def test_an_owner_that_is_not_the_reader_is_refused(world: World, name: str) -> None:
    with pytest.raises(SearchRefused) as refusal:
        find(world, f"ferry owner:{name}", world.bobs_memory if name != "me" else None)
    assert refusal.value.code == "bad_owner"


def test_pages_have_no_hit_twice_and_miss_none(world: World) -> None:
    for number in range(9):
        save(
            world, f"notes-{number}.md", "".join(f"- lighthouse {number}{at}\n" for at in range(3))
        )
    whole = find(world, "lighthouse", limit=50)
    paged, cursor = list(whole.hits[:4]), find(world, "lighthouse", limit=4).cursor
    while cursor:
        page = find(world, "lighthouse", limit=4, cursor=cursor)
        paged += page.hits
        cursor = page.cursor
    assert [(hit.file, hit.line) for hit in paged] == [(hit.file, hit.line) for hit in whole.hits]
    assert len(paged) == whole.total == 27


def test_a_page_goes_on_after_the_last_hit_when_others_come_in_between(world: World) -> None:
    for day in range(10, 20):
        save(world, f"memory/2026-11-{day}.md", f"- lighthouse {day}")
    first = find(world, "lighthouse", limit=5)
    save(world, "memory/2026-11-20.md", "- lighthouse 20")
    second = find(world, "lighthouse", limit=5, cursor=first.cursor)
    days = [hit.date.day for hit in (*first.hits, *second.hits) if hit.date]
    assert days == [19, 18, 17, 16, 15, 14, 13, 12, 11, 10]


@pytest.mark.parametrize("cursor", ["x", "AAAA", "é", "\0", "A" * 5000, "LTE"])
def test_a_cursor_of_nothing_is_refused(world: World, cursor: str) -> None:
    with pytest.raises(SearchRefused) as refusal:
        find(world, "ferry", cursor=cursor)
    assert refusal.value.code == "bad_cursor"


def test_a_cursor_of_another_search_is_refused(world: World) -> None:
    save(world, "KNOWLEDGE.md", "- lighthouse one\n- lighthouse two")
    cursor = find(world, "lighthouse", limit=1).cursor
    with pytest.raises(SearchRefused):
        find(world, "one", limit=1, cursor=cursor)
    with pytest.raises(SearchRefused):
        find(world, "lighthouse", world.customer, limit=1, cursor=cursor)


@pytest.mark.parametrize(
    "query",
    [
        "ferry " * 5000,
        "a" * 10_000,
        "the of and",
        "?!., -- ;",
        "",
        " \t\n",
        "ferry\0",
        "ferry \ud800",
        "\udfff path:\ud800 owner\0:x",
        '"',
        '"" ""',
        '"ferry',
        "ferry*",
        "NEAR(ferry noon)",
        "tokens:ferry",
        "recall_index:ferry",
        "ferry AND NOT noon",
        "ferry & !noon | (x",
        "ferry:* <-> noon",
        "'; DROP TABLE recall_passage; --",
        "\\' \\\\",
        "path:",
        'path:"',
        "path:\0",
        "at: before: owner:",
        "ferry at:0001-01-01T00:00+23:59",
        "ferry at:9999-12-31",
        "ferry after:0001-01-01 before:9999-12-31",
        "한" * 3000,
        "𝕗𝕖𝕣𝕣𝕪 ｶﾞ Ⅻ ﷺ" * 200,
    ],
)
@pytest.mark.first_two
def test_no_query_breaks_it(world: World, query: str) -> None:
    save(world, "KNOWLEDGE.md", "- The ferry leaves at noon.")
    say(world, "The ferry is late.")
    try:
        found = find(world, query, world.customer)
    except SearchRefused:
        return
    assert found.total >= len(found.hits)


def test_a_message_asked_for_as_it_is_has_no_filters(world: World) -> None:
    save(world, "KNOWLEDGE.md", "- The ferry leaves at noon.")
    asked = query_syntax.plain('Is the ferry at:noon or owner:nobody "quite')
    assert texts(search(Reader(world.agent), asked))[0] == "- The ferry leaves at noon."


@pytest.mark.parametrize("limit", [-1, 0, 1, 201, 10**9])
@pytest.mark.first_two
def test_the_limit_is_held_between_1_and_200(world: World, limit: int) -> None:
    save(world, "KNOWLEDGE.md", "- lighthouse\n- lighthouse two")
    say(world, *(f"lighthouse {number}" for number in range(210)))
    found = find(world, "lighthouse", world.customer, limit=limit)
    assert len(found.hits) == min(max(limit, 1), 200)


def test_others_text_changes_neither_hits_nor_scores_nor_the_total(world: World) -> None:
    save(world, "KNOWLEDGE.md", "- The ferry leaves at noon.\n\n- The lamp is red.")
    say(world, "Where is the ferry?", "At the pier.")
    before = find(world, "ferry lamp", world.customer)
    for number in range(8):
        text = f"- ferry ferry lamp {number}"
        with write_transaction(world.team) as tx:
            for agent, owner in ((world.agent, world.sender), (world.other_agent, None)):
                write.write(tx, Place(agent, owner, f"n{number}.md"), text, writer=PERSON)
        with write_transaction(world.twin.team) as tx:
            write.write(tx, Place(world.twin.agent, None, f"n{number}.md"), text, writer=PERSON)
    say(world, "The ferry!", "The lamp!", owner=world.sender, name="theirs")
    assert find(world, "ferry lamp", world.customer) == before


def test_messages_are_found_by_their_owner_alone(world: World) -> None:
    say(world, "The ferry is late.")
    assert find(world, "ferry", world.customer).total == 1
    assert find(world, "ferry").total == find(world, "ferry", world.sender).total == 0


def test_of_a_paused_owner_only_shared_text_is_found(world: World) -> None:
    save(world, "KNOWLEDGE.md", "- The ferry leaves at noon.")
    say(world, "The ferry is late.")
    set_paused(owner=world.customer, paused=True, by=SYSTEM)
    world.customer.refresh_from_db()
    found = find(world, "ferry", world.customer)
    assert (found.total, found) == (1, find(world, "ferry"))


def test_of_an_archived_agent_nothing_is_found(world: World) -> None:
    save(world, "KNOWLEDGE.md", "- The ferry leaves at noon.")
    Agent.objects.filter(pk=world.agent.pk).update(archived_at=SAID)
    world.agent.refresh_from_db()
    assert find(world, "ferry") == Found(0, ())


def test_a_deleted_file_is_found_no_more(world: World) -> None:
    file = save(world, "KNOWLEDGE.md", "- The ferry leaves at noon.")
    with write_transaction(world.team) as tx:
        write.delete(tx, file, writer=PERSON)
    assert find(world, "ferry").total == 0


def test_at_finds_what_was_current_then(world: World) -> None:
    save(world, "KNOWLEDGE.md", "- The ferry leaves at noon.")
    save(world, "PROFILE.md", "Likes the ferry.", world.sender)
    Revision.objects.filter(file__path__in=("KNOWLEDGE.md", "PROFILE.md")).update(
        created_at=datetime(2026, 11, 1, 12, tzinfo=UTC)
    )
    save(world, "KNOWLEDGE.md", "- The ferry leaves at three.")
    say(world, "The ferry is late.")
    then = find(world, "ferry at:2026-11-02", world.customer)
    assert texts(then) == ["- The ferry leaves at noon."]
    assert find(world, "ferry at:2026-10-31", world.customer).total == 0
    assert "- The ferry leaves at three." in texts(find(world, "ferry", world.customer))


def aged(file: File, number: int, hour: int) -> None:
    """As if the revision had been written on 1 November."""
    written = datetime(2026, 11, 1, hour, tzinfo=UTC)
    Revision.objects.filter(file=file, number=number).update(created_at=written)


def test_a_hit_of_the_past_says_its_revision_and_whose_word_it_was(world: World) -> None:
    stranger = Writer(AuthorKind.AGENT, integration=world.integration)
    with write_transaction(world.team) as tx:
        place = Place(world.agent, None, "KNOWLEDGE.md")
        first = write.write(tx, place, "- The ferry leaves at noon.", writer=stranger).file
    aged(first, first.revision, 9)
    second = save(world, "KNOWLEDGE.md", "- The lamp is red.\n- The ferry leaves at noon.")
    aged(second, second.revision, 10)
    save(world, "KNOWLEDGE.md", "- Nothing.")
    (hit,) = find(world, "ferry at:2026-11-02").hits
    assert (hit.revision, hit.line, hit.is_past) == (second.revision, 2, True)
    assert hit.source == SourceClass.THIRD_PARTY
    (lamp,) = find(world, "lamp at:2026-11-02").hits
    assert lamp.source == SourceClass.PERSON


def test_what_has_not_changed_since_is_no_past(world: World) -> None:
    file = save(world, "KNOWLEDGE.md", "- The ferry leaves at noon.")
    (now,) = find(world, "ferry").hits
    (then,) = find(world, "ferry at:2999-01-01").hits
    assert (then.revision, then.is_past, then.source) == (file.revision, False, now.source)


def test_a_file_is_found_under_the_name_it_had_and_keeps_its_place_today(world: World) -> None:
    file = save(world, "boats.md", "- The ferry leaves at noon.")
    aged(file, file.revision, 9)
    with write_transaction(world.team) as tx:
        write.rename(tx, file, "ships.md", writer=PERSON)
    (hit,) = find(world, "ferry at:2026-11-02").hits
    assert (hit.file and hit.file.path, hit.past and hit.past.file.path) == ("boats.md", "ships.md")


def test_at_ranks_the_present_as_search_does(world: World) -> None:
    save(world, "boats.md", "- The ferry leaves at noon.\n- The lamp is red.")
    say(world, "Where is the ferry?", "At the pier.")
    now = find(world, "ferry lamp", world.customer)
    then = find(world, "ferry lamp at:2999-01-01", world.customer)
    assert [(hit.text, hit.score) for hit in then.hits] == [(h.text, h.score) for h in now.hits]
    assert then.total == now.total


def test_a_search_takes_as_many_statements_over_much_as_over_little(world: World) -> None:
    counted = []
    for size in (20, 80):
        save(world, "KNOWLEDGE.md", "\n".join(f"- ferry lamp {n}" for n in range(size)))
        say(world, *["ferry", "lamp", "rain", "wind"] * size, name=f"talk {size}")
        with CaptureQueriesContext(connection) as queries:
            find(world, "ferry lamp pier", world.customer)
        counted.append(len(statements(queries)))
    assert counted[0] == counted[1] <= 3  # of what is found, the rows of the page, and trust


def test_a_statement_is_one_hit_with_its_other_places(world: World) -> None:
    save(world, "MEMORY.md", "- The ferry leaves at 12.")
    save(world, "memory/2026-11-20.md", "- 09:05 The ferry leaves at 12.\n- The ferry left at 13.")
    say(world, "The ferry leaves at 12!", "The ferry never leaves at 12.")
    hits = find(world, "ferry", world.customer).hits
    assert len(hits) == 3
    assert [(one.kind, one.line) for one in hits[0].others] == [("message", 1), ("file", 1)]


def test_what_follows_takes_the_places_of_copies(world: World) -> None:
    say(world, *["The ferry leaves at noon."] * 5, *(f"The ferry has {n} cabins." for n in "345"))
    first = find(world, "ferry leaves noon", world.customer, limit=3)
    assert len({*texts(first)}) == len(first.hits) == 3
    rest = find(world, "ferry leaves noon", world.customer, limit=3, cursor=first.cursor)
    assert not {*texts(first)} & {*texts(rest)}
    assert len(texts(first) + texts(rest)) == 4


def test_a_program_is_told_from_an_unflagged_place_what_a_flagged_one_says(world: World) -> None:
    file = save(world, "MEMORY.md", "- The ferry leaves at noon.")
    say(world, "The ferry leaves at noon.")
    LineOrigin.objects.update_or_create(
        file=file, line=1, defaults={"marks": "order", "team": world.team}
    )
    found = find(world, "ferry", world.customer).hits
    assert [hit.kind for hit in found] == ["file"]
    (told,) = placeholders.allowed(found, then=False)
    assert (told.kind, told.others) == ("message", ())


def test_what_is_removed_behind_the_doors_is_found_no_more(world: World) -> None:
    save(world, "KNOWLEDGE.md", "- The ferry leaves at noon.")
    rows = Passage.objects.filter(file__path="KNOWLEDGE.md")
    Passage.objects.filter(pk__in=list(rows.values_list("pk", flat=True)))._raw_delete("default")
    assert find(world, "ferry").total == 0


def test_the_built_in_team_is_not_looked_up_again(world: World) -> None:
    search(Reader(world.agent), "first")
    with CaptureQueriesContext(connection) as queries:
        search(Reader(world.agent), "second")
    assert [sql for sql in statements(queries) if "accounts_team" in sql] == []
