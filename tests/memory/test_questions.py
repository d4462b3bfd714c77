"""Whether an older statement still holds: asked of its person, told in prompts, and answered."""

from datetime import timedelta

import pytest
from django.utils import timezone
from django_scopes import scope

from memoryweb.agents.models import Owner, Reader
from memoryweb.audit.models import Event
from memoryweb.memory import facts, questions
from memoryweb.memory.conversations.messages import NewMessage, add_messages
from memoryweb.memory.models import AuthorKind, Contradiction, Fact, ReviewItem
from memoryweb.memory.models.writer import Memory, Writer, write_transaction
from memoryweb.memory.prompt.context import build
from memoryweb.memory.visible.readable import To
from memoryweb.memory.visible.said_on import as_it_stands
from tests.facts.asking import NEWER, OLDER, ask
from tests.world import World

pytestmark = pytest.mark.django_db
DENTIST = "Is “Dr Nowak in Altona is my dentist” (28 Sep) still true?"


def prompt(world: World, owner: Owner) -> str:
    with scope(team=world.team):
        context = build(Reader(world.agent, owner), "")
    return "".join(turn.content for turn in context.messages)


def say(world: World, *turns: tuple[str, str]) -> None:
    said = [NewMessage(role, text, timestamp=timezone.now()) for role, text in turns]
    with write_transaction(world.team) as tx:
        add_messages(
            tx,
            agent=world.agent,
            owner=world.customer,
            conversation_id="talk",
            messages=said,
        )


def fact(text: str) -> Fact:
    return Fact.objects.get(raw_text=text)


def test_the_older_one_tells_of_the_newer_while_nobody_answered(world: World) -> None:
    found = ask(world, world.customer)
    year = timezone.now().year
    told = f"- {OLDER} ({year}-09-28) (see also {year}-10-02)"
    assert told in prompt(world, world.customer)
    assert f"- {NEWER} ({year}-10-02)\n" in prompt(world, world.customer) + "\n"
    file = fact(OLDER).file
    assert file is not None
    assert as_it_stands(file, told) == f"- {OLDER}"
    with write_transaction(world.team) as tx:
        writer = Writer(AuthorKind.PERSON, user=world.alice)
        facts.resolve(tx, found, "IGNORE", writer=writer)
    assert "see also" not in prompt(world, world.customer)


def test_what_is_still_true_is_confirmed_and_asked_no_more(world: World) -> None:
    found = ask(world, world.customer)
    with write_transaction(world.team) as tx:
        facts.resolve(tx, found, "IGNORE", writer=Writer(AuthorKind.PERSON, user=world.bob))
    assert (fact(OLDER).confirmed_by, fact(NEWER).confirmed_by) == (world.bob, None)
    with write_transaction(world.team) as tx:
        pair = [(fact(OLDER), fact(NEWER))]
        assert questions.ask(tx, Memory(world.agent, world.customer), pair) == 0


@pytest.mark.parametrize("alone", [True, False])
def test_what_is_no_longer_leaves_and_can_come_back(world: World, alone: bool) -> None:
    found, writer = ask(world, world.customer, alone=alone), Writer(AuthorKind.PERSON)
    with write_transaction(world.team) as tx:
        facts.resolve(tx, found, "KEEP_B", writer=writer)
    gone = fact(OLDER)
    assert (gone.file, gone.state in Fact.OVER) == (None, True)
    assert gone.corrected_at is not None  # nothing said before brings it back
    assert fact(NEWER).file is not None
    found.refresh_from_db()
    with write_transaction(world.team) as tx:
        facts.undo(tx, found, writer=writer)
    back = fact(OLDER)
    assert (back.state, back.corrected_at, back.file is None) == (Fact.State.ACTIVE, None, False)


