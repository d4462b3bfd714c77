"""Walk a team's chain and name the first event that is not what was written."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from memoryweb.audit import chain
from memoryweb.audit.models import ChainHead, Event, Label

_CHUNK = 2000


@dataclass(frozen=True)
class Verification:
    ok: bool
    events: int
    first_bad_seq: int | None = None
    problem: str = ""


def verify(team_id: UUID) -> Verification:
    """Reads every event of the chain; call it inside a transaction while the team writes."""
    head = ChainHead.objects.filter(team_id=team_id).first()
    seq, previous = 0, chain.GENESIS
    for event in _events(team_id):
        if event.seq != seq + 1:
            return _bad(seq, seq + 1, _("This event is missing."))
        if problem := _problem(event, previous):
            return _bad(seq, event.seq, problem)
        seq, previous = event.seq, bytes(event.hash)
    if head is None and seq == 0:
        return Verification(ok=True, events=0)
    if head is None or (head.seq, bytes(head.hash)) != (seq, previous):
        return _bad(seq, seq + 1, _("The chain does not end where its head says."))
    return Verification(ok=True, events=seq)


def _events(team_id: UUID) -> Iterator[Event]:
    rows = Event.objects.filter(team_id=team_id).order_by("seq").prefetch_related("labels")
    return rows.iterator(chunk_size=_CHUNK)


def _problem(event: Event, previous: bytes) -> str | Promise:
    canonical = bytes(event.canonical)
    if bytes(event.previous) != previous:
        return _("This event does not follow the one before it.")
    if bytes(event.hash) != chain.link(event.team_id, event.seq, previous, canonical):
        return _("The hash of this event does not match what it says.")
    said = json.loads(canonical)
    commitments = said.pop("labels")
    if any(_column(event, name) != value for name, value in said.items()):
        return _("The columns of this event do not match what was hashed.")
    if not all(_is_committed(label, commitments) for label in event.labels.all()):
        return _("A label of this event does not match its commitment.")
    return ""


def _is_committed(label: Label, commitments: Mapping[str, str]) -> bool:
    if label.salt is None:  # erased
        return label.text == ""
    return commitments.get(label.name) == chain.commitment(bytes(label.salt), label.text)


def _column(event: Event, name: str) -> Any:
    value = getattr(event, name)
    if name == "details":
        return json.loads(value or "{}")
    return str(value) if isinstance(value, UUID) else value


def _bad(events: int, seq: int, problem: str | Promise) -> Verification:
    return Verification(ok=False, events=events, first_bad_seq=seq, problem=str(problem))
