"""What a person did a moment ago, undone: a save, or a revert of what a source wrote."""

from collections.abc import Mapping

from django.utils.translation import gettext as _

from memoryweb.language.normal_form import normalise
from memoryweb.memory import models
from memoryweb.memory.lines.sources import Kind, Source
from memoryweb.memory.models.refusals import MemoryRefused
from memoryweb.memory.models.writer import Transaction, Writer
from memoryweb.memory.statements.moves import Departure, Whys
from memoryweb.memory.writing import write
from memoryweb.memory.writing.write import WriteResult
from memoryweb.runs.models import Run

Why = models.Fact.Why


class SavedSince(MemoryRefused):
    """Something newer stands on it, or it was somebody else's."""

    code = "stale"

    def __init__(self, path: str) -> None:
        said = _("{path} has changed since. Its history lets you choose what to bring back.")
        super().__init__(said.format(path=path))


def undo(
    tx: Transaction,
    file: models.File,
    number: int,
    *,
    writer: Writer,
    whys: Whys | None = None,
) -> WriteResult:
    """The text before one's own save, or deletion, is current again, its lines the words of whoever
    wrote them. Raises SavedSince and what memory.write.restore raises."""
    file = write.lock(file)
    mine = file.revisions.filter(
        number=number, author_kind=models.AuthorKind.PERSON, user=writer.user
    )
    before = file.revisions.filter(number=number - 1, is_deletion=False)
    is_last = file.revision == number and writer.user is not None
    if not (is_last and mine.exists() and before.exists()):
        raise SavedSince(file.path)
    return write.restore(tx, file, number - 1, writer=writer, whys=whys)


def undo_revert(
    tx: Transaction, source: Source, saves: Mapping[models.File, int], *, writer: Writer
) -> None:
    """Every file is again what it was before, or none is; what a run wrote is kept out no longer.
    Messages stay unused, and proposals rejected. Raises what `undo` raises."""
    for file, number in saves.items():
        undo(tx, file, number, writer=writer, whys=_ended_again(file))
    run = Run.objects.filter(pk=source.id, reverted_at__isnull=False).first()
    if source.kind is Kind.RUN and run and run.reverted_at:
        models.Proposal.objects.filter(run=run, created_at=run.reverted_at).delete()
        run.reverted_at = run.reverted_by = None
        run.save(update_fields=["reverted_at", "reverted_by"])


def _ended_again(file: models.File) -> Whys | None:
    """What had come back by the last revert of it goes as it had gone before."""
    newer = models.Fact.objects.filter(superseded_by__file=file, why=Why.REVERTED)
    found: dict[str, Departure] = {}
    for one in newer.select_related("superseded_by"):
        went = Departure(Why.SUPERSEDED, one.raw_text)
        back = models.Fact.objects.filter(file=file, changed_at=one.changed_at)
        found |= {normalise(it.raw_text): went for it in (*back, one.superseded_by) if it}
    return found or None
