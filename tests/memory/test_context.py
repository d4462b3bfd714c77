import re
from collections.abc import Sequence
from datetime import UTC, datetime

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memoryweb.agents.models import Owner, Reader
from memoryweb.agents.owners import set_paused
from memoryweb.audit.record import SYSTEM
from memoryweb.llm import tokens
from memoryweb.markdown.render import render
from memoryweb.memory.conversations.messages import NewMessage, add_messages
from memoryweb.memory.models import AuthorKind, Conversation, Fact, File
from memoryweb.memory.models.writer import Memory, Place, Writer, write_transaction
from memoryweb.memory.prompt.context import HEADING, Context, behind_lines, build
from memoryweb.memory.prompt.files import arrange
from memoryweb.memory.prompt.prefetch import HEADING as FOUND
from memoryweb.memory.writing.write import write
from tests.fences import parse
from tests.soaking import first_in_gate
from tests.world import World

PERSON = Writer(AuthorKind.PERSON)
CANOE = "- Her canoe is red.\n"
MARK = re.compile(r"^<data-([0-9a-f]{24})>$", re.MULTILINE)
TEXTS = st.text(alphabet=st.sampled_from("-- A\\\n\r\u2028.md#<>/dat界é"), max_size=200)


def save(world: World, path: str, text: str, owner: Owner | None = None) -> File:
    with write_transaction(world.team) as tx:
        return write(tx, Place(world.agent, owner, path), text, writer=PERSON).file


def say(world: World, owner: Owner, texts: Sequence[str], *, group: bool = False) -> Conversation:
    roles = ("user", "assistant")
    said = [NewMessage(roles[n % 2], text, name="Inês") for n, text in enumerate(texts)]
    with write_transaction(world.team) as tx:
        return add_messages(
            tx,
            agent=world.agent,
            owner=owner,
            conversation_id="talk",
            messages=said,
            group=group,
        ).conversation


def only(world: World, files: dict[str, str], owner: Owner | None = None) -> None:
    """Just these files in the prompt, in this order."""
    with write_transaction(world.team) as tx:
        enabled = File.objects.of(world.agent.pk, owner.pk if owner else None).present()
        off = [(file.path, False) for file in enabled if file.path not in files]
        for path, text in files.items():
            write(tx, Place(world.agent, owner, path), text, writer=PERSON)
        arrange(tx, Memory(world.agent, owner), [*((path, True) for path in files), *off])


def fenced(context: Context) -> str:
    """What stands between the marks of the memory message."""
    content = context.messages[0].content
    mark = MARK.search(content)
    assert mark is not None
    before, _, inside = content.partition(f"<data-{mark[1]}>\n")
    inside, _, after = inside.partition(f"\n</data-{mark[1]}>")
    assert (mark[1] in before, mark[1] in inside, after) == (False, False, "")
    return inside


def everything(context: Context) -> str:
    return "\n".join([context.system, *(turn.content for turn in context.messages)])


def test_the_system_prompt_holds_the_enabled_shared_files_in_their_order(world: World) -> None:
    only(world, {"SOUL.md": "Be kind.", "MEMORY.md": "- Tea at five.\n", "KNOWLEDGE.md": "Nuts.\n"})
    assert build(Reader(world.agent), "Hello").system == (
        "--- SOUL.md ---\nBe kind.\n"
        f"{HEADING}--- MEMORY.md ---\n- Tea at five.\n\n"
        "--- KNOWLEDGE.md ---\nNuts.\n"
    )


def test_it_stays_the_same_byte_for_byte_until_a_shared_file_changes(world: World) -> None:
    talk = say(world, world.customer, ["My cat is called Mog."])
    save(world, "MEMORY.md", "- Likes trains.\n", world.customer)
    first = build(Reader(world.agent, world.customer), "One").system
    save(world, "MEMORY.md", "- Likes boats.\n", world.customer)
    save(world, "memory/2026-11-20.md", "- Shared, but not in the prompt.\n")
    assert build(Reader(world.agent, world.customer), "Two", conversation=talk).system == first
    assert build(Reader(world.agent, world.sender), "Three").system == first
    save(world, "MEMORY.md", "- Breakfast ends at ten.\n")
    assert build(Reader(world.agent), "One").system != first


