"""A person takes back their own last save of a file, or what a revert of theirs did to files."""

from collections.abc import Mapping

from django.utils.translation import gettext as _

from memoryweb.memory.lines.sources import Kind, Source
from memoryweb.memory.models import AuthorKind, File, Proposal
from memoryweb.memory.models.refusals import MemoryRefused
from memoryweb.memory.models.writer import Transaction, Writer
from memoryweb.memory.writing import write
from memoryweb.memory.writing.write import WriteResult
from memoryweb.runs.models import Run


class SavedSince(MemoryRefused):
    """Something newer stands on it, or it was somebody else's."""

    code = "stale"

    def __init__(self, path: str) -> None:
        said = _("{path} has changed since. Its history lets you choose what to bring back.")
        super().__init__(said.format(path=path))


def undo(tx: Transaction, file: File, number: int, *, writer: Writer) -> WriteResult:
    """The text before one's own save, or deletion, is current again, its lines the words of whoever
    wrote them. Raises SavedSince and what memory.write.restore raises."""
    file = write.lock(file)
    mine = file.revisions.filter(number=number, author_kind=AuthorKind.PERSON, user=writer.user)
    before = file.revisions.filter(number=number - 1, is_deletion=False)
    is_last = file.revision == number and writer.user is not None
    if not (is_last and mine.exists() and before.exists()):
        raise SavedSince(file.path)
    return write.restore(tx, file, number - 1, writer=writer)


def undo_revert(
    tx: Transaction, source: Source, saves: Mapping[File, int], *, writer: Writer
) -> None:
    """Every file is again what it was before, or none is; what a run wrote is kept out no longer.
    Messages stay unused, and proposals rejected. Raises what `undo` raises."""
    for file, number in saves.items():
        undo(tx, file, number, writer=writer)
    run = Run.objects.filter(pk=source.id, reverted_at__isnull=False).first()
    if source.kind is Kind.RUN and run and run.reverted_at:
        Proposal.objects.filter(run=run, created_at=run.reverted_at).delete()
        run.reverted_at = run.reverted_by = None
        run.save(update_fields=["reverted_at", "reverted_by"])