@pytest.mark.databases
def test_after_seven_days_without_an_answer_both_hold(world: World) -> None:
    found, now = ask(world, world.customer), timezone.now()
    questions.expire(now + timedelta(days=6))
    found.refresh_from_db()
    assert found.state == Contradiction.State.OPEN
    questions.expire(now + timedelta(days=8))
    found.refresh_from_db()
    assert (found.state, found.resolution) == (Contradiction.State.IGNORED, "")
    assert ReviewItem.objects.get(contradiction=found).state == ReviewItem.State.EXPIRED
    assert "see also" not in prompt(world, world.customer)
    assert fact(OLDER).confirmed_at is None
    assert Event.objects.filter(action="contradiction.lapsed").count() == 1
    with write_transaction(world.team) as tx:
        pair = [(fact(OLDER), fact(NEWER))]
        assert questions.ask(tx, Memory(world.agent, world.customer), pair) == 0


def test_a_question_is_told_once_a_day_to_whom_has_no_account(world: World) -> None:
    found = ask(world, world.customer)
    with scope(team=world.team):
        told = questions.to_tell(Reader(world.agent, world.customer))
        assert told == (found, f"You said “{NEWER[:-1]}” (2 Oct). {DENTIST}")
        assert questions.to_tell(Reader(world.agent, world.bobs_memory)) is None
        with write_transaction(world.team) as tx:
            questions.told(tx, found)
        assert questions.to_tell(Reader(world.agent, world.customer)) is None


def test_a_member_is_asked_on_a_page_alone(world: World) -> None:
    found = ask(world, world.bobs_memory)
    with scope(team=world.team):
        assert questions.to_tell(Reader(world.agent, world.bobs_memory)) is None
        assert questions.sentence(found, found.facts.all(), To.PAGE).endswith(DENTIST)


@pytest.mark.parametrize(
    ("turns", "holds"),
    [
        ([("assistant", "Is Dr Nowak still your dentist?"), ("user", "Yes.")], True),
        ([("assistant", "Is Dr Nowak still your dentist?"), ("user", "No")], False),
        ([("user", "No, Dr Nowak is still my dentist.")], True),
        ([("user", "Dr Nowak is not my dentist any more.")], False),
        ([("assistant", "Is Dr Nowak still your dentist?"), ("user", "What time is it?")], None),
        ([("assistant", "Shall I book the train?"), ("user", "Yes.")], None),
        ([("assistant", "Is Dr Nowak still your dentist?"), ("user", "> still my dentist")], None),
    ],
)
@pytest.mark.first_two
def test_the_next_message_answers_it(
    world: World, turns: list[tuple[str, str]], holds: bool | None
) -> None:
    found = ask(world, world.customer)
    with write_transaction(world.team) as tx:
        questions.told(tx, found)
    say(world, *turns)
    found.refresh_from_db()
    older = fact(OLDER)
    assert (found.state == Contradiction.State.OPEN) == (holds is None)
    assert (older.confirmed_at is not None) == (holds is True)
    assert (older.hidden_at is not None) == (holds is False)


def test_nobody_elses_words_answer_it(world: World) -> None:
    found = ask(world, world.customer)
    say(world, ("user", "Dr Nowak is still my dentist."))  # it wasn't told
    found.refresh_from_db()
    assert found.state == Contradiction.State.OPEN


def test_of_a_sentence_only_the_clause_that_was_asked_about_ends(world: World) -> None:
    text = "I work at Siemens in Erlangen, and my friend Kathi sits in the next office."
    later = "Kathi has left for Berlin."
    found = ask(world, world.customer, older_text=text, newer_text=later)
    kathi = "my friend Kathi sits in the next office"
    assert f"Is “{kathi}” (28 Sep) still true?" in questions.told_of(found, To.PAGE)
    with write_transaction(world.team) as tx:
        facts.resolve(tx, found, "KEEP_B", writer=Writer(AuthorKind.PERSON))
    older = fact(text)
    assert [one.words for one in older.ended] == [kathi]
    year = timezone.now().year
    assert f"- {text} (until {year}-10-02: {kathi}) (" in prompt(world, world.customer)
    found.refresh_from_db()
    with write_transaction(world.team) as tx:
        facts.undo(tx, found, writer=Writer(AuthorKind.PERSON))
    assert fact(text).ended == ()
    found.refresh_from_db()
    assert found.state == Contradiction.State.OPEN