def test_personal_memory_is_data_of_the_user_and_never_of_the_system(world: World) -> None:
    save(world, "MEMORY.md", "- Likes trains.\n", world.customer)
    context = build(Reader(world.agent, world.customer), "Hello")
    assert [turn.role for turn in context.messages] == ["user", "user"]
    assert parse(fenced(context)) == [("MEMORY.md", f"- Likes trains.{context.added[0].text}\n")]
    assert "trains" not in context.system


NINE = datetime(2026, 9, 28, 21, tzinfo=UTC)


def test_each_line_of_the_owners_block_says_when_it_was_said(world: World) -> None:
    text = "# Memory\n\nWritten below.\n\n- Likes trains.\n- Sings in a choir.\n- Has a canoe.\n"
    save(world, "MEMORY.md", text, world.customer)
    Fact.objects.update(said_at=NINE)
    Fact.objects.filter(raw_text__contains="choir").update(said_at=None)
    context = build(Reader(world.agent, world.customer), "Hello")
    assert "Written below.\n\n- Likes trains. (2026-09-28)\n- Sings in a choir.\n" in fenced(
        context
    )
    assert [(one.line, one.text) for one in context.added] == [
        (5, " (2026-09-28)"),
        (7, " (2026-09-28)"),
    ]
    rows = context.messages[0].content.split("\n")
    assert [rows[one.row] for one in context.added] == [
        "- Likes trains. (2026-09-28)",
        "- Has a canoe. (2026-09-28)",
    ]
    assert tokens.estimate(context.added[0].text) <= 4


def test_the_day_is_that_of_the_agents_time_zone(world: World) -> None:
    world.agent.time_zone = "Asia/Tokyo"
    save(world, "MEMORY.md", "- Likes trains.\n", world.customer)
    Fact.objects.update(said_at=NINE)
    context = build(Reader(world.agent, world.customer), "Hello")
    assert [one.text for one in context.added] == [" (2026-09-29)"]


ENDED = "- Lives in Altona, keeps bees. <!-- until 2026-09-28: Lives in Altona -->"
TOLD = "- Lives in Altona, keeps bees. (until 2026-09-28: Lives in Altona)"


def test_a_prompt_says_until_when_some_of_a_line_held(world: World) -> None:
    save(world, "MEMORY.md", f"# Memory\n\n{ENDED}\n- Has a canoe.\n", world.customer)
    Fact.objects.update(said_at=NINE)
    context = build(Reader(world.agent, world.customer), "Hello")
    assert f"\n{TOLD} (2026-09-28)\n- Has a canoe. (2026-09-28)\n" in fenced(context)
    assert "<!--" not in fenced(context)
    first, _second = context.added
    assert (first.line, first.text) == (3, " (until 2026-09-28: Lives in Altona) (2026-09-28)")
    assert context.messages[0].content.split("\n")[first.row] == f"{TOLD} (2026-09-28)"


def test_the_shared_prompt_says_it_too_and_stays_the_same(world: World) -> None:
    only(world, {"SOUL.md": "Be kind.", "MEMORY.md": f"{ENDED}\n- Tea.\n"})
    system = build(Reader(world.agent), "Hello").system
    assert system == f"--- SOUL.md ---\nBe kind.\n{HEADING}--- MEMORY.md ---\n{TOLD}\n- Tea.\n"
    Fact.objects.update(said_at=NINE)
    assert build(Reader(world.agent, world.customer), "Good morning").system == system
    [shared] = (one for one in build(Reader(world.agent), "Hello").shared if one.added)
    assert shared.tokens == tokens.estimate(shared.rendered)
    [told] = behind_lines([*build(Reader(world.agent), "Hello").shared])
    assert system.split("\n")[told.row] == TOLD


def test_a_pinned_line_says_beside_it_what_has_ended(world: World) -> None:
    pinned = f"<!-- pinned -->\n{ENDED.partition(' <!--')[0]}\n<!-- /pinned -->\n"
    save(world, "MEMORY.md", pinned, world.customer)
    Fact.objects.update(said_at=NINE, raw_ended=[["2026-09-28", "Lives in Altona"]])
    context = build(Reader(world.agent, world.customer), "Hello")
    assert f"\n{TOLD} (2026-09-28)\n<!-- /pinned -->" in fenced(context)
    Fact.objects.update(said_at=None)
    assert f"\n{TOLD}\n" in fenced(build(Reader(world.agent, world.customer), "Hello"))


