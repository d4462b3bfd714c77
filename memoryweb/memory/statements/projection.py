"""Facts follow files: each revision moves the facts of what changed in it, in its transaction.

The file is the truth, and this the only door that makes facts of files.
"""

from collections.abc import Sequence

from memoryweb.core.row_batches import insert, update
from memoryweb.language.normal_form import normalise
from memoryweb.language.statement_comparison import fingerprint
from memoryweb.markdown.paths import kind_of
from memoryweb.memory.lines import flags
from memoryweb.memory.models import AuthorKind, Fact, File, Revision
from memoryweb.memory.models.writer import Transaction, Writer
from memoryweb.memory.statements import moves
from memoryweb.memory.statements.bullets import Statement, bullets_of, statements_of
from memoryweb.memory.statements.corrections import corrections
from memoryweb.memory.statements.evidence import attributed, grounds_of
from memoryweb.memory.statements.moves import Departure as Departure
from memoryweb.memory.statements.moves import Whys as Whys
from memoryweb.memory.statements.moves import new

State, Why = Fact.State, Fact.Why


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
    of = moves.FileChange(tx, file, writer, whys or {}, revision.restored_from is not None)
    if file.note_date is not None and before and of.takes_back and whys is None:
        _correct_note(of, bullets_of(before), bullets_of(file.raw_content))
    elif kind_of(file.path).holds_facts:
        moves.move(of, statements_of(before, file.path), _there(file))


def follow_name(tx: Transaction, file: File, was: str, writer: Writer) -> None:
    """Facts go with their file, unless its new name makes it one that holds none."""
    if kind_of(was).holds_facts and kind_of(file.path).holds_facts:
        Fact.objects.filter(file=file).update(path=file.path)
        return
    old, new = statements_of(file.raw_content, was), statements_of(file.raw_content, file.path)
    whys = all_went(file, Why.REMOVED, was)
    moves.move(moves.FileChange(tx, file, writer, whys, is_restored=True), old, new)


def all_went(file: File, why: Fact.Why, was: str = "") -> Whys:
    """Whichever of its statements go, they go for that reason. `was`: its path before."""
    there = statements_of(file.raw_content, was or file.path)
    return {normalise(one.text): Departure(why) for one in there}


def let_stand(file: File, line: int) -> None:
    """A person kept a flagged line: its statement waits no longer, and is not taken back."""
    follow_flags(file)
    there = statements_of(file.raw_content, file.path)
    keys = [one.print for one in there if one.line <= line <= one.end]
    if keys:
        moves.lift(corrections(file.agent_id, file.owner_id).filter(fingerprint__in=keys))


def follow_flags(file: File) -> None:
    """A flagged line's statement waits until a person keeps it."""
    there = statements_of(file.raw_content, file.path)
    waiting = moves.waiting_of(there, flags.flagged_lines(file)) if there else set()
    standing = Fact.objects.filter(file=file)
    standing.filter(state=State.PENDING).exclude(fingerprint__in=waiting).update(state=State.ACTIVE)
    standing.filter(fingerprint__in=waiting).update(state=State.PENDING)


def weigh(file: File) -> None:
    """Whose word each statement is, after a person released lines or had them kept again."""
    grounds = grounds_of(file, statements_of(file.raw_content, file.path))
    rows = list(Fact.objects.filter(file=file, fingerprint__in=grounds))
    for row in rows:
        row.source = grounds[row.fingerprint].source
    update(rows, ["source"])


def is_in_line(file: File) -> bool:
    """The file's statements are its facts."""
    there = _there(file) if file.deleted_at is None else []
    rows = list(Fact.objects.filter(file=file))
    chosen = {row.fingerprint: row.remembered_until for row in rows}
    words = ((one.print, moves.wording_of(one, chosen.get(one.print))) for one in there)
    said = [(print_, file.path, *map(wording.get, moves.WORDING)) for print_, wording in words]
    kept = [
        (row.fingerprint, row.path, *(getattr(row, name) for name in moves.WORDING)) for row in rows
    ]
    pending = {row.fingerprint for row in rows if row.state == State.PENDING}
    is_same = sorted(said, key=str) == sorted(kept, key=str)
    return is_same and pending == moves.waiting_of(there, flags.flagged_lines(file))


def bring_in_line(tx: Transaction, file: File) -> None:
    """Make the facts what the file says, whatever happened to them."""
    stood: dict[str, Statement] = {}
    for row in Fact.objects.filter(file=file).order_by("created_at", "pk"):
        row.fingerprint, row.path = fingerprint(row.raw_text), file.path
        if row.fingerprint in stood:
            row.file, row.state, row.why = None, State.RETIRED, Why.DUPLICATE
        stands = Statement(row.raw_text, row.heading, ended=row.ended)
        stood.setdefault(row.fingerprint, stands)
        row.save(update_fields=["fingerprint", "path", "file", "state", "why"])
    there = _there(file) if file.deleted_at is None else []
    moves.move(moves.FileChange(tx, file, Writer(AuthorKind.SYSTEM)), list(stood.values()), there)
    follow_flags(file)
    rows = list(Fact.objects.filter(file=file, fingerprint__in=[one.print for one in there]))
    by_print = {one.print: one for one in there}
    for row in rows:
        moves.word(row, by_print[row.fingerprint])
    update(rows, moves.WORDING)


def _there(file: File) -> list[Statement]:
    return attributed(file, statements_of(file.raw_content, file.path))


def _correct_note(
    of: moves.FileChange, before: Sequence[Statement], after: Sequence[Statement]
) -> None:
    """A line of a daily note that a person deletes or rewords is taken back, too, unless memory
    states it by itself; one that they write again no longer is."""
    old, there = {one.print: one for one in before}, {one.print: one for one in after}
    known = moves.known_of(of, old.keys() ^ there.keys())
    moves.lift(row for key in there.keys() - old.keys() for row in known.history(key))
    made = []
    for key in sorted(old.keys() - there.keys()):
        if known.standing(key) is None:
            fact = new(of.file, old[key], of.tx.now)
            fact.path, fact.state, fact.why = of.file.path, State.RETIRED, Why.DELETED
            fact.corrected_at, fact.corrected_by = of.tx.now, of.writer.user
            made.append(fact)
    insert(made)
    if made:
        moves.record(of, retired=len(made))
