"""What is said to the chat itself: `/new` and `/memory`."""

import re
import uuid
from dataclasses import dataclass

from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from memoryweb.agents.readers import Reader, reading
from memoryweb.chat.turn import Asked
from memoryweb.memory.fact_search import known

_COMMAND = re.compile(r"/(?P<name>new|memory)(?:\s+(?P<rest>\w+))?\s*\Z")
_MOST = 50


@dataclass(frozen=True)
class Told:
    """The answer, and the conversation that goes on."""

    answer: str
    conversation_id: str
    begins_anew: bool = False


def said_to(asked: Asked) -> Told | None:
    """None where the message is meant for the agent."""
    match = _COMMAND.match(asked.message.strip())
    if match is None:
        return None
    if match["name"] == "new":
        begun = f"chat-{uuid.uuid4().hex[:16]}"
        return Told(_("A new conversation begins. What was said stays in memory."), begun, True)
    if match["rest"] not in {None, "view"}:
        return Told(_("“/memory” takes nothing else here."), asked.conversation_id)
    return Told(_remembered(asked), asked.conversation_id)


def _remembered(asked: Asked) -> str:
    """What prompts may hold of this person, the newest first, and of what is shared."""
    is_paused = asked.owner is not None and asked.owner.paused
    reader = Reader(asked.agent, None if is_paused else asked.owner)
    with reading(reader):
        found = known(reader, timezone.now()).order_by("-changed_at", "pk")
        own = found.exclude(owner=None) if reader.owner else found
        texts, count = list(own.values_list("text", flat=True)[:_MOST]), own.count()
    if not texts:
        return _("Nothing is remembered yet.")
    said = ngettext("One statement is remembered:", "{count} statements are remembered:", count)
    shown = "\n".join(f"- {text}" for text in texts)
    return f"{said.format(count=count)}\n{shown}"