def test_the_shared_prompt_says_it_of_pinned_lines_and_takes_them_back(world: World) -> None:
    bare = ENDED.partition(" <!--")[0]
    text = f"- Tea.\n<!-- pinned -->\n{bare}\n<!-- /pinned -->\n"
    only(world, {"MEMORY.md": text})
    before = build(Reader(world.agent), "Hello").system
    facts = Fact.objects.filter(raw_text__contains="Altona")
    facts.update(said_at=NINE, raw_ended=[["2026-09-28", "Lives in Altona"]])
    system = build(Reader(world.agent), "Hello").system
    assert system == before.replace(bare, TOLD)
    assert build(Reader(world.agent, world.customer), "Good morning").system == system
    [told] = behind_lines([*build(Reader(world.agent), "Hello").shared])
    assert system.split("\n")[told.row] == TOLD
    place = Place(world.agent, None, "MEMORY.md")
    with write_transaction(world.team) as tx:
        back = f"{text.replace(bare, TOLD)}- Oats.\n"
        file = write(tx, place, back, writer=Writer(AuthorKind.AGENT)).file
    assert file.raw_content == f"{text}- Oats.\n"


def _much(days: int) -> str:
    """Of as many days, the marks of which are more than fits."""
    lines = [
        f"- Works in room {n} of the old mill, and has key {n}. "
        f"<!-- until 2026-09-{n:02}: Works in room {n} of the old mill -->\n"
        for n in range(1, days + 1)
    ]
    return "".join(lines)


def test_marks_beyond_their_share_stand_on_the_page_alone(world: World) -> None:
    text = f"# Memory\n\n{_much(28)}"
    file = save(world, "MEMORY.md", text, world.customer)
    Fact.objects.update(said_at=NINE)
    [one] = build(Reader(world.agent, world.customer), "Hello").personal
    given = one.rendered
    assert "- …, and has key 1. (2026-09-28)\n" in given
    assert "room 1 " not in given
    assert "- Works in room 28 of the old mill, and has key 28. (until 2026-09-28: Works" in given
    marks = sum(len(told) for told in re.findall(r"\(until [^)]*\)", given))
    assert marks * 2 <= 0.15 * 12_288  # of a half of what it may be given
    assert all(f"has key {n}." in given for n in range(1, 29))
    with write_transaction(world.team) as tx:
        back = "\n".join(given.rstrip("\n").split("\n")[1:])
        place = Place(world.agent, world.customer, "MEMORY.md")
        write(tx, place, f"{back}\n- Oats.\n", writer=Writer(AuthorKind.AGENT))
    file.refresh_from_db()
    assert file.raw_content == f"{text}- Oats.\n"


def test_a_marked_line_that_is_found_says_it(world: World) -> None:
    save(world, "KNOWLEDGE.md", f"{ENDED}\n", world.customer)
    context = build(Reader(world.agent, world.customer), "Where are the bees kept?")
    assert f"- KNOWLEDGE.md:1: {TOLD.removeprefix('- ')} (" in fenced(context)
    assert "<!--" not in fenced(context)
    (one,) = context.added
    assert one.text.startswith(" (until 2026-09-28: Lives in Altona) (")


def test_the_shared_prompt_says_no_days(world: World) -> None:
    only(world, {"MEMORY.md": "- Tea at five.\n"})
    before = build(Reader(world.agent, world.customer), "Hello")
    Fact.objects.update(said_at=NINE)
    after = build(Reader(world.agent, world.customer), "Hello")
    assert (before.system, after.added) == (after.system, ())
    assert "Tea at five.\n" in f"{after.system}\n"


def test_a_line_that_is_hidden_says_no_day(world: World) -> None:
    save(world, "MEMORY.md", "- Likes trains.\n- Has a canoe.\n", world.customer)
    Fact.objects.update(said_at=NINE)
    Fact.objects.filter(raw_text__contains="trains").update(hidden_at=NINE)
    context = build(Reader(world.agent, world.customer), "Hello")
    assert [one.line for one in context.added] == [2]


@pytest.mark.parametrize("window", first_in_gate(2, [1100, 4000, 1000, 1300, 1700, 2500]))
def test_days_are_counted_before_a_text_is_cut(world: World, window: int) -> None:
    save(world, "MEMORY.md", "".join(f"- Word {n} is so.\n" for n in range(400)), world.customer)
    Fact.objects.update(said_at=NINE)
    context = build(Reader(world.agent, world.customer), "Hello", window=window)
    (one,) = (one for one in context.personal if one.file.path == "MEMORY.md")
    assert context.gauge.used <= context.gauge.budget
    assert one.tokens == tokens.estimate(one.rendered)
    rows = one.rendered.split("\n")
    assert [rows[its.row] for its in one.added] == [
        f"- Word {its.line - 1} is so. (2026-09-28)" for its in one.added
    ]
    assert len(one.added) == sum(last - first + 1 for first, last in one.lines)


