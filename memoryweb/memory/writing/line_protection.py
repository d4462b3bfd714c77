"""A person lets machines change lines that a person wrote, or has them kept again (SPEC §3)."""

from memoryweb.audit.record import target
from memoryweb.memory.models import File, LineOrigin
from memoryweb.memory.models.author_kinds import AuthorKind
from memoryweb.memory.models.refusals import FileMissing, Stale
from memoryweb.memory.models.transaction import Transaction
from memoryweb.memory.statements import projection
from memoryweb.memory.writing.write import lock


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
        projection.weigh(file)
        tx.record(
            "line.released" if released else "line.kept",
            **target(file),
            target_revision=file.revision,
            on_behalf_of=file.owner_id,
            labels={"path": file.path},
            details={"first": lines.start, "last": lines.stop - 1, "lines": count},
        )
    return count
