"""Walk a team's chain and name the first event that is not what was written."""

import json
from collections.abc import Collection, Iterator, Mapping
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
    """`head` is the last hash, in hex: kept elsewhere, it shows later what the chain alone cannot
    (see LIMITS). `erased` counts the words that were taken out of events."""

    ok: bool
    events: int
    first_bad_seq: int | None = None
    problem: str = ""
    head: str = ""
    erased: int = 0


LIMITS = _(
    "From the database alone nobody can see that a chain was rewritten from some event to its end, "
    "shortened together with its head, or removed together with its team. Keep a copy of each head "
    "elsewhere and compare it."
)


def verify(team_id: UUID, *, stands: bool = False) -> Verification:
    """Reads every event of the chain. The team may go on writing meanwhile.

    `stands`: the team is still there, so that its chain has an event, and all words.
    """
    head = _head(team_id)
    seq, previous, erased = 0, chain.GENESIS, 0
    for event in _events(team_id):
        if event.seq != seq + 1:
            return _bad(seq, seq + 1, _("This event is missing."))
        if problem := _problem(event, previous):
            return _bad(seq, event.seq, problem)
        if event.seq == head.seq and bytes(event.hash) != bytes(head.hash):
            return _bad(seq, event.seq, _("The head of the chain does not match this event."))
        if gone := _erased(event):
            if stands:
                return _bad(seq, event.seq, _("Words of this event were erased."))
            erased += gone
        seq, previous = event.seq, bytes(event.hash)
    if seq < head.seq:
        return _bad(seq, seq + 1, _("This event is missing at the end of the chain."))
    # Events written since the head was read have moved it on; others have no business here.
    if seq > head.seq and seq > _head(team_id).seq:
        return _bad(head.seq, head.seq + 1, _("The head of the chain does not know this event."))
    if stands and not seq:
        return _bad(0, 1, _("The whole chain is missing."))
    return Verification(ok=True, events=seq, head=previous.hex() if seq else "", erased=erased)


def chains(standing: Collection[UUID] = ()) -> list[UUID]:
    """Every team that has a chain, even one that is gone or whose head is, and those that stand."""
    heads = ChainHead.objects.values_list("team_id", flat=True)
    return sorted({*standing, *heads, *Event.objects.values_list("team_id", flat=True).distinct()})


def _head(team_id: UUID) -> ChainHead:
    return ChainHead.objects.filter(team_id=team_id).first() or ChainHead(team_id=team_id)


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


def _erased(event: Event) -> int:
    """Of its commitments those that nothing is kept for any more."""
    committed = json.loads(bytes(event.canonical))["labels"]
    return len(committed) - sum(label.salt is not None for label in event.labels.all())


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