def test_a_statement_that_is_found_says_its_day(world: World) -> None:
    with write_transaction(world.team) as tx:
        write(tx, Place(world.agent, world.customer, "KNOWLEDGE.md"), CANOE, writer=PERSON)
    Fact.objects.update(said_at=NINE)
    context = build(Reader(world.agent, world.customer), "What colour has the canoe?")
    assert "- KNOWLEDGE.md:1: Her canoe is red. (2026-09-28)" in fenced(context)
    (one,) = context.added
    assert context.messages[0].content.split("\n")[one.row].endswith("red. (2026-09-28)")
    assert (one.file and one.file.path, one.line) == ("KNOWLEDGE.md", 1)


def test_a_statement_without_a_line_says_its_day(world: World) -> None:
    save(world, "KNOWLEDGE.md", CANOE, world.customer)
    Fact.objects.update(file=None, said_at=NINE)
    save(world, "KNOWLEDGE.md", "- Tea at five.\n", world.customer)
    context = build(Reader(world.agent, world.customer), "What colour has the canoe?")
    assert [one.fact for one in context.added] == [Fact.objects.get(raw_text__contains="canoe")]
    assert "Her canoe is red. (2026-09-28)" in fenced(context)


def test_every_call_has_a_mark_of_its_own(world: World) -> None:
    save(world, "MEMORY.md", "- Likes trains.\n", world.customer)
    reader = Reader(world.agent, world.customer)
    assert build(reader, "Hello").messages[0] != build(reader, "Hello").messages[0]


def test_another_owners_memory_is_never_in_it(world: World) -> None:
    only(world, {"MEMORY.md": "- Shared sandpiper.\n"})
    for bird, owner in (("cormorant", world.customer), ("albatross", world.sender)):
        save(world, "MEMORY.md", f"- Saw a {bird} bird.\n", owner)
        save(world, "memory/2026-11-20.md", f"- Saw a {bird} bird again.\n", owner)
        with write_transaction(world.team) as tx:
            said = [NewMessage("user", f"I saw a {bird} bird yesterday.")]
            add_messages(tx, agent=world.agent, owner=owner, conversation_id=bird, messages=said)
    text = everything(build(Reader(world.agent, world.customer), "Which bird did I see?"))
    assert ("cormorant" in text, "sandpiper" in text, "albatross" in text) == (True, True, False)
    nobody = everything(build(Reader(world.agent), "Which bird did I see?"))
    assert ("sandpiper" in nobody, "cormorant" in nobody, "albatross" in nobody) == (
        True,
        False,
        False,
    )


def test_what_was_found_for_the_message_is_quoted_with_its_place(world: World) -> None:
    save(world, "memory/2026-11-20.md", "# 2026-11-20\n\n- Her canoe is red.\n", world.customer)
    context = build(Reader(world.agent, world.customer), "What colour has the canoe?")
    found = dict(parse(fenced(context)))[FOUND]
    assert found == "- memory/2026-11-20.md:3: Her canoe is red."


def test_what_is_in_the_prompt_anyway_is_not_quoted_again(world: World) -> None:
    save(world, "MEMORY.md", "- Her canoe is red.\n", world.customer)
    talk = say(world, world.customer, ["My canoe leaks.", "That is bad.", "Is my canoe red?"])
    context = build(Reader(world.agent, world.customer), "Is my canoe red?", conversation=talk)
    assert context.hits == ()
    assert everything(context).count("Is my canoe red?") == 1


def test_a_message_is_no_query(world: World) -> None:
    message = 'Meet "me at:noon before:lunch owner:nobody'
    assert build(Reader(world.agent, world.customer), message).messages[-1].content == message


def test_earlier_turns_come_in_order_before_the_message(world: World) -> None:
    talk = say(world, world.customer, ["One.", "Two.", "Three."])
    context = build(Reader(world.agent, world.customer), "Four.", conversation=talk)
    assert [turn.content for turn in context.messages] == ["One.", "Two.", "Three.", "Four."]
    assert [turn.role for turn in context.messages] == ["user", "assistant", "user", "user"]


