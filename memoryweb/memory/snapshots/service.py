"""Takes a memory along: export, preview, import (SPEC §10)."""

import hashlib
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.core import signing
from django.db.models import Q
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django_scopes import scopes_disabled

from memoryweb.accounts.models import User
from memoryweb.agents.models import Agent, Owner
from memoryweb.audit.record import target
from memoryweb.memory.models import File, FileQuerySet, Import, Upload
from memoryweb.memory.models.refusals import MemoryRefused
from memoryweb.memory.models.transaction import Transaction
from memoryweb.memory.models.writer import Writer
from memoryweb.memory.snapshots import conversation_run, manifest, writing
from memoryweb.memory.snapshots.contents import NAMES
from memoryweb.memory.snapshots.formats import table
from memoryweb.memory.snapshots.manifest import FileSize, FileToPack, Part, divide
from memoryweb.memory.snapshots.planning import Action, Item, Plan, plan
from memoryweb.memory.visible.readable import Look, To
from memoryweb.memory.writing import write
from memoryweb.memory.writing.put_back import without_lines

VALID_SECONDS = 3600
_SALT = "memoryweb.snapshot"
_TAKEN = Q(path__in=NAMES) | Q(note_date__isnull=False)


class StateMoved(MemoryRefused):
    """A file that the archive has was changed after the preview."""

    code = "state_moved"

    def __init__(self) -> None:
        super().__init__(
            _("The memory was changed since this preview. Look at a new preview, then import.")
        )


