from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django_scopes import scope

from memoryweb.agents.models import Owner, Reader
from memoryweb.audit.models import Event
from memoryweb.memory import facts
from memoryweb.memory.conversations.messages import NewMessage, add_messages
from memoryweb.memory.lines.origins import Origin, Source
from memoryweb.memory.models import AuthorKind, Evidence, Fact, Message
from memoryweb.memory.models.writer import Place, Writer, write_transaction
from memoryweb.memory.prompt.context import build
from memoryweb.memory.writing.write import NewLine, append, write
from tests.world import World

pytestmark = pytest.mark.django_db
MORNING = datetime(2026, 3, 1, 8, tzinfo=UTC)


def say(world: World, owner: Owner, text: str, *, at: int = 0, name: str = "", **talks: Any) -> int:
    """At so many days after the first; the message's primary key."""
    said = NewMessage("user", text, name=name, timestamp=MORNING + timedelta(days=at))
    with write_transaction(world.team) as tx:
        talk = f"talk-{at}"
        added = add_messages(
            tx,
            agent=world.agent,
            owner=owner,
            conversation_id=talk,
            messages=[said],
            **talks,
        )
        return added.conversation.messages.latest("position").pk


@pytest.fixture
def hamburg(world: World) -> Fact:
    """The customer said where they live, and memory knows it from there."""
    message = say(world, world.customer, "We live in Hamburg.")
    with write_transaction(world.team) as tx:
        write(
            tx,
            Place(world.agent, world.customer, "MEMORY.md"),
            "# Memory\n\n- We live in Hamburg.\n- Her dog is called Rex.\n",
            writer=Writer(AuthorKind.DREAM),
            origins={3: Origin((Source(message_id=message),))},
        )
        append(
            tx,
            Place(world.agent, world.customer, "memory/2026-03-01.md"),
            [NewLine("- 08:00 We live in Hamburg.", Origin((Source(message_id=message),)))],
            writer=Writer(AuthorKind.EXTRACTION),
        )
    return Fact.objects.get(raw_text="We live in Hamburg.")


def prompt(world: World, message: str = "") -> str:
    with scope(team=world.team):
        context = build(Reader(world.agent, world.customer), message)
    return context.system + "".join(turn.content for turn in context.messages)


def test_the_next_prompt_no_longer_says_what_the_owner_spoke_against(
    world: World, hamburg: Fact
) -> None:
    assert "Hamburg" in prompt(world)
    said = say(world, world.customer, "We moved to Berlin.", at=3)
    told = prompt(world, "Where do we live, in Hamburg?").replace("live, in Hamburg?", "")
    assert "Hamburg" not in told
    assert "Rex" in told
    hamburg.refresh_from_db()
    assert (hamburg.state, hamburg.hidden_by_id) == (Fact.State.ACTIVE, said)
    assert Event.objects.filter(action="fact.hidden").count() == 1


@pytest.mark.parametrize(
    "text",
    [
        "We moved to Berlin last week!",
        "Wir sind nach Berlin gezogen.",
        "We don't live in Hamburg any more.",
        "Actually we live in Berlin, not in Hamburg.",
    ],
)
def test_changes_ends_and_corrections_count_in_any_wording(
    world: World, hamburg: Fact, text: str
) -> None:
    say(world, world.customer, text, at=3)
    hamburg.refresh_from_db()
    assert hamburg.hidden_at is not None


@pytest.mark.parametrize(
    "text",
    [
        "Did I tell you? We moved to Berlin?",
        "We live in Hamburg.",
        "> We moved to Berlin.",
        "Please translate: “We moved to Berlin.”",
        "Draft of my letter, which is long. " * 12 + "We moved to Berlin.",
    ],
)
def test_questions_repeats_quotes_and_drafts_hide_nothing(
    world: World, hamburg: Fact, text: str
) -> None:
    say(world, world.customer, text, at=3)
    hamburg.refresh_from_db()
    assert hamburg.hidden_at is None


def test_what_was_said_before_hides_nothing_later(world: World, hamburg: Fact) -> None:
    assert hamburg.said_at == MORNING
    say(world, world.customer, "We moved to Berlin.", at=-30)
    hamburg.refresh_from_db()
    assert hamburg.hidden_at is None


