"""Which lines were really given to a conversation: what a dream counts as recalls (SPEC §5.3)."""

import uuid
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from django.db.models import Case, Count, F, Max, Q, QuerySet, Sum, Value, When
from django.db.models.functions import TruncDate
from django.utils import timezone

from memoryweb.accounts.models import Team
from memoryweb.agents.models import Agent, Reader
from memoryweb.audit import keys
from memoryweb.core.prepared_queries import PreparedQuery
from memoryweb.language.tokens import tokens
from memoryweb.memory.models import File, InjectedSpan, Injection, RecallEvent

WEEK = timedelta(days=7)
_LONGEST = 4  # lines of a hit; what is longer is a file's own stretch
_MOST_USED = 40


@dataclass(frozen=True)
class RecalledLine:
    """One line of a file that was given to a conversation."""

    file_id: uuid.UUID
    text: str


def count(
    reader: Reader,
    conversation_id: uuid.UUID,
    query: str,
    given: Iterable[RecalledLine],
    *,
    via: RecallEvent.Via,
    at: datetime,
) -> None:
    """Remember what a query returned; the same line counts once per (conversation, query)."""
    query_hash = keyed_hash(query)
    RecallEvent.objects.bulk_create(
        (
            RecallEvent(
                team_id=reader.agent.team_id,
                agent=reader.agent,
                owner=reader.owner,
                conversation_id=conversation_id,
                file_id=line.file_id,
                line_hash=keyed_hash(line.text),
                query_hash=query_hash,
                via=via,
                at=at,
            )
            for line in given
        ),
        ignore_conflicts=True,
    )


def asks_since(
    files: Collection[uuid.UUID], since: datetime, until: datetime
) -> dict[tuple[uuid.UUID, str], dict[tuple[str, str], datetime]]:
    """(file, line hash) → asks, for the lines of some files."""
    found: dict[tuple[uuid.UUID, str], dict[tuple[str, str], datetime]] = defaultdict(dict)
    for row in _asks(tuple(files), since, until):
        file_id, line_hash, conversation_id, query_hash, at = row
        found[file_id, line_hash][str(conversation_id), query_hash] = at
    return dict(found)


@PreparedQuery
def _asks(
    files: Collection[uuid.UUID], since: datetime, until: datetime
) -> QuerySet[RecallEvent, tuple[uuid.UUID, str, uuid.UUID, str, datetime]]:
    rows = RecallEvent.objects.filter(file__in=files, at__gte=since, at__lte=until)
    return rows.values_list("file_id", "line_hash", "conversation_id", "query_hash", "at")


def keyed_hash(text: str) -> str:
    """Of the text's tokens, so that case and punctuation make no other query of the same words."""
    return keys.print_of("", "recall/" + " ".join(tokens(text)))


@dataclass(frozen=True)
class Prompts:
    """How many were served, and for how many of them memory had something to say."""

    served: int
    used: int

    @property
    def silent(self) -> int:
        return self.served - self.used


@dataclass(frozen=True)
class Day(Prompts):
    """The prompts of one date, and what they cost."""

    date: date
    tokens: int
    last_at: datetime


def days_of(agent: Agent, which: Q, since: datetime, zone: ZoneInfo) -> list[Day]:
    """The days that had prompts, the earliest first, by that zone."""
    rows = Injection.objects.filter(which, agent=agent, via=Injection.Via.CONTEXT, at__gte=since)
    used = Count("pk", filter=Q(hits__gt=0))
    days = rows.annotate(date=TruncDate("at", tzinfo=zone)).values("date").order_by("date")
    counted = days.annotate(served=Count("pk"), used=used, tokens=Sum("tokens"), last_at=Max("at"))
    return [Day(**row) for row in counted]


def prompts_of(agent: Agent, which: Q, since: datetime) -> Prompts:
    """Of the owners that `which` lets through."""
    rows = Injection.objects.filter(which, agent=agent, via=Injection.Via.CONTEXT, at__gte=since)
    return Prompts(**rows.aggregate(served=Count("pk"), used=Count("pk", filter=Q(hits__gt=0))))


def prompts_by_day(
    team: Team, which: Q, since: datetime, zone: ZoneInfo
) -> dict[tuple[uuid.UUID, date], Prompts]:
    """The same of each agent, a day of that zone each; days without are left out."""
    first, today = since.astimezone(zone).date(), timezone.now().astimezone(zone).date()
    days = [today - timedelta(days=ago) for ago in range((today - first).days + 1)]
    starts = tuple(datetime.combine(day, time.min, tzinfo=zone) for day in days)
    counted = _by_day(team.pk, which, since, starts)
    return {(agent, days[ago]): Prompts(served, used) for agent, ago, served, used in counted}


@PreparedQuery
def _by_day(
    team: uuid.UUID, which: Q, since: datetime, starts: Sequence[datetime]
) -> "QuerySet[Any, Any]":
    """By the first of the starts, the latest first, that a prompt does not lie before: SQLite
    would ask Python for the date of each row."""
    rows = Injection.objects.filter(which, team=team, via=Injection.Via.CONTEXT, at__gte=since)
    ago = Case(*(When(at__gte=start, then=Value(n)) for n, start in enumerate(starts)))
    days = rows.annotate(ago=ago).values_list("agent", "ago")
    return days.order_by().annotate(Count("pk"), used=Count("pk", filter=Q(hits__gt=0)))


def injections_of(agent: Agent) -> "QuerySet[Injection]":
    """The latest first."""
    return Injection.objects.filter(agent=agent).order_by("-at", "-pk")


@dataclass(frozen=True)
class LineUse:
    """A line of a file as it is now, and how many prompts and searches it was given to."""

    file: File
    line: int
    count: int


def most_used(team: Team, which: Q, since: datetime) -> list[LineUse]:
    """What was found for messages, most often first. Of files that were written anew since, it is
    left out: nobody knows any more which line it was; a note only grows."""
    spans = InjectedSpan.objects.filter(
        injection__team=team,
        injection__at__gte=since,
        file__in=File.objects.present().filter(which),
        last_line__lt=F("first_line") + _LONGEST,
    ).filter(Q(revision=F("file__revision")) | Q(file__note_date__isnull=False))
    counted = spans.values_list("file", "first_line").annotate(times=Count("pk"))
    rows = list(counted.order_by("-times", "file", "first_line")[:_MOST_USED])
    files = File.objects.select_related("agent").in_bulk({file_id for file_id, _line, _n in rows})
    return [LineUse(files[file_id], line, count) for file_id, line, count in rows]
