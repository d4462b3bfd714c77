"""What happens to one person's memory over some days, told step by step."""

from datetime import UTC, date, datetime, time
from typing import Any

from django.db.models import Q

from memoryweb.agents.models import Owner, Reader
from memoryweb.memory import reverting
from memoryweb.memory.conversations.messages import NewMessage, add_messages
from memoryweb.memory.lines.origins import Origin, Source
from memoryweb.memory.lines.sources import Kind
from memoryweb.memory.lines.sources import Source as Reverted
from memoryweb.memory.models import AuthorKind, Conversation, File
from memoryweb.memory.models.writer import Place, Writer, write_transaction
from memoryweb.memory.prompt import context
from memoryweb.memory.search.engine import search
from memoryweb.memory.writing import write
from memoryweb.memory.writing.write import NewLine
from tests.dreaming.nights import NIGHT
from tests.world import World


def person(world: World) -> Writer:
    return Writer(AuthorKind.PERSON, user=world.alice)


def says(
    world: World,
    name: str,
    *texts: str,
    day: date = NIGHT,
    said: datetime | None = None,
    is_timed: bool = True,
    owner: Owner | None = None,
    shared: bool = False,
    is_noted: bool = True,
    **more: Any,
) -> Conversation:
    """Messages of the customer, or of another owner, each written down as a lasting line of that
    day's note, theirs or what all share, unless `notes` does it later. `said`: when, if not on
    that day."""
    at = (said or datetime.combine(day, time(9), UTC)) if is_timed else None
    messages = [NewMessage(role="user", content=text, timestamp=at) for text in texts]
    owner = owner or world.customer
    with write_transaction(world.team) as tx:
        talk = add_messages(
            tx,
            agent=world.agent,
            owner=owner,
            conversation_id=name,
            messages=messages,
            **more,
        ).conversation
    if is_noted:
        notes(world, talk, len(texts), day=day, owner=None if shared else owner)
    return talk


def notes(world: World, talk: Conversation, count: int, *, day: date, owner: Owner | None) -> None:
    """The last messages of a conversation, written down."""
    fresh = talk.messages.filter(position__gt=talk.message_count - count)
    lines = [
        NewLine(f"- 09:00 {one.raw_content}", Origin((Source(message_id=one.pk),), durable=True))
        for one in fresh.order_by("position")
    ]
    writer = Writer(AuthorKind.EXTRACTION, conversation_id=talk.pk)
    with write_transaction(world.team) as tx:
        write.append(tx, Place(world.agent, owner, note_of(day)), lines, writer=writer)
    Conversation.objects.filter(pk=talk.pk).update(extracted_upto=talk.message_count, waiting=False)


def note_of(day: date) -> str:
    return f"memory/{day.isoformat()}.md"


def edits(world: World, path: str, old: str, new: str, *, owner: Owner | None = None) -> None:
    """A person puts `new` where `old` stands: the owner themselves, or Alice for the customer."""
    owner = owner or world.customer
    file = File.objects.get(agent=world.agent, owner=owner, path=path)
    writer = Writer(AuthorKind.PERSON, user=owner.person or world.alice)
    with write_transaction(world.team) as tx:
        text = file.raw_content.replace(old, new)
        write.write(tx, Place(world.agent, owner, path), text, writer=writer)


def reverts(world: World, talk: Conversation) -> reverting.Reversal:
    source = Reverted(world.agent, Kind.CONVERSATION, talk.pk)
    with write_transaction(world.team) as tx:
        return reverting.revert(tx, source, Q(), Q(), writer=person(world))


def prompt(
    world: World,
    message: str,
    talk: Conversation | None = None,
    *,
    owner: Owner | None = None,
) -> str:
    """All that the agent is given for a message but the message itself."""
    reader = Reader(world.agent, owner or world.customer)
    built = context.build(reader, message, conversation=talk)
    return "\n".join([built.system, *(turn.content for turn in built.messages[:-1])])


def found(world: World, query: str) -> list[str]:
    return [hit.text for hit in search(Reader(world.agent, world.customer), query).hits]
