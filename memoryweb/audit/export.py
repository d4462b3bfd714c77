"""Events to take along as JSONL, which can be checked without memoryweb."""

import json
from collections.abc import Collection, Iterator, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any
from uuid import UUID

from memoryweb.audit import checkpoints
from memoryweb.audit.checkpoints import Checkpoint
from memoryweb.audit.models import Event, events_of, micros, oldest_first

if TYPE_CHECKING:
    from django.db.models import QuerySet

FORMAT = "memoryweb-audit-1"  # verify_export.py reads it
Mine = Collection[UUID]  # the owners whose memory is the reader's own


def is_open(mine: Mine, event: Event, label: str) -> bool:
    """What an event's words are about another person stays hidden: their memory is not open."""
    owner = event.on_behalf_of
    return owner is None or owner in mine or label == "reason"


def jsonl(
    team: Any,
    events: "QuerySet[Event]",
    asked: Mapping[str, Any],
    checkpoint: Checkpoint,
    *,
    mine: Mine,
    first: int = 1,
) -> Iterator[str]:
    """`first`: the number of the event that they begin with, where no filter leaves any out."""
    head = {
        "format": FORMAT,
        "team": str(team.pk),
        "name": team.name,
        "filter": {name: str(value) for name, value in asked.items()},
        "events": events.count(),
        "first": first,
    }
    yield _line(head)
    for event in oldest_first(events):
        yield _line(
            {
                "seq": event.seq,
                "previous": bytes(event.previous).hex(),
                "hash": bytes(event.hash).hex(),
                "canonical": bytes(event.canonical).decode(),
                "labels": {
                    label.name: {"salt": bytes(label.salt).hex(), "text": label.text}
                    for label in event.labels.all()
                    if label.salt is not None and is_open(mine, event, label.name)
                },
            }
        )
    yield _line({"checkpoint": checkpoint.told()})


def segment(team: Any, since: datetime, now: datetime, *, mine: Mine) -> Iterator[str]:
    """All events from a moment to a checkpoint that is signed for them."""
    signed = checkpoints.sign(team.pk, now)
    assert signed, "a team begins with an event"
    events = events_of(team.pk).filter(seq__lte=signed.seq)
    later = events.filter(at_us__gte=micros(since)).order_by("seq")
    first = later.values_list("seq", flat=True).first() or 1
    return jsonl(team, events.filter(seq__gte=first), {}, signed, mine=mine, first=first)


def _line(said: Mapping[str, Any]) -> str:
    return json.dumps(said, ensure_ascii=False) + "\n"
