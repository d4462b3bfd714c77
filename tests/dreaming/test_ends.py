"""A part of a statement that holds no longer: in the file, its fact, the report and the diary."""

import re
from datetime import date, timedelta

import pytest
from django.db.models import Q
from django.utils.formats import date_format

from memoryweb.dreaming.models import Operation
from memoryweb.memory import facts
from memoryweb.memory.lines.sources import Kind, Source
from memoryweb.memory.models import AuthorKind, Conversation, Fact
from memoryweb.memory.models.writer import Writer, write_transaction
from memoryweb.memory.reverting import revert
from memoryweb.memory.statements.projection import is_in_line
from memoryweb.runs.models import Run
from tests.dreaming.nights import NIGHT, dream, memory, text_of
from tests.stories.telling import says
from tests.web.pages import url
from tests.world import World, signed_in

LEEDS = "I live in Leeds, and I am allergic to peanuts."
PORTO = "We moved to Porto."
MARK = f"<!-- until {NIGHT - timedelta(days=1)}: I live in Leeds -->"
NEXT = NIGHT + timedelta(days=1)


@pytest.fixture
def moved(world: World) -> Run:
    bob = world.bobs_memory
    says(world, "first", LEEDS, day=NIGHT - timedelta(days=2), owner=bob)
    dream(world, bob, NIGHT - timedelta(days=1))
    says(world, "later", PORTO, day=NIGHT - timedelta(days=1), owner=bob)
    return dream(world, bob)


def _lines(world: World) -> list[str]:
    text = text_of(world, world.bobs_memory)
    return [line[2:] for line in text.split("\n") if line.startswith("- ")]


def _fact(text: str) -> Fact:
    return Fact.objects.get(raw_text=text)


def test_the_line_stays_with_its_mark_and_its_fact_knows(world: World, moved: Run) -> None:
    assert sorted(_lines(world)) == [f"{LEEDS} {MARK}", PORTO]
    fact = _fact(LEEDS)
    assert [one.words for one in fact.ended] == ["I live in Leeds"]
    assert (fact.state, fact.attribute, fact.hidden_at) == (Fact.State.ACTIVE, "", None)
    assert fact.file is not None
    assert is_in_line(fact.file)
    assert Fact.objects.filter(superseded_by__isnull=False).count() == 0


def test_report_and_diary_tell_it(world: World, moved: Run) -> None:
    done = Operation.objects.get(report__run=moved, does="end")
    assert (done.outcome, done.before, done.after) == ("end", [LEEDS], f"{LEEDS} {MARK}")
    since = NIGHT - timedelta(days=1)
    assert done.reason.startswith(f"No longer so since {date_format(since, 'j F')}")
    assert done.reason.endswith(": “I live in Leeds”.")
    assert done.reason in text_of(world, world.bobs_memory, "DREAMS.md")


def test_the_page_of_the_dream_strikes_the_words_that_ended(world: World, moved: Run) -> None:
    page = signed_in(world.bob).get(url(world.team, "agents_run", moved.pk)).content.decode()
    assert "Ended on " in page
    assert re.search("<del[^>]*>I live in Leeds<", page)


def test_another_night_changes_nothing(world: World, moved: Run) -> None:
    before = text_of(world, world.bobs_memory)
    run = dream(world, world.bobs_memory, NEXT)
    assert text_of(world, world.bobs_memory) == before
    assert not Operation.objects.filter(report__run=run, code="").exists()


def test_who_confirms_it_says_that_it_holds(world: World, moved: Run) -> None:
    with write_transaction(world.team) as tx:
        facts.confirm(tx, _fact(LEEDS), writer=Writer(AuthorKind.PERSON, world.bob))
    dream(world, world.bobs_memory, NEXT)
    assert LEEDS in _lines(world)
    assert _fact(LEEDS).ended == ()


def test_what_a_dream_that_is_reverted_ended_holds_and_stays_so(world: World, moved: Run) -> None:
    with write_transaction(world.team) as tx:
        writer = Writer(AuthorKind.PERSON, world.bob)
        revert(tx, Source(world.agent, Kind.RUN, moved.pk), Q(), Q(), writer=writer)
    assert _lines(world) == [LEEDS]
    dream(world, world.bobs_memory, NEXT)
    assert LEEDS in _lines(world)


def test_what_ended_by_a_talk_that_is_reverted_holds_again(world: World, moved: Run) -> None:
    talk = Conversation.objects.get(external_id="later")
    with write_transaction(world.team) as tx:
        writer = Writer(AuthorKind.PERSON, world.bob)
        revert(tx, Source(world.agent, Kind.CONVERSATION, talk.pk), Q(), Q(), writer=writer)
    assert _lines(world) == [LEEDS]
    dream(world, world.bobs_memory, NEXT)
    assert _lines(world) == [LEEDS]


def test_a_pinned_line_has_no_mark_and_its_fact_knows(world: World) -> None:
    pinned = "# Memory\n\n<!-- pinned -->\n- I live in a houseshare in Leeds.\n<!-- /pinned -->\n"
    memory(world, world.bobs_memory, pinned, Writer(AuthorKind.PERSON, world.bob))
    bob, later = world.bobs_memory, date(2051, 3, 1)  # than it was written
    says(world, "later", "Handed back the keys of the houseshare.", day=later, owner=bob)
    dream(world, bob, later + timedelta(days=1))
    assert pinned.rstrip() in text_of(world, world.bobs_memory)
    fact = _fact("I live in a houseshare in Leeds.")
    assert [one.words for one in fact.ended] == ["I live in a houseshare in Leeds"]
