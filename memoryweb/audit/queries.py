"""Reading a team's events."""

import json
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from uuid import UUID

from django.db.models import Max, Min, Q, QuerySet

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


def looks_at(team_id: UUID, owner_ids: Iterable[UUID]) -> "QuerySet[Event]":
    """Each time that memory of these owners, or of all, was read or exported; newest first."""
    about = Q(on_behalf_of__in=list(owner_ids)) | Q(on_behalf_of=None, target_kind="team")
    events = Event.objects.filter(about, team_id=team_id, action__in=LOOKS, outcome="ok")
    return events.order_by("-seq")


def reads_of_owners(team_id: UUID, owner_ids: Iterable[UUID]) -> dict[str, int]:
    """Grant or token → how often personal memory was read under it."""
    events = Event.objects.filter(
        team_id=team_id, on_behalf_of__in=list(owner_ids), action="personal.read"
    )
    counts: dict[str, int] = {}
    for details in events.values_list("details", flat=True):
        grant = json.loads(details or "{}").get("grant", "")
        counts[grant] = counts.get(grant, 0) + 1
    return counts
