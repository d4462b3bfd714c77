"""What a person does about a flagged line: keeps it as it is, or takes it away."""

from django.utils.translation import gettext_noop

from memoryweb.accounts.models import User
from memoryweb.audit.record import target
from memoryweb.memory.lines import flags
from memoryweb.memory.models import Fact, File, LineOrigin
from memoryweb.memory.models.author_kinds import AuthorKind
from memoryweb.memory.models.refusals import Decided, Stale
from memoryweb.memory.models.review_items import Kind, follow
from memoryweb.memory.models.transaction import Transaction
from memoryweb.memory.statements import projection
from memoryweb.memory.writing.write import Writer, WriteResult, lock, restore, take_out


def keep(tx: Transaction, file: File, line_print: str, *, by: User) -> int:
    """Clear the flags of the line, which counts as asked for now; its number. Raises Decided.

    `line_print` is `memory.lines.flags.print_of` of the line that the person saw, wherever it
    stands by now.
    """
    file = lock(file)
    number, marks = _find(file, line_print)
    flags.let_stand(file, [flags.line_at(file, number)])
    LineOrigin.objects.filter(file=file, line=number).update(marks="", asked=True)
    follow(Kind.FLAG, [file.pk])
    projection.let_stand(file, number)
    _record(tx, "mark.kept", file, number, marks, by)
    return number


def remove(tx: Transaction, file: File, line_print: str, *, by: User) -> WriteResult:
    """Take the line out by a new revision of the person. Raises Decided, WriteRefused."""
    file = lock(file)
    number, marks = _find(file, line_print)
    writer = Writer(AuthorKind.PERSON, user=by)
    reason = gettext_noop("A flagged line was removed.")
    written = take_out(tx, file, [number], writer=writer, reason=reason)
    _record(tx, "mark.removed", file, number, marks, by)
    return written


def undo_keep(tx: Transaction, file: File, line_print: str, marks: str, *, by: User) -> None:
    """The line waits for a person again. Raises Decided, where it is no longer there."""
    file = lock(file)
    number = next(iter(flags.lines_with(file, line_print)), 0)
    rows = LineOrigin.objects.filter(file=file, line=number, marks="")
    if not number or file.deleted_at or not rows.update(marks=marks):
        raise Decided
    follow(Kind.FLAG, [file.pk])
    flags.let_stand_no_more(file, flags.line_at(file, number))
    projection.follow_flags(file)
    _record(tx, "review.undone", file, number, marks, by)


def undo_remove(tx: Transaction, file: File, revision: int, *, by: User) -> None:
    """The line is back and waits. Raises Stale."""
    file = lock(file)
    if file.revision != revision + 1:
        raise Stale(file)
    whys = projection.all_went(file, Fact.Why.REMOVED)
    restored = restore(tx, file, revision, writer=Writer(AuthorKind.PERSON, user=by), whys=whys)
    _record(tx, "review.undone", restored.file, 0, "", by)


def _find(file: File, line_print: str) -> tuple[int, str]:
    marked = dict(
        LineOrigin.objects.filter(file=file).exclude(marks="").values_list("line", "marks")
    )
    number = next((n for n in flags.lines_with(file, line_print) if n in marked), None)
    if number is None:
        raise Decided
    return number, marked[number]


def _record(tx: Transaction, action: str, file: File, number: int, marks: str, by: User) -> None:
    tx.record(
        action,
        **target(file),
        target_revision=file.revision,
        on_behalf_of=file.owner_id,
        labels={"path": file.path},
        details={"line": number, "marks": marks.split(","), "by": str(by.pk)},
    )
