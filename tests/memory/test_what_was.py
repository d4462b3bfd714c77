"""What is over answers only a question about the past, and says until when it held."""

from datetime import UTC, date, datetime

import pytest

from memoryweb.agents.models import Reader
from memoryweb.memory.conversations.messages import NewMessage, add_messages
from memoryweb.memory.lines.origins import Origin, Source
from memoryweb.memory.models import AuthorKind, Fact
from memoryweb.memory.models.writer import Place, Writer, write_transaction
from memoryweb.memory.prompt.context import Context, build
from memoryweb.memory.tools.files import Acting, search_workspace
from memoryweb.memory.writing.write import NewLine, append, write
from tests.world import World

SAID, NOTE = "We live in Hamburg, near the harbour.", "memory/2026-03-01.md"
EXTRACTION = Writer(AuthorKind.EXTRACTION, is_vouched=True)
UNTIL = date(2026, 9, 28)


@pytest.fixture(autouse=True)
def fact(world: World) -> Fact:
    with write_transaction(world.team) as tx:
        added = add_messages(
            tx,
            agent=world.agent,
            owner=world.customer,
            conversation_id="march",
            messages=[NewMessage("user", SAID)],
        )
        origin = Origin((Source(message_id=added.conversation.messages.get().pk),))
        place = Place(world.agent, world.customer, "MEMORY.md")
        write(tx, place, f"- {SAID}\n", writer=Writer(AuthorKind.DREAM), origins={1: origin})
        note = Place(world.agent, world.customer, NOTE)
        append(tx, note, [NewLine(f"- 08:00 {SAID}", origin)], writer=EXTRACTION)
        write(tx, place, "- We live in Berlin.\n", writer=Writer(AuthorKind.DREAM))
    return Fact.objects.get(raw_text=SAID)


def over(fact: Fact, why: str) -> None:
    moment = datetime(2026, 9, 28, 9, tzinfo=UTC)
    Fact.objects.filter(pk=fact.pk).update(
        state="superseded", why=why, changed_at=moment, superseded_by=None, corrected_at=None
    )


def given(world: World, message: str) -> Context:
    return build(Reader(world.agent, world.customer), message)


def test_a_question_about_now_is_not_answered_by_it(world: World, fact: Fact) -> None:
    over(fact, "superseded")
    context = given(world, "Do we live near the harbour in Hamburg?")
    assert not any(SAID in one.said for one in context.hits)


@pytest.mark.parametrize(
    ("message", "is_told"),
    [
        ("Where do we live, near the harbour?", False),
        ("Did we use to live near the harbour?", True),
    ],
)
def test_the_diary_answers_only_a_question_about_the_past(
    world: World, fact: Fact, message: str, is_told: bool
) -> None:
    told = "“We live in Hamburg, near the harbour” → “We live in Berlin”."
    with write_transaction(world.team) as tx:
        for path in ("DREAMS.md", "memory/dreams/2026-09.md"):
            place = Place(world.agent, world.customer, path)
            write(tx, place, f"# Dreams\n\n- {told}\n", writer=Writer(AuthorKind.DREAM))
    over(fact, "superseded")
    assert any(told in one.said for one in given(world, message).hits) is is_told


@pytest.mark.parametrize("why", ["superseded", "expired", "cancelled"])
def test_a_question_about_the_past_is_with_its_last_day(world: World, fact: Fact, why: str) -> None:
    over(fact, why)
    context = given(world, "Did we use to live near the harbour in Hamburg?")
    (line,) = {one.line.partition(": ")[2] for one in context.hits if SAID in one.said}
    assert line.endswith(f"{SAID} (until 2026-09-28)\n")


@pytest.mark.parametrize("why", ["not_true", "asked", "deleted", "reverted"])
def test_what_was_never_true_answers_nothing(world: World, fact: Fact, why: str) -> None:
    over(fact, why)
    context = given(world, "Did we use to live near the harbour in Hamburg?")
    assert not any(SAID in one.said for one in context.hits)


def test_a_search_marks_it(world: World, fact: Fact) -> None:
    acting = Acting(Reader(world.agent, world.customer), datetime(2026, 11, 20, tzinfo=UTC))
    over(fact, "superseded")
    ((hit, file),) = search_workspace(acting, "harbour")
    assert (file.path, hit.until) == (NOTE, UNTIL)


BOTH = "I live in Altona and keep bees, by the way, on the roof."
ALTONA, BEES = "My flat is in Altona, third floor.", "The bees stay on the roof in winter."
LINE = "- I live in Altona and keep bees on the roof."
MARK = "<!-- until 2026-09-28: live in Altona -->"


@pytest.fixture
def half(world: World) -> None:
    """A line that stands on three messages, of which some has ended."""
    said = [NewMessage("user", text) for text in (BOTH, "Hm, wait.", ALTONA, "And this:", BEES)]
    with write_transaction(world.team) as tx:
        talk = add_messages(
            tx,
            agent=world.agent,
            owner=world.customer,
            conversation_id="altona",
            messages=said,
        ).conversation
        told = talk.messages.exclude(raw_content__in=("Hm, wait.", "And this:"))
        sources = tuple(Source(message_id=pk) for pk in told.values_list("pk", flat=True))
        place, dream = Place(world.agent, world.customer, "MEMORY.md"), Writer(AuthorKind.DREAM)
        write(tx, place, f"{LINE}\n", writer=dream, origins={1: Origin(sources)})
        write(tx, place, f"{LINE} {MARK}\n", writer=dream)


def lines_of(context: Context, said: str) -> set[str]:
    return {one.line.partition(": ")[2] for one in context.hits if one.said == said}


@pytest.mark.usefixtures("half")
def test_what_supports_only_ended_words_answers_the_past_alone(world: World) -> None:
    assert not lines_of(given(world, "On which floor of Altona is my flat?"), ALTONA)
    context = given(
        world, "On which floor of Altona was my flat before, when I used to live there?"
    )
    assert lines_of(context, ALTONA) == {f"{ALTONA} (until 2026-09-28)\n"}


@pytest.mark.usefixtures("half")
def test_what_also_says_something_of_now_tells_what_has_ended(world: World) -> None:
    context = given(world, "Do I keep the bees on the roof in Altona?")
    assert lines_of(context, BOTH) == {f"{BOTH} (until 2026-09-28: live in Altona)\n"}
    assert lines_of(context, BEES) == {f"{BEES}\n"}
    assert " (until 2026-09-28: live in Altona)" in [one.text for one in context.added]


@pytest.mark.usefixtures("half")
def test_a_search_marks_what_has_ended(world: World) -> None:
    acting = Acting(Reader(world.agent, world.customer), datetime(2026, 11, 20, tzinfo=UTC))
    [(hit, file), *_rest] = search_workspace(acting, "Altona")
    assert file.path == "MEMORY.md"
    assert "<!--" not in hit.snippet
    assert "(until 2026-09-28: live in Altona)" in hit.snippet
    assert [one.words for one in hit.ended] == ["live in Altona"]
    assert not search_workspace(acting, "until")
