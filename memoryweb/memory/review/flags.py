"""What a person does about a flagged line: keeps it as it is, or takes it away."""

from django.utils.translation import gettext as _

from memoryweb.accounts.models import User
from memoryweb.memory import facts
from memoryweb.memory.exceptions import Decided
from memoryweb.memory.transaction import Transaction
from memoryweb.memory.write import Place, Writer, Written, lock, write
from memoryweb.provenance import flags
from memoryweb.provenance.flags import print_of
from memoryweb.provenance.models import LineOrigin
from memoryweb.workspace.author_kinds import AuthorKind
from memoryweb.workspace.models import File


def keep(tx: Transaction, file: File, line_print: str, *, by: User) -> int:
    """Clear the flags of the line, which counts as asked for now; its number. Raises Decided.

    `line_print` is `provenance.flags.print_of` of the line that the person saw, wherever it
    stands by now.
    """
    file = lock(file)
    number, marks = _find(file, line_print)
    LineOrigin.objects.filter(file=file, line=number).update(marks="", asked=True)
    flags.let_stand(file, file.content.split("\n")[number - 1 : number])
    facts.let_stand(file, number)
    _record(tx, "mark.kept", file, number, marks, by)
    return number


def remove(tx: Transaction, file: File, line_print: str, *, by: User) -> Written:
    """Take the line out by a new revision of the person. Raises Decided, WriteRefused."""
    file = lock(file)
    number, marks = _find(file, line_print)
    lines = file.content.split("\n")
    content = "\n".join(lines[: number - 1] + lines[number:])
    place = Place(file.agent, file.owner, file.path)
    writer = Writer(AuthorKind.PERSON, user=by)
    written = write(tx, place, content, writer=writer, reason=_("A flagged line was removed."))
    _record(tx, "mark.removed", file, number, marks, by)
    return written


def _find(file: File, line_print: str) -> tuple[int, str]:
    marked = dict(
        LineOrigin.objects.filter(file=file).exclude(marks="").values_list("line", "marks")
    )
    lines = file.content.split("\n")
    for number in sorted(marked):
        if number <= len(lines) and print_of(lines[number - 1]) == line_print:
            return number, marked[number]
    raise Decided


def _record(tx: Transaction, action: str, file: File, number: int, marks: str, by: User) -> None:
    tx.record(
        action,
        target_kind="file",
        target_id=str(file.pk),
        target_revision=file.revision,
        on_behalf_of=file.owner_id,
        labels={"path": file.path},
        details={"line": number, "marks": marks.split(","), "by": str(by.pk)},
    )