def test_in_a_group_everybody_is_named(world: World) -> None:
    talk = say(world, world.customer, ["One.", "Two."], group=True)
    context = build(Reader(world.agent, world.customer), "Three.", conversation=talk)
    assert [turn.content for turn in context.messages] == ["Inês: One.", "Two.", "Three."]


def test_over_the_budget_turns_are_dropped_from_the_front(world: World) -> None:
    talk = say(world, world.customer, [f"{n} " + "word " * 200 for n in range(20)])
    context = build(Reader(world.agent, world.customer), "And now?", conversation=talk, window=4000)
    kept = [turn.content.split()[0] for turn in context.messages[:-1]]
    assert kept == [str(n) for n in range(20 - len(kept), 20)]
    assert (context.gauge.dropped, len(kept) > 2) == (20 - len(kept), True)
    assert context.gauge.used <= context.gauge.budget == 3000


def test_the_last_two_stay_even_where_they_alone_are_too_many(world: World) -> None:
    save(world, "MEMORY.md", "- Likes trains.\n", world.customer)
    talk = say(world, world.customer, ["First.", "long " * 2000, "longer " * 2000])
    context = build(Reader(world.agent, world.customer), "Now?", conversation=talk, window=1000)
    assert [turn.content[:4] for turn in context.messages] == ["long", "long", "Now?"]
    assert (context.system, context.gauge.dropped) == ("", 1)
    assert all(one.is_left_out for one in context.files)


def test_a_long_talk_is_read_to_its_beginning(world: World) -> None:
    talk = say(world, world.customer, [f"{n}." for n in range(230)])
    context = build(Reader(world.agent, world.customer), "Now?", conversation=talk)
    assert [turn.content for turn in context.messages[:-1]] == [f"{n}." for n in range(230)]


def test_a_talk_that_is_read_in_part_is_not_asked_for_whole(world: World) -> None:
    talk = say(world, world.customer, [f"{n} " + "word " * 200 for n in range(20)])
    with CaptureQueriesContext(connection) as queries:
        build(Reader(world.agent, world.customer), "Now?", conversation=talk, window=4000)
    turns = [one["sql"] for one in queries if '"content"' in one["sql"] and "BY" in one["sql"]]
    turns = [sql for sql in turns if 'FROM "conversations_message"' in sql]
    assert turns
    assert all("LIMIT" in sql for sql in turns)


def test_a_long_file_is_cut_and_says_how_much_is_missing(world: World) -> None:
    text = "".join(f"- statement number {n}\n" for n in range(1000))
    only(world, {"MEMORY.md": text})
    (one,) = build(Reader(world.agent), "Hello").shared
    assert one.characters <= 12_288
    assert one.characters + one.cut == len(text)
    assert one.last_line == text[: one.characters].count("\n") + 1
    assert f"… ({one.cut} characters more)" in one.rendered


def test_a_file_without_a_limit_of_its_own_is_cut_by_the_budget(world: World) -> None:
    only(world, {"KNOWLEDGE.md": "- a line of some words\n" * 1500})
    context = build(Reader(world.agent), "Hello", window=8000)
    (one,) = context.shared
    assert 0 < context.gauge.system <= context.gauge.budget // 2
    assert one.cut > 0


def test_while_memory_is_paused_nothing_personal_is_put_in(world: World) -> None:
    save(world, "MEMORY.md", "- Likes trains.\n", world.customer)
    talk = say(world, world.customer, ["I love trains.", "Good."])
    set_paused(owner=world.customer, paused=True, by=SYSTEM)
    context = build(Reader(world.agent, world.customer), "Trains?", conversation=talk)
    assert [turn.content for turn in context.messages] == ["Trains?"]
    assert (context.reader.owner, context.conversation_id, context.hits) == (None, None, ())


def test_while_memory_is_not_used_only_this_talk_is_put_in(world: World) -> None:
    save(world, "MEMORY.md", "- Likes trains.\n", world.customer)
    talk = say(world, world.customer, ["Which trains go today?", "All of them."])
    set_paused(owner=world.customer, paused=True, by=SYSTEM, what=["using"])
    context = build(Reader(world.agent, world.customer), "Trains?", conversation=talk)
    said = ["Which trains go today?", "All of them.", "Trains?"]
    assert [turn.content for turn in context.messages] == said
    assert (context.reader.owner, context.conversation_id, context.hits) == (None, talk.pk, ())


def test_while_nothing_new_is_kept_memory_is_put_in(world: World) -> None:
    save(world, "MEMORY.md", "- Likes trains.\n", world.customer)
    set_paused(owner=world.customer, paused=True, by=SYSTEM, what=["keeping"])
    context = build(Reader(world.agent, world.customer), "Trains?")
    assert "Likes trains." in everything(context)