def test_a_room_hides_nothing_of_one_persons_memory(world: World, hamburg: Fact) -> None:
    say(world, world.customer, "We moved to Berlin.", at=3, group=True)
    hamburg.refresh_from_db()
    assert hamburg.hidden_at is None


def test_nobody_elses_words_hide_it(world: World, hamburg: Fact) -> None:
    other = Owner.objects.exclude(pk=world.customer.pk).filter(team=world.team).first()
    assert other is not None
    say(world, other, "We moved to Berlin.", at=3)
    hamburg.refresh_from_db()
    assert hamburg.hidden_at is None


def test_in_one_talk_another_name_is_somebody_else(world: World, hamburg: Fact) -> None:
    say(world, world.customer, "Good morning.", at=3, name="Ines")
    say(world, world.customer, "We moved to Berlin.", at=3, name="Tom")
    hamburg.refresh_from_db()
    assert hamburg.hidden_at is None
    say(world, world.customer, "We moved to Berlin.", at=3, name="Ines")
    hamburg.refresh_from_db()
    assert hamburg.hidden_at is None, "nobody knows which of the two the owner is"
    say(world, world.customer, "We moved to Berlin.", at=3, name="CUSTOMER-1")
    hamburg.refresh_from_db()
    assert hamburg.hidden_at is not None


@pytest.mark.parametrize("keeps_nothing", ["paused", "ephemeral"])
def test_it_counts_also_where_nothing_is_kept(
    world: World, hamburg: Fact, keeps_nothing: str
) -> None:
    """The message is dropped, and what it says is so no longer is given to nobody."""
    Owner.objects.filter(pk=world.customer.pk).update(keeping=keeps_nothing != "paused")
    world.customer.refresh_from_db()
    is_ephemeral = keeps_nothing == "ephemeral"
    with write_transaction(world.team) as tx:
        said = [NewMessage("user", "We moved to Berlin.", timestamp=MORNING + timedelta(days=3))]
        add_messages(
            tx,
            agent=world.agent,
            owner=world.customer,
            conversation_id="unkept",
            messages=said,
            ephemeral=is_ephemeral,
        )
    hamburg.refresh_from_db()
    assert (hamburg.hidden_at is None, hamburg.hidden_by) == (False, None)
    assert not Message.objects.filter(raw_content__contains="Berlin").exists()
    assert Event.objects.filter(action="fact.hidden").count() == 1


def test_what_was_sent_before_the_pause_is_no_news_in_it(world: World, hamburg: Fact) -> None:
    say(world, world.customer, "We moved to Rome.", at=-9)
    Owner.objects.filter(pk=world.customer.pk).update(keeping=False, using=False)
    world.customer.refresh_from_db()
    with write_transaction(world.team) as tx:
        again = Message.objects.get(raw_content="We moved to Rome.")
        said = [
            NewMessage("user", again.raw_content, again.external_id),
            NewMessage("user", again.raw_content),
        ]
        add_messages(
            tx,
            agent=world.agent,
            owner=world.customer,
            conversation_id="talk--9",
            messages=said,
        )
    hamburg.refresh_from_db()
    assert hamburg.hidden_at is None


@pytest.mark.parametrize("source", ["cron", "dream"])
def test_what_a_schedule_says_is_nobodys_word(world: World, hamburg: Fact, source: str) -> None:
    say(world, world.customer, "We moved to Berlin.", at=3, source=source)
    hamburg.refresh_from_db()
    assert hamburg.hidden_at is None


def test_what_was_said_before_it_was_confirmed_hides_nothing(world: World, hamburg: Fact) -> None:
    by = Writer(AuthorKind.PERSON, user=world.alice)
    with write_transaction(world.team) as tx:
        facts.confirm(tx, hamburg, writer=by)
    say(world, world.customer, "We moved to Berlin.", at=3)
    hamburg.refresh_from_db()
    assert hamburg.hidden_at is None


def test_messages_and_notes_behind_what_is_over_are_not_given(world: World, hamburg: Fact) -> None:
    assert Evidence.objects.filter(fact=hamburg, message__isnull=False).exists()
    Fact.objects.filter(pk=hamburg.pk).update(state=Fact.State.RETIRED, file=None)
    told = prompt(world, "Which town, Hamburg or another?")
    assert "2026-03-01.md" not in told
    assert "user on 2026-03-01" not in told
