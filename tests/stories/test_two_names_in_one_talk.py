"""Several people speak as users in one conversation that was not sent as a group's: only what
carries the owner's own name is the owner's word."""

from datetime import UTC, datetime, time, timedelta

import pytest

from memoryweb.agents.models import Owner
from memoryweb.memory.conversations.messages import NewMessage, add_messages
from memoryweb.memory.lines.origins import Origin, Source
from memoryweb.memory.models import AuthorKind, Contradiction, Conversation, Fact
from memoryweb.memory.models.writer import Place, Writer, write_transaction
from memoryweb.memory.writing.write import NewLine, append
from tests.dreaming.nights import NIGHT, dream, text_of
from tests.stories.telling import edits, note_of, prompt, says
from tests.world import World

pytestmark = pytest.mark.django_db
NEXT = NIGHT + timedelta(days=1)
OLD, NEW = "We live in Hamburg.", "We moved to Berlin."


def talks(world: World, owner: Owner, *said: tuple[str, str]) -> Conversation:
    """Names and texts, in one conversation of the next day, each noted with who said it."""
    at = datetime.combine(NEXT, time(9), UTC)
    with write_transaction(world.team) as tx:
        talk = add_messages(
            tx,
            agent=world.agent,
            owner=owner,
            conversation_id="two",
            messages=[
                NewMessage("user", text, name=name, timestamp=at + timedelta(minutes=n))
                for n, (name, text) in enumerate(said)
            ],
        ).conversation
        lines = [
            NewLine(
                f"- 09:00 {'' if one.name == 'Bob' else one.name + ': '}{one.raw_content}",
                Origin((Source(message_id=one.pk),), durable=True),
            )
            for one in talk.messages.order_by("position")
        ]
        writer = Writer(AuthorKind.EXTRACTION, conversation_id=talk.pk)
        append(tx, Place(world.agent, owner, note_of(NEXT)), lines, writer=writer)
    Conversation.objects.filter(pk=talk.pk).update(extracted_upto=talk.message_count, waiting=False)
    return talk


def lives_in_hamburg(world: World) -> Fact:
    says(world, "first", OLD, day=NIGHT - timedelta(days=2), owner=world.bobs_memory)
    dream(world, world.bobs_memory, NIGHT)
    return Fact.objects.get(raw_text=OLD)


def test_what_the_other_one_says_moves_nothing_of_the_owner(world: World) -> None:
    hamburg = lives_in_hamburg(world)
    talks(world, world.bobs_memory, ("Bob", "The sea was cold today."), ("Melanie", NEW))
    assert OLD in prompt(world, "Where does Bob live?", owner=world.bobs_memory)
    dream(world, world.bobs_memory, NEXT)
    hamburg.refresh_from_db()
    assert (hamburg.state, hamburg.hidden_at) == ("active", None)
    assert OLD in text_of(world, world.bobs_memory)


def test_what_the_owner_says_beside_somebody_else_is_theirs(world: World) -> None:
    lives_in_hamburg(world)
    talks(world, world.bobs_memory, ("Melanie", "My cat is called Rex."), ("bob", NEW))
    assert OLD not in prompt(world, "Where does Bob live?", owner=world.bobs_memory)
    dream(world, world.bobs_memory, NEXT)
    text = text_of(world, world.bobs_memory)
    assert OLD not in text
    assert "Melanie: My cat is called Rex." in text


def test_where_nobody_knows_who_the_owner_is_a_person_decides(world: World) -> None:
    """Neither is the owner's word; what contradicts it waits, and both are noted with names."""
    says(world, "first", OLD, day=NIGHT - timedelta(days=2))
    dream(world, world.customer, NIGHT)
    talks(world, world.customer, ("Caroline", "We live in Berlin."), ("Melanie", "I like tea."))
    dream(world, world.customer, NEXT)
    text = text_of(world, world.customer)
    assert OLD in text
    assert "Melanie: I like tea." in text
    assert not Contradiction.objects.exclude(state="open").exists()
    assert not Fact.objects.filter(raw_text=OLD, state="superseded").exists()


def test_somebody_else_brings_back_no_correction_of_the_owner(world: World) -> None:
    lives_in_hamburg(world)
    edits(world, "PROFILE.md", f"- {OLD}\n", "", owner=world.bobs_memory)
    talks(world, world.bobs_memory, ("Melanie", "Nice day."), ("Tom", OLD))
    dream(world, world.bobs_memory, NEXT)
    assert not Fact.objects.filter(raw_value__icontains="Hamburg", state="active").exists()


def test_one_name_is_the_owner_s_whatever_it_is(world: World) -> None:
    lives_in_hamburg(world)
    talks(world, world.bobs_memory, ("Robert", NEW))
    assert OLD not in prompt(world, "Where does Bob live?", owner=world.bobs_memory)
