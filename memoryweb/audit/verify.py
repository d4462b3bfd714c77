"""Walk a team's chain and name the first event that is not what was written."""

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from memoryweb.audit import checkpoints, keys
from memoryweb.audit.models import ChainHead, Event, Label

_CHUNK = 2000


@dataclass(frozen=True)
class Verification:
    """`events`: how many of the chain are good, from its first one. `head` is the last hash, in
    hex. `erased` counts the words that were taken out of events. `goes_on`: there are more, that
    were not looked at yet. `checkpoints` is how many signed ones the events agree with."""

    ok: bool
    events: int
    first_bad_seq: int | None = None
    problem: str = ""
    head: str = ""
    erased: int = 0
    checkpoints: int = 0
    goes_on: bool = False


LIMITS = _(
    "Signed checkpoints, and a sealed end of each chain that counts them, show when a chain or its "
    "checkpoints were rewritten, shortened or removed. They don’t show what somebody does who has "
    "the keys too, or an older copy of the database and the checkpoints together: keep a copy of "
    "the checkpoints on another machine."
)


def verify(
    team_id: UUID, *, stands: bool = False, after: int = 0, most: int | None = None
) -> Verification:
    """Reads every event of the chain, or at most so many `after` one that was found good. The team
    may go on writing meanwhile.

    `stands`: the team is still there, so that its chain has an event, and all words but those of
    memories, which erasing empties.
    """
    head, signed = _head(team_id), _signed(team_id)
    strange = next((seq for seq, one in signed if not one.is_ours), None)
    if strange is not None:
        return _bad(after, max(strange, 1), _("A checkpoint of this event has a wrong signature."))
    seq, previous, erased = after, _hash_of(team_id, after), 0
    expected: dict[int, set[str]] = {}
    for at, one in signed:
        expected.setdefault(at, set()).add(one.hash)
    for event in _events(team_id, after, most):
        if event.seq != seq + 1:
            return _bad(seq, seq + 1, _("This event is missing."))
        if problem := _problem(event, previous) or _not_the_first(event, stands):
            return _bad(seq, event.seq, problem)
        if expected.get(event.seq, {bytes(event.hash).hex()}) != {bytes(event.hash).hex()}:
            return _bad(seq, event.seq, _("A signed checkpoint knows another event in this place."))
        if event.seq == head.seq and bytes(event.hash) != bytes(head.hash):
            return _bad(seq, event.seq, _("The head of the chain does not match this event."))
        if gone := _erased(event):
            if stands and not _may_be_erased(event):
                return _bad(seq, event.seq, _("Words of this event were erased."))
            erased += gone
        seq, previous = event.seq, bytes(event.hash)
    good = Verification(
        ok=True,
        events=seq,
        head=previous.hex() if seq else "",
        erased=erased,
        checkpoints=checkpoints.count(one for at, one in signed if at <= seq),
        goes_on=most is not None and seq == after + most,
    )
    return good if good.goes_on else _at_the_end(team_id, head, good, stands)


def _at_the_end(team_id: UUID, head: ChainHead, good: Verification, stands: bool) -> Verification:
    seq, known = good.events, max((at for at, _one in _signed(team_id)), default=0)
    if seq < head.seq:
        return _bad(seq, seq + 1, _("This event is missing at the end of the chain."))
    # Events written since the head was read have moved it on; others have no business here.
    if seq > head.seq and seq > _head(team_id).seq:
        return _bad(head.seq, head.seq + 1, _("The head of the chain does not know this event."))
    if known > _head(team_id).seq:
        return _bad(seq, seq + 1, _("A signed checkpoint knows this event, and it is missing."))
    if stands and not seq:
        return _bad(0, 1, _("The whole chain is missing."))
    if not keys.is_sealed(head):
        return _bad(known, known + 1, _("The end of the chain is not as memoryweb left it."))
    if good.checkpoints < head.checkpoints:
        problem = _("Signed checkpoints are missing: {n} of {all} are left.")
        return _bad(known, known + 1, problem.format(n=good.checkpoints, all=head.checkpoints))
    return good


def chains(standing: Collection[UUID] = ()) -> list[UUID]:
    """Every team that has a chain or a checkpoint, even one that is gone, and those that stand."""
    heads = ChainHead.objects.values_list("team_id", flat=True)
    events = Event.objects.values_list("team_id", flat=True).distinct()
    return sorted({*standing, *heads, *events, *checkpoints.teams()})


def _head(team_id: UUID) -> ChainHead:
    return ChainHead.objects.filter(team_id=team_id).first() or ChainHead(team_id=team_id)


def _signed(team_id: UUID) -> list[tuple[int, checkpoints.Checkpoint]]:
    """The checkpoints that are kept, but for those of a declared gap; one of another team counts as
    unsigned."""
    kept = checkpoints.standing(team_id)
    found = [one if one.team == str(team_id) else checkpoints.NONE for one in kept]
    return [(one.seq, one) for one in found]


def _hash_of(team_id: UUID, seq: int) -> bytes:
    found = Event.objects.filter(team_id=team_id, seq=seq).values_list("hash", flat=True)
    return bytes(next(iter(found), keys.GENESIS))


def _events(team_id: UUID, after: int, most: int | None) -> Iterator[Event]:
    rows = Event.objects.filter(team_id=team_id, seq__gt=after).order_by("seq")
    return rows.prefetch_related("labels")[:most].iterator(chunk_size=_CHUNK)


def _problem(event: Event, previous: bytes) -> str | Promise:
    canonical = bytes(event.canonical)
    if bytes(event.previous) != previous:
        return _("This event does not follow the one before it.")
    if bytes(event.hash) != keys.link(event.team_id, event.seq, previous, canonical):
        return _("The hash of this event does not match what it says.")
    said = json.loads(canonical)
    commitments = said.pop("labels")
    if any(_column(event, name) != value for name, value in said.items()):
        return _("The columns of this event do not match what was hashed.")
    if not all(_is_committed(label, commitments) for label in event.labels.all()):
        return _("A label of this event does not match its commitment.")
    return ""


def _not_the_first(event: Event, stands: bool) -> str | Promise:
    """A team's history begins with the team; another beginning is one after a removal."""
    if not stands or event.seq > 1 or event.action == "team.created":
        return ""
    return _("The history before this event is missing.")


def _erased(event: Event) -> int:
    """Of its commitments those that nothing is kept for any more."""
    committed = json.loads(bytes(event.canonical))["labels"]
    return len(committed) - sum(label.salt is not None for label in event.labels.all())


def _may_be_erased(event: Event) -> bool:
    """It is about somebody's memory or an agent's, and each label still has its empty row."""
    is_memory = event.agent_id is not None or event.on_behalf_of is not None
    committed = json.loads(bytes(event.canonical))["labels"]
    return is_memory and {label.name for label in event.labels.all()} == {*committed}


def _is_committed(label: Label, commitments: Mapping[str, str]) -> bool:
    if label.salt is None:  # erased
        return label.text == ""
    return commitments.get(label.name) == keys.commitment(bytes(label.salt), label.text)


def _column(event: Event, name: str) -> Any:
    value = getattr(event, name)
    if name == "details":
        return json.loads(value or "{}")
    return str(value) if isinstance(value, UUID) else value


def _bad(events: int, seq: int, problem: str | Promise) -> Verification:
    return Verification(ok=False, events=events, first_bad_seq=seq, problem=str(problem))
