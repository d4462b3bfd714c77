"""A memory that says one thing in many places, and forgetting it."""

from datetime import UTC, datetime

from django_scopes import scope

from memoryweb.agents.models import Owner
from memoryweb.agents.owners import system_owner
from memoryweb.language.statement_comparison import fingerprint
from memoryweb.memory.conversations.messages import NewMessage, add_messages
from memoryweb.memory.forgetting.hiding import Wish, hide, open_request
from memoryweb.memory.lines.origins import Origin, Source
from memoryweb.memory.models import AuthorKind, Fact, File, ForgetRequest, Message, Target
from memoryweb.memory.models.forgetting import Mention
from memoryweb.memory.models.writer import Memory, Place, Writer, write_transaction
from memoryweb.memory.writing.write import NewLine, append, write
from tests.world import World

MORNING = datetime(2026, 3, 1, 8, tzinfo=UTC)
WEIGHT = "I weigh 62 kilos."
ECHO = "Noted: you weigh 62 kilos. Anything else?"
NOTE = f"- 08:00 {WEIGHT}"


def lived(world: World, owner: Owner | None, said: str = WEIGHT, echo: str = ECHO) -> Fact:
    """The owner said it, the assistant repeated it, a note and MEMORY.md hold it. Without an owner
    it was sent as shared."""
    talk = [NewMessage("user", f"{said} And I like tea.", timestamp=MORNING)]
    talk.append(NewMessage("assistant", echo, timestamp=MORNING))
    with write_transaction(world.team) as tx:
        speaker = owner or system_owner(world.team)
        added = add_messages(
            tx, agent=world.agent, owner=speaker, conversation_id="talk", messages=talk
        )
        message = added.conversation.messages.earliest("position").pk
        origin = Origin((Source(message_id=message),))
        append(
            tx,
            Place(world.agent, owner, "memory/2026-03-01.md"),
            [NewLine(f"- 08:00 {said}", origin), NewLine("- 08:00 I like tea.", origin)],
            writer=Writer(AuthorKind.EXTRACTION, is_vouched=owner is None),
        )
        write(
            tx,
            Place(world.agent, owner, "MEMORY.md"),
            f"# Memory\n\n- {said}\n- I like tea.\n",
            writer=Writer(AuthorKind.DREAM, is_vouched=owner is None),
            origins={3: origin, 4: origin},
        )
        return Fact.objects.get(raw_text=said, owner=owner, file__isnull=False)


def places_of(fact: Fact) -> list[Mention]:
    """The fact, its note line, and what was said of it and back."""
    with scope(team=fact.team):
        note = File.objects.get(owner=fact.owner, path="memory/2026-03-01.md")
        said = Message.objects.filter(conversation__owner=fact.owner).order_by("position")
        mine, echo = said[0], said[1]
    return [
        Mention(
            Target.Kind.FACT, fact.raw_text, fact=fact, file=fact.file, fingerprint=fact.fingerprint
        ),
        Mention(
            Target.Kind.LINE,
            fact.raw_text,
            file=note,
            fingerprint=fingerprint(f"- 08:00 {fact.raw_text}"),
        ),
        Mention(Target.Kind.MESSAGE, fact.raw_text, message=mine, first=0, last=len(fact.raw_text)),
        Mention(Target.Kind.MESSAGE, echo.raw_content, message=echo),
    ]


def hidden(world: World, fact: Fact) -> ForgetRequest:
    with write_transaction(world.team) as tx:
        request = open_request(
            tx, Wish(Memory(fact.agent, fact.owner), ForgetRequest.Via.API, "my weight")
        )
        hide(tx, request, places_of(fact))
    return request
