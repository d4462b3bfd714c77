"""A person lets machines change lines that a person wrote, or has them kept again (SPEC §3)."""

from memoryweb.audit.record import target
from memoryweb.memory import facts
from memoryweb.memory.exceptions import FileMissing, Stale
from memoryweb.memory.transaction import Transaction
from memoryweb.memory.write import lock
from memoryweb.provenance.models import LineOrigin
from memoryweb.workspace.author_kinds import AuthorKind
from memoryweb.workspace.models import File


def release(tx: Transaction, file: File, first: int, last: int, *, expected: str) -> int:
    """Let machines change a person's lines from `first` to `last`; how many these were.

    `expected` is the SHA-256 of the text that the numbers are about. Raises FileMissing, Stale.
    """
    return _set(tx, file, range(first, last + 1), expected, released=True)


def keep(tx: Transaction, file: File, first: int, last: int, *, expected: str) -> int:
    """Undo `release`."""
    return _set(tx, file, range(first, last + 1), expected, released=False)


def _set(tx: Transaction, file: File, lines: range, expected: str, *, released: bool) -> int:
    file = lock(file)
    if file.deleted_at is not None:
        raise FileMissing(file.path)
    if file.sha256 != expected:
        raise Stale(file)
    rows = LineOrigin.objects.filter(
        file=file,
        author_kind=AuthorKind.PERSON,
        line__gte=lines.start,
        line__lt=lines.stop,
        released=not released,
    )
    count = rows.values("line").distinct().count()
    if rows.update(released=released):
        facts.weigh(file)
        tx.record(
            "line.released" if released else "line.kept",
            **target(file),
            target_revision=file.revision,
            on_behalf_of=file.owner_id,
            labels={"path": file.path},
            details={"first": lines.start, "last": lines.stop - 1, "lines": count},
        )
    return count
