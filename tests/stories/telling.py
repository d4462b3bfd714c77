"""What happens to one person's memory over some days, told step by step."""

from datetime import UTC, date, datetime, time

from django.db.models import Q

from memoryweb.agents.readers import Reader
from memoryweb.conversations.models import Conversation
from memoryweb.memory import context, reverting, write
from memoryweb.memory.messages import NewMessage, add_messages
from memoryweb.memory.search import search
from memoryweb.memory.transaction import write_transaction
from memoryweb.memory.write import NewLine, Place, Writer
from memoryweb.provenance.origins import Origin, Source
from memoryweb.provenance.sources import Kind
from memoryweb.provenance.sources import Source as Reverted
from memoryweb.workspace.models import AuthorKind, File
from tests.dreaming.nights import NIGHT
from tests.world import World


def person(world: World) -> Writer:
    return Writer(AuthorKind.PERSON, user=world.alice)


def says(world: World, name: str, *texts: str, day: date = NIGHT) -> Conversation:
    """Messages of the customer, each written down as a lasting line of that day's note."""
    at = datetime.combine(day, time(9), UTC)
    messages = [NewMessage(role="user", content=text, timestamp=at) for text in texts]
    with write_transaction(world.team) as work:
        talk = add_messages(
            work,
            agent=world.agent,
            owner=world.customer,
            conversation_id=name,
            messages=messages,
        ).conversation
        lines = [
            NewLine(f"- 09:00 {one.content}", Origin((Source(message_id=one.pk),), durable=True))
            for one in talk.messages.order_by("position")
        ]
        writer = Writer(AuthorKind.EXTRACTION, conversation_id=talk.pk)
        write.append(work, _place(world, note_of(day)), lines, writer=writer)
    Conversation.objects.filter(pk=talk.pk).update(extracted_upto=len(texts), waiting=False)
    return talk


def note_of(day: date) -> str:
    return f"memory/{day.isoformat()}.md"


def edits(world: World, path: str, old: str, new: str) -> None:
    """A person puts `new` where `old` stands."""
    file = File.objects.get(agent=world.agent, owner=world.customer, path=path)
    with write_transaction(world.team) as work:
        text = file.content.replace(old, new)
        write.write(work, _place(world, path), text, writer=person(world))


def reverts(world: World, talk: Conversation) -> reverting.Reverted:
    source = Reverted(world.agent, Kind.CONVERSATION, talk.pk)
    with write_transaction(world.team) as work:
        return reverting.revert(work, source, Q(), Q(), writer=person(world))


def prompt(world: World, message: str, talk: Conversation | None = None) -> str:
    """All that the agent is given for a message but the message itself."""
    built = context.build(Reader(world.agent, world.customer), message, conversation=talk)
    return "\n".join([built.system, *(turn.content for turn in built.messages[:-1])])


def found(world: World, query: str) -> list[str]:
    return [hit.text for hit in search(Reader(world.agent, world.customer), query).hits]


def _place(world: World, path: str) -> Place:
    return Place(world.agent, world.customer, path)
