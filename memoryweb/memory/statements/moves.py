"""How facts move when a file's text does: what comes, what is worded otherwise, what goes and why.

What a statement stands on comes from its lines' origins. A text that a person took back and a
machine brings is flagged.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any
from uuid import UUID

from django.db.models import Q, QuerySet

from memoryweb.audit.record import target
from memoryweb.core.prepared_queries import PreparedQuery
from memoryweb.core.row_batches import insert, update
from memoryweb.language.extraction_rules import last_day
from memoryweb.language.line_flags import CORRECTED
from memoryweb.language.normal_form import normalise
from memoryweb.language.statement_comparison import fingerprint
from memoryweb.markdown.diff import carry
from memoryweb.markdown.marks import Ended
from memoryweb.memory.lines import flags
from memoryweb.memory.models import AuthorKind, Fact, File
from memoryweb.memory.models.writer import Transaction, Writer
from memoryweb.memory.statements import conflicts, evidence
from memoryweb.memory.statements.bullets import Statement
from memoryweb.memory.statements.corrections import Corrections
from memoryweb.memory.statements.evidence import Ground, Grounds, grounds_of
from memoryweb.memory.statements.validity import is_over, today

State, Why = Fact.State, Fact.Why
_TAKEN_BACK = frozenset({Why.DELETED, Why.REWORDED, Why.NOT_TRUE, Why.REVERTED, Why.ASKED})
_REPLACED = frozenset({Why.SUPERSEDED, Why.REWORDED})
_WENT = (
    *("state", "why", "superseded_by", "file", "changed_at"),
    *("corrected_at", "corrected_by", "hidden_at", "hidden_by"),
)
WORDING = (
    *("raw_text", "heading", "kind", "subject", "attribute", "raw_value"),
    *("valid_from", "valid_to", "raw_ended"),
)
_CAME = (
    *(*_WENT, *WORDING, "remembered_until", "path", "source", "said_at"),
    *("confirmed_at", "confirmed_by"),
)


@dataclass(frozen=True)
class Departure:
    """Why a statement left its file, None where it holds without a line there; `by`: the fact
    that replaced it, or the text that did."""

    why: Fact.Why | None
    by: UUID | str | None = None


Whys = Mapping[str, Departure]  # by the normalised text of what went


def whys_of(fact: Fact, went: Departure) -> Whys:
    return {normalise(fact.raw_text): went}


@dataclass(frozen=True)
class FileChange:
    """A file with its new text, who wrote that, and why statements left it."""

    tx: Transaction
    file: File
    writer: Writer
    whys: Whys = field(default_factory=dict)
    is_restored: bool = False

    @property
    def by_person(self) -> bool:
        """By their own hand, or what they took up: what comes is theirs again."""
        return self.writer.behind is AuthorKind.PERSON or self.writer.is_approved

    @property
    def is_machines(self) -> bool:
        return self.writer.kind.is_machine and not self.by_person

    @property
    def takes_back(self) -> bool:
        """What goes is corrected; what an import merely lacks is not."""
        return self.writer.kind == AuthorKind.PERSON


def move(of: FileChange, before: Sequence[Statement], after: Sequence[Statement]) -> None:
    old, new = {one.print: one for one in before}, {one.print: one for one in after}
    gone = [one for key, one in old.items() if key not in new]
    come = [one for key, one in new.items() if key not in old]
    worded = [one for key, one in new.items() if key in old and _is_worded(one, old[key])]
    if not (gone or come or worded):
        return
    known = known_of(of, {one.print for one in (*gone, *come)})
    made = _bring(of, come, known)
    if worded:
        _reword(of, {one.print: one for one in worded})
    left = _take_away(of, gone, come, made, known) if gone else []
    conflicts.find(of.tx, of.file.agent, list(made.values()))
    conflicts.close_decided(of.tx, left)
    record(of, added=len(come), reworded=len(worded), retired=len(gone))


def _reword(of: FileChange, worded: Mapping[str, Statement]) -> None:
    """A person who takes a mark away by hand says that it holds."""
    rows = list(Fact.objects.filter(file=of.file, fingerprint__in=worded))
    for row in rows:
        new = worded[row.fingerprint]
        if new.ended != row.ended:  # what its owner spoke against is settled
            row.hidden_at, row.hidden_by = None, None
        is_by_hand = of.by_person and not of.whys and not of.is_restored
        if is_by_hand and not {*row.ended} <= {*new.ended}:
            row.confirmed_at, row.confirmed_by = of.tx.now, of.writer.user
        word(row, new)
    update(rows, (*WORDING, "hidden_at", "hidden_by", "confirmed_at", "confirmed_by"))


def _is_worded(new: Statement, old: Statement) -> bool:
    """The same statement, written otherwise, under another heading or with other marks."""
    return (new.text, new.heading, new.ended) != (old.text, old.heading, old.ended)


@dataclass(frozen=True)
class OtherStatements:
    """Of that workspace and not in this file: the same statements by their prints, the latest
    first, and for a machine what was taken back."""

    same: Mapping[str, Sequence[Fact]]
    taken_back: Sequence[Fact]

    def history(self, key: str) -> list[Fact]:
        return [row for row in self.same.get(key, ()) if row.file_id is None]

    def standing(self, key: str) -> Fact | None:
        return next((row for row in self.same.get(key, ()) if row.file_id is not None), None)


def known_of(of: FileChange, keys: Collection[str]) -> OtherStatements:
    same: dict[str, list[Fact]] = defaultdict(list)
    if not keys:
        return OtherStatements(same, ())
    find = _said_or_corrected if of.is_machines else _said
    found = find(of.file.agent_id, of.file.owner_id, of.file.pk, tuple(keys))
    for row in found:
        same[row.fingerprint].append(row)
    return OtherStatements(
        same, [row for row in found if row.corrected_at] if of.is_machines else ()
    )


@PreparedQuery
def _said(
    agent_id: UUID, owner_id: UUID | None, but: UUID, keys: Collection[str]
) -> "QuerySet[Fact]":
    return _known(agent_id, owner_id, but, Q(fingerprint__in=keys))


@PreparedQuery
def _said_or_corrected(
    agent_id: UUID, owner_id: UUID | None, but: UUID, keys: Collection[str]
) -> "QuerySet[Fact]":
    which = Q(fingerprint__in=keys) | Q(corrected_at__isnull=False)
    return _known(agent_id, owner_id, but, which)


def _known(agent_id: UUID, owner_id: UUID | None, but: UUID, which: Q) -> "QuerySet[Fact]":
    rows = Fact.objects.of(agent_id, owner_id).filter(which).exclude(file=but)
    return rows.select_related("superseded_by").order_by("-changed_at", "pk")


def _bring(of: FileChange, come: Sequence[Statement], known: OtherStatements) -> dict[str, Fact]:
    """Facts of new statements, by their prints: one that was there before is itself again."""
    if not come:
        return {}
    grounds = grounds_of(of.file, come)
    waiting = {key for key, one in grounds.items() if one.waits}
    if known.taken_back:
        waiting |= set(_flag_corrected(of, come, grounds, Corrections(known.taken_back)))
    made: dict[str, Fact] = {}
    back = []
    for one in come:
        history = known.history(one.print)
        fact = next((row for row in history if _comes_back(of, row)), None)
        if fact is not None:
            back.append(fact)
            _stand_again(of, fact, one)
        else:
            fact = new(of.file, one, of.tx.now)
            chosen = _chosen_end(of, known.same.get(one.print, ()))
            remember(fact, chosen or last_day(one.text))
        made[one.print] = fact
        fact.file, fact.path = of.file, of.file.path
        fact.source, fact.said_at = grounds[one.print].source, grounds[one.print].said_at
        fact.state = State.PENDING if one.print in waiting else State.ACTIVE
    if of.by_person:
        lift(row for one in come for row in known.history(one.print))
    there = {row.pk for row in back}
    update(back, _CAME)
    insert(row for row in made.values() if row.pk not in there)
    evidence.add({row: grounds[key].all for key, row in made.items()}, known=back)
    return made


def _chosen_end(of: FileChange, same: Iterable[Fact]) -> date | None:
    """That a person gave to the same statement elsewhere, unless it is over."""
    day = today(of.tx.now, of.file.agent.zone)
    found = (row.remembered_until for row in same if row.state not in Fact.OVER)
    return max((one for one in found if one and one >= day), default=None)


def remember(fact: Fact, until: date | None) -> None:
    """Until that day, or with None for as long as its text says."""
    fact.remembered_until = until
    fact.valid_to = until or Statement(fact.raw_text, ended=fact.ended).claim.valid_to
    if not fact._state.adding:
        fact.save(update_fields=["remembered_until", "valid_to"])


def new(like: File | Fact, one: Statement, now: datetime) -> Fact:
    """Of the same workspace; not saved."""
    return Fact(
        team_id=like.team_id,
        agent_id=like.agent_id,
        owner_id=like.owner_id,
        scope=like.scope,
        fingerprint=one.print,
        created_at=now,
        changed_at=now,
        **wording_of(one),
    )


def leave(tx: Transaction, fact: Fact, went: Departure, writer: Writer) -> None:
    """What stands in no file becomes history, as what a file loses does."""
    same = Fact.objects.of(fact.agent_id, fact.owner_id).standing()
    text = went.by if isinstance(went.by, str) else ""
    made = {row.fingerprint: row for row in same.filter(fingerprint=fingerprint(text)) if text}
    _let_go(tx, writer, fact, went, made)
    fact.save(update_fields=_WENT)
    conflicts.close_decided(tx, [fact])


def _comes_back(of: FileChange, row: Fact) -> bool:
    """One that lives, or that a person or an earlier revision brings; else it is said anew."""
    is_restored = of.is_restored and row.corrected_at is None
    return row.state not in Fact.OVER or of.by_person or is_restored


def _stand_again(of: FileChange, fact: Fact, one: Statement) -> None:
    if not of.by_person and fact.state in Fact.OVER:
        fact.confirmed_at = fact.confirmed_by = None
    fact.why, fact.superseded_by, fact.changed_at = "", None, of.tx.now
    if of.by_person:
        fact.corrected_at = fact.corrected_by = fact.hidden_at = fact.hidden_by = None
    if is_over(fact, today(of.tx.now, of.file.agent.zone)):
        fact.remembered_until = None
    word(fact, one)


def word(fact: Fact, one: Statement) -> None:
    for name, value in wording_of(one, fact.remembered_until).items():
        setattr(fact, name, value)


def wording_of(one: Statement, until: date | None = None) -> dict[str, Any]:
    """`until`: the last day that a person chose for it."""
    claim = one.claim
    return {
        "raw_text": one.text,
        "heading": one.heading,
        "kind": str(claim.kind),
        "subject": claim.subject[:200],
        "attribute": claim.attribute[:200],
        "raw_value": claim.value,
        "valid_from": claim.valid_from,
        "valid_to": until or claim.valid_to,
        "raw_ended": stored(one.ended),
    }


def stored(ended: Iterable[Ended]) -> list[list[str]] | None:
    return [[one.on.isoformat(), one.words] for one in ended] or None


def lift(known: Iterable[Fact]) -> None:
    """What a person brings again is no longer taken back."""
    keys = [row.pk for row in known if row.corrected_at is not None]
    if keys:
        Fact.objects.filter(pk__in=keys).update(corrected_at=None, corrected_by=None)


def _flag_corrected(
    of: FileChange,
    come: Sequence[Statement],
    grounds: Mapping[str, Grounds],
    taken_back: Corrections,
) -> Iterator[str]:
    """Prints of what a person took back, and nobody who may has said since."""
    for one in come:
        found = taken_back.blocking(one.text, one.claim)
        since = found.corrected_at if found else None
        if since and not evidence.is_said_since(grounds[one.print], since):
            for line in range(one.line, one.end + 1):
                flags.flag(of.file, line, CORRECTED)
            yield one.print


def _take_away(
    of: FileChange,
    gone: Sequence[Statement],
    come: Sequence[Statement],
    made: Mapping[str, Fact],
    known: OtherStatements,
) -> list[Fact]:
    """Facts of statements that left become history."""
    fates = _fates(of, gone, come)
    left, moved = [], []
    for row in Fact.objects.filter(file=of.file, fingerprint__in=fates):
        other = known.standing(row.fingerprint)
        if other is not None and row.created_at < other.created_at:
            _take_place(row, other)
            moved.append(row)
            row, other = other, row
        went = Departure(Why.DUPLICATE, other.pk) if other else fates[row.fingerprint]
        _let_go(of.tx, of.writer, row, went, made)
        left.append(row)
    update(moved, _CAME)
    update(left, _WENT)
    return left


def _take_place(row: Fact, other: Fact) -> None:
    """It was written in another file first, and then taken from here: it moved."""
    for name in ("file_id", "path", "source", "said_at", *WORDING):
        setattr(row, name, getattr(other, name))
    if row.state != State.DISPUTED:
        row.state = other.state
    found = [Ground(one.message_id, one.root_id, one.said_at) for one in other.evidence.all()]
    evidence.add({row: found}, known=[row])


def _let_go(
    tx: Transaction, writer: Writer, row: Fact, went: Departure, made: Mapping[str, Fact]
) -> None:
    newer = None
    if isinstance(went.by, str):
        newer = made.get(print_ := fingerprint(went.by)) or _standing_elsewhere(row, print_)
    named = went.by if isinstance(went.by, UUID) else None
    is_chosen = row.remembered_until not in {None, last_day(row.raw_text)}
    if newer and went.why == Why.REWORDED and is_chosen and not newer.remembered_until:
        remember(newer, row.remembered_until)
    row.superseded_by_id = newer.pk if newer else named
    row.file, row.why, row.state = None, went.why or "", _left_as(went.why)
    row.changed_at, row.hidden_at, row.hidden_by = tx.now, None, None
    if writer.kind == AuthorKind.PERSON and went.why in _TAKEN_BACK:
        row.corrected_at, row.corrected_by = tx.now, writer.user


def _standing_elsewhere(row: Fact, print_: str) -> Fact | None:
    """In another file of that memory, which was written before."""
    same = Fact.objects.of(row.agent_id, row.owner_id).standing()
    return same.filter(fingerprint=print_).first()


def _left_as(why: Fact.Why | None) -> Fact.State:
    if why is None:
        return State.ACTIVE
    if why == Why.EXPIRED:
        return State.EXPIRED
    return State.SUPERSEDED if why in _REPLACED else State.RETIRED


def _fates(
    of: FileChange, gone: Sequence[Statement], come: Sequence[Statement]
) -> dict[str, Departure]:
    """Print → why it went: what the writer says; else another value of its key replaces it, or
    what a person wrote that reads like it. Of a program's lines, alike ones may be two things."""
    by_key = {one.claim.key: one for one in come if one.claim.key}
    said = [one.text for one in come] if of.takes_back else []
    carried = carry([one.text for one in gone], said).changed
    alike = {old: come[new - 1] for new, old in carried.items()}
    found = {}
    for at, one in enumerate(gone, start=1):
        newer = (by_key.get(one.claim.key) if one.claim.key else None) or alike.get(at)
        if (given := of.whys.get(normalise(one.text))) is not None:
            found[one.print] = given
        elif newer is not None:
            found[one.print] = Departure(
                Why.REWORDED if of.takes_back else Why.SUPERSEDED, newer.text
            )
        else:
            found[one.print] = Departure(Why.DELETED if of.takes_back else Why.REMOVED)
    return found


def waiting_of(there: Iterable[Statement], flagged: Collection[int]) -> set[str]:
    """Prints of the statements with a flagged line."""
    return {one.print for one in there if any(n in flagged for n in range(one.line, one.end + 1))}


def record(of: FileChange, **counts: int) -> None:
    of.tx.record(
        "fact.changed",
        **target(of.file),
        target_revision=of.file.revision,
        on_behalf_of=of.file.owner_id,
        details={name: count for name, count in counts.items() if count},
    )
