"""Facts follow files: each revision moves the facts of what changed in it, in its transaction.

The file is the truth. This is the only code that makes facts of files; what a statement stands on
comes from its lines' origins. A text that a person took back and a machine brings is flagged.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from memoryweb.facts.corrections import Corrections
from memoryweb.facts.models import Fact
from memoryweb.facts.queries import corrections
from memoryweb.facts.statements import Statement, statements_of
from memoryweb.language.flags import CORRECTED
from memoryweb.language.normal_form import normalise
from memoryweb.language.statements import fingerprint
from memoryweb.markdown.diff import carry
from memoryweb.markdown.paths import kind_of
from memoryweb.memory import fact_evidence, rivals
from memoryweb.memory.fact_evidence import Grounds, grounds_of
from memoryweb.memory.transaction import Transaction
from memoryweb.provenance import flags
from memoryweb.provenance.writers import Writer
from memoryweb.workspace.models import AuthorKind, File, Revision

State, Why = Fact.State, Fact.Why
_TAKEN_BACK = frozenset({Why.DELETED, Why.REWORDED, Why.NOT_TRUE, Why.REVERTED})
_REPLACED = frozenset({Why.SUPERSEDED, Why.REWORDED})
_WENT = ("state", "why", "superseded_by", "file", "corrected_at", "corrected_by", "changed_at")
_WORDING = (
    *("text", "heading", "kind", "subject", "attribute", "value"),
    *("valid_from", "valid_to"),
)
_CAME = (*_WENT, *_WORDING, "path", "source", "said_at", "confirmed_at", "confirmed_by")


@dataclass(frozen=True)
class Went:
    """Why a statement left its file; `by`: the fact that replaced it, or the text that did."""

    why: Fact.Why
    by: UUID | str | None = None


Whys = Mapping[str, Went]  # by the normalised text of what went


@dataclass(frozen=True)
class _Revised:
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
    def takes_back(self) -> bool:
        """What goes is corrected; what an import merely lacks is not."""
        return self.writer.kind == AuthorKind.PERSON


def project(
    tx: Transaction,
    file: File,
    revision: Revision,
    before: str,
    writer: Writer,
    whys: Whys | None = None,
) -> None:
    """Move the facts from the text `before` to the file's. `whys` says why statements went;
    without it a person's removal is a correction, a program's none."""
    if kind_of(file.path).holds_facts:
        of = _Revised(tx, file, writer, whys or {}, revision.restored_from is not None)
        _move(of, statements_of(before, file.path), statements_of(file.content, file.path))


def follow_name(tx: Transaction, file: File, was: str, writer: Writer) -> None:
    """Facts go with their file, unless its new name makes it one that holds none."""
    if kind_of(was).holds_facts and kind_of(file.path).holds_facts:
        Fact.objects.filter(file=file).update(path=file.path)
        return
    old = statements_of(file.content, was)
    whys = {normalise(one.text): Went(Why.REMOVED) for one in old}
    of = _Revised(tx, file, writer, whys, is_restored=True)
    _move(of, old, statements_of(file.content, file.path))


def follow_flags(file: File) -> None:
    """A flagged line's statement waits until a person keeps it."""
    there = statements_of(file.content, file.path)
    waiting = _waiting(there, flags.flagged_lines(file)) if there else set()
    standing = Fact.objects.filter(file=file)
    standing.filter(state=State.PENDING).exclude(fingerprint__in=waiting).update(state=State.ACTIVE)
    standing.filter(fingerprint__in=waiting).update(state=State.PENDING)


def weigh(file: File) -> None:
    """Whose word each statement is, after a person released lines or had them kept again."""
    grounds = grounds_of(file, statements_of(file.content, file.path))
    rows = list(Fact.objects.filter(file=file, fingerprint__in=grounds))
    for row in rows:
        row.source = grounds[row.fingerprint].source
    Fact.objects.bulk_update(rows, ["source"])


def is_in_line(file: File) -> bool:
    """The file's statements are its facts."""
    there = statements_of(file.content, file.path) if file.deleted_at is None else []
    rows = list(Fact.objects.filter(file=file))
    said = sorted((one.print, one.text, one.heading, file.path) for one in there)
    kept = sorted((row.fingerprint, row.text, row.heading, row.path) for row in rows)
    pending = {row.fingerprint for row in rows if row.state == State.PENDING}
    return said == kept and pending == _waiting(there, flags.flagged_lines(file))