class PreviewRefused(MemoryRefused):
    """The token of a preview that is not the one of this import."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class PartMissing(MemoryRefused):
    """A part of a memory that is divided into fewer."""

    code = "part_missing"

    def __init__(self, parts: int) -> None:
        said = ngettext("This memory has {n} part.", "This memory has {n} parts.", parts)
        super().__init__(said.format(n=parts))


@dataclass(frozen=True)
class Export:
    """`parts` is how many archives an import needs; `part` which of them this is, if any."""

    archive: bytes
    files: int
    name: str
    parts: int
    part: int | None = None

    @property
    def filename(self) -> str:
        return f"{self.name}{self.label}.zip"

    @property
    def label(self) -> str:
        return f"-part-{self.part}-of-{self.parts}" if self.part else ""


@dataclass(frozen=True)
class Preview:
    """`token` is good for an hour, this archive, this workspace and these revisions."""

    plan: Plan
    token: str


@dataclass(frozen=True)
class ImportOutcome:
    """`batch` is None where nothing was to change."""

    batch: Import | None
    plan: Plan
    written: tuple[tuple[Item, write.WriteResult], ...]


def parts_of(agent: Agent, owner: Owner | None) -> tuple[Part, ...]:
    """What an export divides into so that each part can be imported: mostly one."""
    return parts_of_each(agent, [owner])[0]


def parts_of_each(agent: Agent, owners: Sequence[Owner | None]) -> list[tuple[Part, ...]]:
    """The same for several reaches, in one statement."""
    keys = [owner.pk if owner else None for owner in owners]
    reach = Q(owner__in=[key for key in keys if key])
    rows = File.objects.filter(_TAKEN, reach | Q(owner=None), agent=agent, deleted_at=None)
    found: dict[UUID | None, list[FileSize]] = defaultdict(list)
    for key, path, size, day in rows.values_list("owner_id", "path", "size", "note_date"):
        found[key].append(FileSize(path, size, day))
    return [divide(found[key]) for key in keys]


def export(
    tx: Transaction,
    agent: Agent,
    owner: Owner | None,
    part: int | None = None,
    *,
    to: To = To.PAGE,
) -> Export:
    """The snapshot of the shared memory, or of one owner's; of all of it, or of one part. Whoever
    calls has checked that the person is that owner. The same state gives the same bytes; of lines
    that wait for a person, a program gets placeholders.

    Raises PartMissing.
    """
    parts = parts_of(agent, owner)
    if part is not None and not 1 <= part <= len(parts):
        raise PartMissing(len(parts))
    packed = _packed(agent, owner, parts[part - 1] if part else None, to)
    tx.record(
        "snapshot.exported",
        **target(agent),
        on_behalf_of=_kept(owner),
        details={"files": len(packed)},
    )
    whose = "personal" if owner else "shared"
    archive = manifest.write(
        packed,
        agent={"id": str(agent.pk), "name": agent.name},
        owner=whose,
        part=(part, len(parts)) if part else None,
    )
    name = f"{slugify(agent.name) or 'agent'}-{whose}"
    return Export(archive, len(packed), name, len(parts), part)


def preview(agent: Agent, owner: Owner | None, archive: bytes, *, by: Writer) -> Preview:
    """What an import by that writer would do. Writes nothing. Raises ArchiveRefused."""
    made = plan(agent, owner, archive, by)
    return Preview(made, signing.dumps(_bound(agent, owner, made), salt=_SALT))


def apply(
    tx: Transaction,
    agent: Agent,
    owner: Owner | None,
    archive: bytes,
    token: str,
    *,
    by: Writer,
) -> ImportOutcome:
    """Import what a preview showed, all of it or nothing; of conversations, a run brings them.

    Raises ArchiveRefused, PreviewRefused, StateMoved, Importing and what memory.write raises.
    """
    made = _checked(agent, owner, archive, token, by)
    if not made.changes and not made.is_run:
        return ImportOutcome(None, made, ())
    batch = _batch(tx, agent, owner, made, by)
    if made.is_run:
        conversation_run.request(tx, batch, archive, by=by)
    return ImportOutcome(batch, made, writing.write_files(tx, batch, made, by))


def _files(agent: Agent, owner: Owner | None) -> FileQuerySet:
    return File.objects.of(agent.pk, owner.pk if owner else None).present().filter(_TAKEN)


def _packed(agent: Agent, owner: Owner | None, part: Part | None, to: To) -> list[FileToPack]:
    rows = _files(agent, owner)
    if part:
        rows = rows.filter(path__in=[file.path for file in part.files])
    found = list(rows)
    look = Look(to, files=found)
    return [
        FileToPack(
            file.path,
            without_lines(look.file(file).text, look.hidden.lines_of(file)),
            file.updated_at,
        )
        for file in found
    ]


def _checked(agent: Agent, owner: Owner | None, archive: bytes, token: str, by: Writer) -> Plan:
    """What the token's preview showed, if that still holds. Conversations aren't gone through
    again while everybody waits."""
    told = _opened(token)
    if table.has_talks(archive):
        sha256, is_new = hashlib.sha256(archive).hexdigest(), told["new"] != "0"
        made = Plan((), (), sha256, told["state"], told["format"], is_run=is_new)
    else:
        made = plan(agent, owner, archive, by)
    wanted = _bound(agent, owner, made)
    if (told["archive"], told["place"]) != (wanted["archive"], wanted["place"]):
        raise PreviewRefused(
            "preview_differs",
            _("This preview was of another archive, or for another memory. Look at a new one."),
        )
    if told["state"] != wanted["state"]:
        raise StateMoved
    return made


def _bound(agent: Agent, owner: Owner | None, made: Plan) -> dict[str, str]:
    """An owner by its three columns: one that was never met has no row yet."""
    whose = f"{owner.source} {owner.external_id}" if owner else "shared"
    return {
        "archive": made.archive_sha256,
        "place": f"{agent.pk} {whose}",
        "state": made.state,
        "format": made.format,
        "new": str(made.talks.new + len(made.changes)),
    }


def _opened(token: str) -> dict[str, str]:
    try:
        told: dict[str, str] = signing.loads(token, salt=_SALT, max_age=VALID_SECONDS)
    except signing.SignatureExpired:
        raise PreviewRefused(
            "preview_expired", _("This preview is older than an hour. Look at a new one.")
        ) from None
    except signing.BadSignature:
        raise PreviewRefused(
            "preview_unknown", _("This is no token of a preview. Ask for a preview first.")
        ) from None
    return told


def _batch(tx: Transaction, agent: Agent, owner: Owner | None, made: Plan, by: Writer) -> Import:
    batch = Import.objects.create(
        team=tx.team,
        agent=agent,
        owner=owner,
        user=by.user,
        token=by.token,
        archive_sha256=made.archive_sha256,
        format=made.format,
        created_at=tx.now,
    )
    counts = {str(action): made.count(action) for action in Action}
    tx.record(
        "snapshot.imported",
        **target(batch),
        on_behalf_of=_kept(owner),
        details=counts | {"ignored": len(made.ignored), "messages": made.talks.new},
    )
    return batch


def _kept(owner: Owner | None) -> UUID | None:
    """An owner that was never met has no row that an event could point at."""
    return owner.pk if owner and not owner._state.adding else None


# Archives that wait between their preview and their import, for an hour at most.

KEPT = timedelta(hours=1)


def keep(
    tx: Transaction, agent: Agent, owner: Owner | None, archive: bytes, *, user: User
) -> Upload:
    """One a person: an earlier one that was left behind goes."""
    Upload.objects.filter(team=tx.team, user=user).delete()
    upload = Upload.objects.create(
        team=tx.team,
        agent=agent,
        owner=owner,
        user=user,
        archive=archive,
        expires_at=tx.now + KEPT,
    )
    tx.record(
        "snapshot.uploaded",
        **target(agent),
        on_behalf_of=upload.owner_id,
        details={"size": len(archive)},
    )
    return upload


def take(tx: Transaction, upload: Upload, token: str, *, by: Writer) -> ImportOutcome:
    """Import it, and keep it no longer. Raises what `apply` raises."""
    archive = bytes(upload.archive)
    done = apply(tx, upload.agent, upload.owner, archive, token, by=by)
    if done.batch is None:
        drop(tx, upload)
    else:
        upload.delete()
    return done


def drop(tx: Transaction, upload: Upload) -> None:
    tx.record(
        "snapshot.dropped",
        target_kind="agent",
        target_id=str(upload.agent_id),
        agent_id=upload.agent_id,
        on_behalf_of=upload.owner_id,
    )
    upload.delete()


def purge(now: datetime) -> None:
    with scopes_disabled():
        Upload.objects.filter(expires_at__lte=now).delete()
