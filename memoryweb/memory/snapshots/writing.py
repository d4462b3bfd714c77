"""Writes the files of an import, as its plan has them."""

from dataclasses import replace

from django.utils.translation import gettext_noop

from memoryweb.memory.models import Import
from memoryweb.memory.models.author_kinds import AuthorKind
from memoryweb.memory.models.transaction import Transaction
from memoryweb.memory.models.writer import Place, Writer
from memoryweb.memory.snapshots.planning import Item, Plan
from memoryweb.memory.writing import write
from memoryweb.memory.writing.write import WriteResult


def write_files(
    tx: Transaction, batch: Import, made: Plan, by: Writer
) -> tuple[tuple[Item, WriteResult], ...]:
    """Raises what memory.write raises."""
    if not made.changes:
        return ()
    writer, reason = (
        replace(by, kind=AuthorKind.IMPORT, batch=batch),
        gettext_noop("From an import"),
    )
    texts = [
        write.Text(Place(batch.agent, batch.owner, item.path), item.coming, reason=reason)
        for item in made.changes
    ]
    return tuple(zip(made.changes, write.write_all(tx, texts, writer=writer), strict=True))
