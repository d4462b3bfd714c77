"""Writes the files of an import, as its plan has them."""

from dataclasses import replace

from django.utils.translation import gettext_noop

from memoryweb.memory import write
from memoryweb.memory.snapshot.planning import Item, Plan
from memoryweb.memory.transaction import Transaction
from memoryweb.memory.write import Written
from memoryweb.provenance.writer import Place, Writer
from memoryweb.workspace.author_kinds import AuthorKind
from memoryweb.workspace.models import Import


def write_files(
    tx: Transaction, batch: Import, made: Plan, by: Writer
) -> tuple[tuple[Item, Written], ...]:
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
