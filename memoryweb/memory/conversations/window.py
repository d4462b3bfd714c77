"""Which messages one extraction looks at (SPEC §4)."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime

from memoryweb.memory.models import Conversation, Message

SPEAKING = (Message.Role.USER, Message.Role.ASSISTANT)


@dataclass(frozen=True)
class Window:
    """Positions `first` to `last`, all roles; `turns` are what people and assistants said there."""

    first: int
    last: int
    turns: tuple[Message, ...]


def next_window(conversation: Conversation, *, size: int, last: int | None = None) -> Window | None:
    """The first `size` turns after the watermark; None when it has been reached.

    `last` asks for the window that was taken before and ended there, whatever has come since.
    """
    if conversation.extracted_upto >= conversation.message_count:
        return None
    waiting = conversation.messages.filter(
        position__gt=conversation.extracted_upto, role__in=SPEAKING, reverted_at=None
    ).order_by("position")
    turns = list(waiting[: size + 1])
    end = conversation.message_count if len(turns) <= size else turns[size].position - 1
    end = end if last is None else last
    first = conversation.extracted_upto + 1
    return Window(first, end, tuple(turn for turn in turns[:size] if turn.position <= end))


def newest(turns: Sequence[Message], now: datetime) -> datetime:
    """The moment of the newest message; the future counts as now."""
    return min(max((turn.timestamp for turn in turns), default=now), now)


def note_date(turns: Sequence[Message], now: datetime) -> date:
    return newest(turns, now).astimezone(UTC).date()