def test_in_an_ephemeral_conversation_nothing_personal_is_put_in(world: World) -> None:
    save(world, "MEMORY.md", "- Likes trains.\n", world.customer)
    context = build(Reader(world.agent, world.customer), "Trains?", ephemeral=True)
    assert [turn.content for turn in context.messages] == ["Trains?"]


def test_a_secret_is_masked_wherever_it_stands(world: World) -> None:
    token = "ghp_" + "".join(chr(ord("a") + n % 26) + str(n % 10) for n in range(18))
    save(world, "MEMORY.md", "- Placeholder.\n", world.customer)
    talk = say(world, world.customer, ["Placeholder."])
    File.objects.filter(path="MEMORY.md").update(raw_content=f"- The token is {token}.\n")
    talk.messages.update(raw_content=f"It is {token}.")
    context = build(Reader(world.agent, world.customer), f"Use {token}!", conversation=talk)
    assert token not in everything(context)
    assert everything(context).count("[secret: ") == 4
    assert {one.masked for one in context.files if one.file.path == "MEMORY.md"} == {1}


@pytest.mark.parametrize("count", [1, 12])
def test_more_files_take_no_more_statements(world: World, count: int) -> None:
    for number in range(count):
        save(world, f"{number}.md", "Text.\n")
    File.objects.update(enabled=True)
    with CaptureQueriesContext(connection) as captured:
        build(Reader(world.agent, world.customer), "Hello")
    assert len(captured) <= 8


def test_the_days_take_two_statements_at_most(world: World) -> None:
    for path in ("MEMORY.md", "PROFILE.md"):
        save(world, path, "".join(f"- {path} {n} is so.\n" for n in range(30)), world.customer)
    save(world, "KNOWLEDGE.md", CANOE, world.customer)
    save(world, "structured/boats.md", "- Her other canoe is white.\n", world.customer)
    with CaptureQueriesContext(connection) as captured:
        context = build(Reader(world.agent, world.customer), "Is the canoe red or white?")
    asked = [one["sql"] for one in captured if '"facts_fact"."said_at" IS NOT NULL' in one["sql"]]
    assert len(context.added) == 62
    assert len(asked) == 2


def _kept(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


@settings(
    deadline=None,
    max_examples=settings().max_examples // 3,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(shared=TEXTS, personal=TEXTS, said=TEXTS)
def test_no_text_closes_the_fence_or_poses_as_a_file(
    world: World, shared: str, personal: str, said: str
) -> None:
    only(world, {"SOUL.md": shared})
    only(world, {"MEMORY.md": personal}, world.customer)
    context = build(Reader(world.agent, world.customer), said or "?")
    assert parse(context.system) == [("SOUL.md", _kept(shared))]
    assert parse(fenced(context))[0] == ("MEMORY.md", _kept(personal))
    assert [name for name, _text in parse(fenced(context))[1:]] in ([], [FOUND])
    assert [turn.role for turn in context.messages] == ["user", "user"]
    assert context.messages[-1].content == (said or "?")


@settings(
    deadline=None,
    max_examples=settings().max_examples // 3,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    window=st.integers(1000, 20_000),
    size=st.integers(0, 3000),
    texts=st.lists(st.sampled_from(["word ", "界面", "éàü", "\n- a\n"]), min_size=4, max_size=4),
)
def test_the_budget_is_never_exceeded(
    world: World, window: int, size: int, texts: list[str]
) -> None:
    save(world, "KNOWLEDGE.md", texts[0] * size)
    save(world, "MEMORY.md", texts[1] * size, world.customer)
    File.objects.update(enabled=True)
    context = build(Reader(world.agent, world.customer), texts[2] * (size // 20), window=window)
    used = tokens.estimate_messages(
        [*([context.system] if context.system else []), *(t.content for t in context.messages)]
    )
    assert used == context.gauge.used
    alone = context.gauge.message + context.gauge.conversation
    assert used <= max(window * 3 // 4, alone)


def test_what_is_put_in_is_what_is_listed(world: World) -> None:
    save(world, "MEMORY.md", "- Likes trains.\n", world.customer)
    context = build(Reader(world.agent, world.customer), "Hello")
    listed = [(one.file.path, one.file.raw_content) for one in context.shared]
    assert context.system.replace(HEADING, "") == render(listed)
