"""One revision of a file: its row, the file's own columns, and the audit event."""

import hashlib
from dataclasses import dataclass

from memoryweb.memory import screening
from memoryweb.memory.transaction import Transaction
from memoryweb.provenance.source_classes import source_of
from memoryweb.provenance.writers import Writer
from memoryweb.workspace.models import File, Revision


@dataclass(frozen=True)
class Change:
    """One revision to make: `content` afterwards, `delta` when the rest stays as it is."""

    content: str
    delta: str | None = None
    reason: str = ""
    restored_from: int | None = None
    is_deletion: bool = False


def sha256(content: str) -> str:
    return hashlib.sha256(content.encode()).hexdigest()


def revise(tx: Transaction, file: File, change: Change, writer: Writer) -> Revision:
    is_new = file._state.adding
    delta = change.delta if not is_new and file.revision else None
    last_base = file.base_revision
    file.content = change.content
    file.sha256 = sha256(change.content)
    file.size = len(change.content.encode())
    file.revision += 1
    file.base_revision = file.revision if delta is None else last_base
    file.updated_at = tx.now
    file.deleted_at = tx.now if change.is_deletion else None
    file.save(force_insert=is_new)
    return Revision.objects.create(
        team_id=file.team_id,
        file=file,
        number=file.revision,
        base=file.base_revision,
        text=change.content if delta is None else delta,
        sha256=file.sha256,
        size=file.size,
        author_kind=writer.kind,
        user=writer.user,
        integration=writer.integration,
        run=writer.run,
        token=writer.token,
        conversation_id=writer.conversation_id,
        batch=writer.batch,
        source=source_of(writer, file.owner),
        path=file.path,
        reason=screening.mask_all(change.reason)[:300],
        restored_from=change.restored_from,
        is_deletion=change.is_deletion,
        created_at=tx.now,
    )


def record(tx: Transaction, action: str, file: File, revision: Revision, **labels: str) -> None:
    tx.record(
        action,
        target_kind="file",
        target_id=str(file.pk),
        target_revision=revision.number,
        before_revision=revision.number - 1 or None,
        on_behalf_of=file.owner_id,
        labels={"path": file.path, **labels},
        details={"author": str(revision.author_kind), "size": revision.size},
    )
