"""Reading a team's events."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from uuid import UUID

from django.db.models import BigIntegerField, Count, Max, Min, Q, QuerySet, Value

from memoryweb.audit.models import Event

_CHUNK = 1000
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
LOOKS = ("personal.read", "personal.exported")


def events_of(team_id: UUID) -> "QuerySet[Event]":
    """Newest first."""
    return Event.objects.filter(team_id=team_id).order_by("-seq")


def oldest_first(events: "QuerySet[Event]") -> Iterator[Event]:
    """With their labels; a few at a time, however many there are."""
    return events.order_by("seq").prefetch_related("labels").iterator(chunk_size=_CHUNK)


def span_of_run(team_id: UUID, run_id: UUID) -> tuple[int, int] | None:
    """First and last number of a run's events."""
    span = Event.objects.filter(team_id=team_id, run_id=run_id).aggregate(Min("seq"), Max("seq"))
    first, last = span["seq__min"], span["seq__max"]
    return (first, last) if first is not None else None


def count_since(team_id: UUID, action: str, actor_id: str | None, since: datetime) -> int:
    """How often somebody, or anybody, did (or was refused) a thing since that moment."""
    micros = (since - _EPOCH) // timedelta(microseconds=1)
    events = Event.objects.filter(team_id=team_id, action=action, at_us__gte=micros)
    return (events.filter(actor_id=actor_id) if actor_id is not None else events).count()


@dataclass(frozen=True)
class Look:
    """A time that memory was read or exported, or (`reads` > 0) all reads with the same details."""

    details: str
    reads: int
    seq: int
    at_us: int
    action: str
    target_kind: str
    actor_id: str

    @property
    def at(self) -> datetime:
        return _EPOCH + timedelta(microseconds=self.at_us)

    @property
    def grant(self) -> str:
        """What opened the memory: a break-glass grant, or a program."""
        return str(json.loads(self.details or "{}").get("grant", ""))


def looks_at(
    team_id: UUID, owner_ids: Iterable[UUID], *, but: Q, most: int
) -> tuple[list[Look], dict[str, int]]:
    """The latest times that memory of these owners, or of all, was read or exported, and how often
    in all under each grant. `but`: those that are no look."""
    owners = list(owner_ids)
    about = Q(on_behalf_of__in=owners) | Q(on_behalf_of=None, target_kind="team")
    looks = Event.objects.filter(about, team_id=team_id, action__in=LOOKS, outcome="ok")
    latest = looks.exclude(but).order_by("-seq").values("pk")[:most]
    reads = Event.objects.filter(team_id=team_id, on_behalf_of__in=owners, action="personal.read")
    numbers, texts = ("seq", "at_us"), ("action", "target_kind", "actor_id")
    single = Event.objects.filter(pk__in=latest).values_list("details", Value(0), *numbers, *texts)
    none = (*(Value(0, BigIntegerField()) for _one in numbers), *(Value("") for _one in texts))
    counted = reads.order_by().values("details").annotate(reads=Count("pk"))
    rows = single.union(counted.values_list("details", "reads", *none), all=True)
    found = [Look(*row) for row in rows]
    times: dict[str, int] = Counter()
    for one in found:
        times[one.grant] += one.reads
    last = sorted((one for one in found if not one.reads), key=lambda one: -one.seq)
    return last, times