def bring_in_line(tx: Transaction, file: File) -> None:
    """Make the facts what the file says, whatever happened to them."""
    stood: dict[str, Statement] = {}
    for row in Fact.objects.filter(file=file).order_by("created_at", "pk"):
        row.fingerprint, row.path = fingerprint(row.text), file.path
        if row.fingerprint in stood:
            row.file, row.state, row.why = None, State.RETIRED, Why.DUPLICATE
        stood.setdefault(row.fingerprint, Statement(row.text, row.heading))
        row.save(update_fields=["fingerprint", "path", "file", "state", "why"])
    there = statements_of(file.content, file.path) if file.deleted_at is None else []
    _move(_Revised(tx, file, Writer(AuthorKind.SYSTEM)), list(stood.values()), there)
    follow_flags(file)


def _move(of: _Revised, before: Sequence[Statement], after: Sequence[Statement]) -> None:
    old, new = {one.print: one for one in before}, {one.print: one for one in after}
    gone = [one for key, one in old.items() if key not in new]
    come = [one for key, one in new.items() if key not in old]
    worded = [one for key, one in new.items() if key in old and _is_worded(one, old[key])]
    if not (gone or come or worded):
        return
    elsewhere = _elsewhere(of.file, {one.print for one in (*gone, *come)})
    made = _bring(of, come, elsewhere)
    rows = Fact.objects.filter(file=of.file, fingerprint__in=[one.print for one in worded])
    found = {row.fingerprint: row for row in rows} if worded else {}
    for one in worded:
        if one.print in found:
            _word(found[one.print], one)
    Fact.objects.bulk_update(found.values(), _WORDING)
    left = _take_away(of, gone, come, made, elsewhere) if gone else []
    rivals.find(of.tx, list(made.values()))
    rivals.close_decided(of.tx, [row.contradiction_id for row in left if row.contradiction_id])
    _record(of, added=len(come), reworded=len(worded), retired=len(gone))


def _is_worded(new: Statement, old: Statement) -> bool:
    """The same statement, written otherwise or under another heading."""
    return (new.text, new.heading) != (old.text, old.heading)


def _elsewhere(file: File, keys: Collection[str]) -> Mapping[str, list[Fact]]:
    """The same statements of that workspace that don't stand in this file, the latest first."""
    found = defaultdict(list)
    rows = Fact.objects.of(file.agent_id, file.owner_id).filter(fingerprint__in=keys)
    for row in rows.exclude(file=file).order_by("-changed_at", "pk") if keys else ():
        found[row.fingerprint].append(row)
    return found


def _bring(
    of: _Revised, come: Sequence[Statement], elsewhere: Mapping[str, Sequence[Fact]]
) -> dict[str, Fact]:
    """Facts of new statements, by their prints: one that was there before is itself again."""
    if not come:
        return {}
    grounds = grounds_of(of.file, come)
    if of.writer.kind.is_machine and not of.by_person:
        _flag_corrected(of, come, grounds)
    waiting = _waiting(come, flags.flagged_lines(of.file))
    made: dict[str, Fact] = {}
    back = []
    for one in come:
        known = [row for row in elsewhere.get(one.print, ()) if row.file_id is None]
        fact = next((row for row in known if _comes_back(of, row)), None)
        if fact is not None:
            back.append(fact)
        made[one.print] = fact = fact or _new(of, one)
        _stand(of, fact, one, grounds[one.print])
        fact.state = State.PENDING if one.print in waiting else State.ACTIVE
        if of.by_person:
            _lift(known)
    there = {row.pk for row in back}
    Fact.objects.bulk_update(back, _CAME)
    Fact.objects.bulk_create(row for row in made.values() if row.pk not in there)
    fact_evidence.add({row: grounds[key].all for key, row in made.items()}, known=back)
    return made


def _new(of: _Revised, one: Statement) -> Fact:
    file = of.file
    return Fact(
        team_id=file.team_id,
        agent_id=file.agent_id,
        owner_id=file.owner_id,
        scope=file.scope,
        fingerprint=one.print,
        created_at=of.tx.now,
    )


def _comes_back(of: _Revised, row: Fact) -> bool:
    """One that lives, or that a person or an earlier revision brings; else it is said anew."""
    is_restored = of.is_restored and row.corrected_at is None
    return row.state not in Fact.OVER or of.by_person or is_restored


