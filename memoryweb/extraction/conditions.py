"""When a conversation is not extracted (SPEC §4). Pure."""

from dataclasses import dataclass
from enum import StrEnum

from django.conf import settings

from memoryweb.conversations.models import Conversation


class Skip(StrEnum):
    ARCHIVED = "agent_archived"
    OFF = "auto_summarize_off"
    PAUSED = "paused"
    EPHEMERAL = "ephemeral"
    SOURCE = "source"
    TOO_FEW = "too_few_messages"
    TOO_SHORT = "last_message_too_short"
    NOTHING_NEW = "nothing_new"
    REVERTED = "reverted"  # `memory.reverting` stores it


@dataclass(frozen=True)
class Circumstances:
    auto_summarize: bool
    paused: bool
    ephemeral: bool
    source: str
    messages: int
    last_user_message: str
    waiting: int
    archived: bool = False


def skip_reason(seen: Circumstances) -> Skip | None:
    """The first reason not to extract, in the order of SPEC §4; None to go on."""
    own = {Conversation.Source.CRON, Conversation.Source.DREAM}
    rules = (
        (Skip.ARCHIVED, seen.archived),
        (Skip.OFF, not seen.auto_summarize),
        (Skip.PAUSED, seen.paused),
        (Skip.EPHEMERAL, seen.ephemeral),
        (Skip.SOURCE, seen.source in own),
        (Skip.NOTHING_NEW, seen.waiting <= 0),
        (Skip.TOO_FEW, seen.messages < settings.EXTRACTION_MIN_MESSAGES),
        (
            Skip.TOO_SHORT,
            len(seen.last_user_message.strip()) < settings.EXTRACTION_MIN_CHARACTERS,
        ),
    )
    return next((reason for reason, applies in rules if applies), None)
