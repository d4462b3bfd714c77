"""Which messages one extraction looks at (SPEC §4)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime

from memoryweb.memory.models import Conversation, Message
from memoryweb.memory.visible.hidden import is_meant
from memoryweb.memory.visible.readable import To, readable_messages

SPEAKING = (Message.Role.USER, Message.Role.ASSISTANT)


@dataclass(frozen=True)
class Window:
    """Positions `first` to `last`, all roles; `turns` are what people and assistants said there,
    `before` what was said just before, and `texts` (by their keys) the words of it, without what is
    to be forgotten; what is not to be noted is blank."""

    first: int
    last: int
    turns: tuple[Message, ...]
    texts: Mapping[int, str]
    before: Message | None = None

    @classmethod
    def of(
        cls, first: int, last: int, turns: Sequence[Message], before: Message | None = None
    ) -> "Window":
        said = [*filter(None, [before]), *turns]
        readable = zip(readable_messages(said, To.HOST), said, strict=True)
        texts = {one.id: _without(one.text, message.unnoted or ()) for one, message in readable}
        return cls(first, last, tuple(turns), texts, before)

    @property
    def heard(self) -> tuple[Message, ...]:
        """With what an assistant asked just before, which the first of them may answer."""
        is_asked = self.before and self.before.role == Message.Role.ASSISTANT
        return (self.before, *self.turns) if self.before and is_asked else self.turns


def _without(text: str, spans: Sequence[Sequence[int]]) -> str:
    for first, last in spans:
        text = text[:first] + " " * len(text[first:last]) + text[last:]
    return text


def next_window(
    conversation: Conversation, *, size: int, last: int | None = None, after: int | None = None
) -> Window | None:
    """The first `size` turns after the watermark, or `after` a position; None when none came.

    `last` asks for the window that was taken before and ended there, whatever has come since.
    """
    after = conversation.extracted_upto if after is None else after
    if after >= conversation.message_count:
        return None
    said = conversation.messages.filter(role__in=SPEAKING, reverted_at=None).order_by("position")
    said = said.annotate(is_meant=is_meant(message="pk"))
    turns = list(said.filter(position__gt=after)[: size + 1])
    before = said.filter(position__lte=after).last()
    end = conversation.message_count if len(turns) <= size else turns[size].position - 1
    end = end if last is None else last
    kept = [turn for turn in turns[:size] if turn.position <= end]
    return Window.of(after + 1, end, kept, before)


def newest(turns: Sequence[Message], now: datetime) -> datetime:
    """The moment of the newest message; the future counts as now."""
    return min(max((turn.timestamp for turn in turns), default=now), now)


def note_date(turns: Sequence[Message], now: datetime) -> date:
    return newest(turns, now).astimezone(UTC).date()