def _stand(of: _Revised, fact: Fact, one: Statement, grounds: Grounds) -> None:
    if not of.by_person and fact.state in Fact.OVER:
        fact.confirmed_at = fact.confirmed_by = None
    fact.file, fact.path, fact.source = of.file, of.file.path, grounds.source
    fact.why, fact.superseded_by, fact.changed_at = "", None, of.tx.now
    fact.said_at = grounds.said_at
    _word(fact, one)


def _word(fact: Fact, one: Statement) -> None:
    claim = one.claim
    fact.text, fact.heading, fact.kind, fact.value = one.text, one.heading, claim.kind, claim.value
    fact.subject, fact.attribute = claim.subject[:200], claim.attribute[:200]
    fact.valid_from, fact.valid_to = claim.valid_from, claim.valid_to


def _lift(known: Iterable[Fact]) -> None:
    """What a person brings again is no longer taken back."""
    for row in known:
        if row.corrected_at is not None:
            row.corrected_at = row.corrected_by = None
            row.save(update_fields=["corrected_at", "corrected_by"])


def _flag_corrected(
    of: _Revised, come: Sequence[Statement], grounds: Mapping[str, Grounds]
) -> None:
    """A person took it back, and nobody who may has said it since."""
    taken_back = Corrections(corrections(of.file.agent_id, of.file.owner_id))
    for one in come:
        found = taken_back.blocking(one.text, one.claim)
        since = found.corrected_at if found else None
        if since and not fact_evidence.is_said_since(grounds[one.print], since):
            flags.flag(of.file, one.line, CORRECTED)


def _take_away(
    of: _Revised,
    gone: Sequence[Statement],
    come: Sequence[Statement],
    made: Mapping[str, Fact],
    elsewhere: Mapping[str, Sequence[Fact]],
) -> list[Fact]:
    """Facts of statements that left become history."""
    fates = _fates(of, gone, come)
    rows = list(Fact.objects.filter(file=of.file, fingerprint__in=fates))
    for row in rows:
        others = elsewhere.get(row.fingerprint, ())
        other = next((one for one in others if one.file_id is not None), None)
        went = Went(Why.DUPLICATE, other.pk) if other else fates[row.fingerprint]
        newer = made.get(fingerprint(went.by)) if isinstance(went.by, str) else None
        row.superseded_by_id = newer.pk if newer else _id(went.by)
        row.file, row.why, row.changed_at = None, went.why, of.tx.now
        row.state = _left_as(went.why)
        if of.takes_back and went.why in _TAKEN_BACK:
            row.corrected_at, row.corrected_by = of.tx.now, of.writer.user
    Fact.objects.bulk_update(rows, _WENT)
    return rows


def _id(by: UUID | str | None) -> UUID | None:
    return by if isinstance(by, UUID) else None


def _left_as(why: Fact.Why) -> Fact.State:
    if why == Why.EXPIRED:
        return State.EXPIRED
    return State.SUPERSEDED if why in _REPLACED else State.RETIRED


def _fates(of: _Revised, gone: Sequence[Statement], come: Sequence[Statement]) -> dict[str, Went]:
    """Print → why it went: what the writer says; else another value of its key, or a line that
    reads like it, replaces it."""
    by_key = {one.claim.key: one for one in come if one.claim.key}
    carried = carry([one.text for one in gone], [one.text for one in come]).changed
    alike = {old: come[new - 1] for new, old in carried.items()}
    found = {}
    for at, one in enumerate(gone, start=1):
        newer = (by_key.get(one.claim.key) if one.claim.key else None) or alike.get(at)
        if (given := of.whys.get(normalise(one.text))) is not None:
            found[one.print] = given
        elif newer is not None:
            found[one.print] = Went(Why.REWORDED if of.takes_back else Why.SUPERSEDED, newer.text)
        else:
            found[one.print] = Went(Why.DELETED if of.takes_back else Why.REMOVED)
    return found


def _waiting(there: Iterable[Statement], flagged: Collection[int]) -> set[str]:
    """Prints of the statements with a flagged line."""
    return {one.print for one in there if any(n in flagged for n in range(one.line, one.end + 1))}


def _record(of: _Revised, **counts: int) -> None:
    of.tx.record(
        "fact.changed",
        target_kind="file",
        target_id=str(of.file.pk),
        target_revision=of.file.revision,
        on_behalf_of=of.file.owner_id,
        details={name: count for name, count in counts.items() if count},
    )
