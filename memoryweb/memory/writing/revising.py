"""Revisions of files, and what follows them: line origins, flags, index, audit event, facts."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from memoryweb.audit.record import target
from memoryweb.core.row_batches import insert
from memoryweb.markdown.line_deltas import Edits, line_delta
from memoryweb.memory.index import indexing
from memoryweb.memory.lines import files as entries
from memoryweb.memory.lines import flags
from memoryweb.memory.lines import origins as line_origins
from memoryweb.memory.lines.flags import NewLines, without_flagged
from memoryweb.memory.lines.history import all_rooted
from memoryweb.memory.lines.origins import Origin
from memoryweb.memory.lines.source_classes import source_of
from memoryweb.memory.models import File, Revision, SourceClass
from memoryweb.memory.models.review import Kind, follow
from memoryweb.memory.models.writer import Transaction, Writer
from memoryweb.memory.statements import projection
from memoryweb.memory.statements.projection import Whys
from memoryweb.memory.writing import screening
from memoryweb.memory.writing.screening import ScreenResult

_MILESTONE = 32  # of so many revisions one is kept whole; by so many an erasure works at once


@dataclass(frozen=True)
class Change:
    """One revision to make: `content` afterwards, `delta` when the rest stays as it is."""

    content: str
    delta: str | None = None
    reason: str = ""
    restored_from: int | None = None
    is_deletion: bool = False


@dataclass(frozen=True)
class Save:
    """A change of a file's whole text, where its new lines come from, and why statements went."""

    file: File
    change: Change
    origins: Mapping[int, Origin] = field(default_factory=dict)
    screened: ScreenResult | None = None
    whys: Whys | None = None


def sha256(content: str) -> str:
    return hashlib.sha256(content.encode()).hexdigest()


def save(tx: Transaction, action: str, saves: Sequence[Save], writer: Writer) -> list[Revision]:
    """One revision of each whole text; line origins, flags, index, audit and facts follow it."""
    if not saves:
        return []
    waits = flags.flagged_of([one.file for one in saves if one.file.revision])
    before = [one.file.raw_content for one in saves]
    # One of these files may be a source of another: what its lines stand on now.
    stands_on = all_rooted([one.origins for one in saves])
    revisions = revise(tx, [(one.file, one.change) for one in saves], writer)
    brought = []
    for one, old, revision, origins in zip(saves, before, revisions, stands_on, strict=True):
        file = one.file
        rows = line_origins.follow(file, old, revision, file.raw_content, origins)
        stood, flagged = without_flagged(old, waits[file.pk]), bool(waits[file.pk])
        brought.append(NewLines(file, stood, rows, was_flagged=flagged))
    keep(tx, action, brought, revisions)
    for one, old, revision in zip(saves, before, revisions, strict=True):
        projection.project(tx, one.file, revision, old, writer, one.whys)
    return revisions


def keep(
    tx: Transaction, action: str, brought: Sequence[NewLines], revisions: Sequence[Revision]
) -> None:
    flags.flag_new(brought)
    insert(row for one in brought for row in one.rows)
    flagged = [one for one in brought if one.was_flagged or any(row.marks for row in one.rows)]
    if flagged:
        follow(Kind.FLAG, [one.file.pk for one in flagged])
    indexing.index_files([one.file for one in brought])
    for one, revision in zip(brought, revisions, strict=True):
        record(tx, action, one.file, revision)


def revise(
    tx: Transaction, changes: Sequence[tuple[File, Change]], writer: Writer
) -> list[Revision]:
    """One of each file, all of one workspace, in two statements."""
    source = source_of(writer, changes[0][0].owner)
    made = [_revision(tx, file, change, writer, source) for file, change in changes]
    columns = [column.name for column in File._meta.concrete_fields if not column.primary_key]
    File.objects.bulk_create(
        [file for file, _change in changes],
        update_conflicts=True,
        unique_fields=["pk"],
        update_fields=columns,
    )
    entries.follow(file for file, _change in changes)
    return Revision.objects.bulk_create(made)


def _revision(
    tx: Transaction, file: File, change: Change, writer: Writer, source: SourceClass
) -> Revision:
    part, edits = _told(file, change)
    is_whole = edits is None and (change.delta is None or not file.revision)
    file.raw_content = change.content
    file.sha256 = sha256(change.content)
    file.size = len(change.content.encode())
    file.revision += 1
    file.ordered_from = _ordered_from(tx, file, writer)
    file.base_revision = file.revision if is_whole else file.base_revision
    file.updated_at = tx.now
    file.deleted_at = tx.now if change.is_deletion else None
    return Revision(
        team_id=file.team_id,
        file=file,
        number=file.revision,
        base=file.base_revision,
        raw_text=part,
        edits=edits,
        sha256=file.sha256,
        size=file.size,
        author_kind=writer.kind,
        user=writer.user,
        integration=writer.integration,
        run=writer.run,
        token=writer.token,
        conversation_id=writer.conversation_id,
        batch=writer.batch,
        source=source,
        path=file.path,
        reason=screening.mask_all(change.reason)[:300],
        restored_from=change.restored_from,
        is_deletion=change.is_deletion,
        created_at=tx.now,
    )


def _told(file: File, change: Change) -> tuple[str, Edits | None]:
    """What a revision keeps of its text, and where that goes in the one before."""
    if change.delta is not None and file.revision:
        return change.delta, None
    if file.revision and file.revision - file.base_revision < _MILESTONE:
        part, edits = line_delta(file.raw_content, change.content)
        if 2 * (len(part) + len(str(edits))) <= len(change.content):
            return part, edits
    return change.content, None


def _ordered_from(tx: Transaction, file: File, writer: Writer) -> int:
    """A clock that went back begins a new order; what a simulated run writes stands outside any."""
    if writer.run and writer.run.clock:
        return file.revision + 1
    went_back = file.revision > 1 and tx.now < file.updated_at
    return file.revision if went_back else file.ordered_from


def record(tx: Transaction, action: str, file: File, revision: Revision, **labels: str) -> None:
    tx.record(
        action,
        **target(file),
        target_revision=revision.number,
        before_revision=revision.number - 1 or None,
        on_behalf_of=file.owner_id,
        labels={"path": file.path, **labels},
        details={"author": str(revision.author_kind), "size": revision.size},
    )
