"""What a person does about a flagged line: keeps it as it is, or takes it away."""

from django.utils.translation import gettext_noop

from memoryweb.accounts.models import User
from memoryweb.audit.record import target
from memoryweb.memory.lines import flags
from memoryweb.memory.lines.flags import print_of
from memoryweb.memory.models import Fact, File, LineOrigin
from memoryweb.memory.models.author_kinds import AuthorKind
from memoryweb.memory.models.refusals import Decided, Stale
from memoryweb.memory.models.review_items import Kind, follow
from memoryweb.memory.models.transaction import Transaction
from memoryweb.memory.statements import projection
from memoryweb.memory.writing.write import Place, Writer, Written, lock, restore, write


def keep(tx: Transaction, file: File, line_print: str, *, by: User) -> int:
    """Clear the flags of the line, which counts as asked for now; its number. Raises Decided.

    `line_print` is `memory.lines.flags.print_of` of the line that the person saw, wherever it
    stands by now.
    """
    file = lock(file)
    number, marks = _find(file, line_print)
    LineOrigin.objects.filter(file=file, line=number).update(marks="", asked=True)
    follow(Kind.FLAG, [file.pk])
    flags.let_stand(file, file.raw_content.split("\n")[number - 1 : number])
    projection.let_stand(file, number)
    _record(tx, "mark.kept", file, number, marks, by)
    return number


def remove(tx: Transaction, file: File, line_print: str, *, by: User) -> Written:
    """Take the line out by a new revision of the person. Raises Decided, WriteRefused."""
    file = lock(file)
    number, marks = _find(file, line_print)
    lines = file.raw_content.split("\n")
    content = "\n".join(lines[: number - 1] + lines[number:])
    place = Place(file.agent, file.owner, file.path)
    writer = Writer(AuthorKind.PERSON, user=by)
    reason = gettext_noop("A flagged line was removed.")
    written = write(tx, place, content, writer=writer, reason=reason)
    _record(tx, "mark.removed", file, number, marks, by)
    return written


def undo_keep(tx: Transaction, file: File, line_print: str, marks: str, *, by: User) -> None:
    """The line waits for a person again. Raises Decided, where it is no longer there."""
    file = lock(file)
    lines = file.raw_content.split("\n")
    number = next((n for n, one in enumerate(lines, 1) if print_of(one) == line_print), 0)
    rows = LineOrigin.objects.filter(file=file, line=number, marks="")
    if not number or file.deleted_at or not rows.update(marks=marks):
        raise Decided
    follow(Kind.FLAG, [file.pk])
    flags.let_stand_no_more(file, lines[number - 1])
    projection.follow_flags(file)
    _record(tx, "review.undone", file, number, marks, by)


def undo_remove(tx: Transaction, file: File, revision: int, *, by: User) -> None:
    """The line is back and waits. Raises Stale."""
    file = lock(file)
    if file.revision != revision + 1:
        raise Stale(file)
    whys = projection.all_went(file.raw_content, file.path, Fact.Why.REMOVED)
    restored = restore(tx, file, revision, writer=Writer(AuthorKind.PERSON, user=by), whys=whys)
    _record(tx, "review.undone", restored.file, 0, "", by)


def _find(file: File, line_print: str) -> tuple[int, str]:
    marked = dict(
        LineOrigin.objects.filter(file=file).exclude(marks="").values_list("line", "marks")
    )
    lines = file.raw_content.split("\n")
    for number in sorted(marked):
        if number <= len(lines) and print_of(lines[number - 1]) == line_print:
            return number, marked[number]
    raise Decided


def _record(tx: Transaction, action: str, file: File, number: int, marks: str, by: User) -> None:
    tx.record(
        action,
        **target(file),
        target_revision=file.revision,
        on_behalf_of=file.owner_id,
        labels={"path": file.path},
        details={"line": number, "marks": marks.split(","), "by": str(by.pk)},
    )
