"""Named reads of conversations that start from no single one."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from uuid import UUID
from zoneinfo import ZoneInfo

from django.db.models import Count, Max, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import TruncDate

from memoryweb.accounts.models import Team
from memoryweb.memory.models import Conversation, Marker, Message
from memoryweb.memory.visible.hidden import is_meant
from memoryweb.memory.visible.readable import To, readable_messages


@dataclass(frozen=True)
class Talks:
    """How often an owner talked, and when last."""

    count: int = 0
    last_at: datetime | None = None


def talks_per_owner(team: Team, owner_ids: Collection[UUID]) -> dict[UUID, Talks]:
    rows = Conversation.objects.filter(team=team, owner__in=owner_ids)
    counted = rows.values_list("owner").annotate(Count("pk"), Max("last_message_at")).order_by()
    return {owner: Talks(count, last) for owner, count, last in counted}


def messages_with_talks(ids: Collection[int]) -> dict[int, Message]:
    """Each with its conversation and whose that is, for a reader to be asked about."""
    found = Message.objects.select_related("conversation__owner")
    found = found.annotate(is_meant=is_meant(message="pk"))
    return {one.pk: one for one in found.filter(pk__in=ids)} if ids else {}


def last_marker(talk: Conversation) -> Marker | None:
    """Where reading it on begins."""
    return talk.markers.order_by("-upto").first()


def messages_by_day(team: Team, which: Q, since: datetime, zone: ZoneInfo) -> Counter[date]:
    """Of the conversations that `which` lets through."""
    talks = Conversation.objects.filter(which, team=team, last_message_at__gte=since)
    rows = Message.objects.filter(conversation__in=talks, timestamp__gte=since)
    days = rows.annotate(day=TruncDate("timestamp", tzinfo=zone)).values_list("day").order_by()
    return Counter(dict(days.annotate(Count("pk"))))


def first_said(talks: Collection[Conversation]) -> QuerySet[Message]:
    """The message that each of them began with."""
    spoken = Message.objects.filter(role=Message.Role.USER, reverted_at=None)
    first = spoken.filter(conversation=OuterRef("conversation")).order_by("position")
    return spoken.filter(conversation__in=talks, position=Subquery(first.values("position")[:1]))


# Which messages one extraction looks at (SPEC §4).

SPEAKING = (Message.Role.USER, Message.Role.ASSISTANT)


@dataclass(frozen=True)
class Window:
    """Positions `first` to `last`, all roles; `turns` are what people and assistants said there,
    and `texts` (by their keys) the words of it, without what is to be forgotten."""

    first: int
    last: int
    turns: tuple[Message, ...]
    texts: Mapping[int, str]

    @classmethod
    def of(cls, first: int, last: int, turns: Sequence[Message]) -> "Window":
        texts = {one.id: one.text for one in readable_messages(turns, To.HOST)}
        return cls(first, last, tuple(turns), texts)


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
    return Window.of(first, end, [turn for turn in turns[:size] if turn.position <= end])


def newest(turns: Sequence[Message], now: datetime) -> datetime:
    """The moment of the newest message; the future counts as now."""
    return min(max((turn.timestamp for turn in turns), default=now), now)


def note_date(turns: Sequence[Message], now: datetime) -> date:
    return newest(turns, now).astimezone(UTC).date()
