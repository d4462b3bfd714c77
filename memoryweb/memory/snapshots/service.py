"""Takes a memory along: export, preview, import (SPEC §10)."""

import hashlib
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import islice
from uuid import UUID

from django.core import signing
from django.db.models import Q
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop, ngettext
from django_scopes import scopes_disabled

from memoryweb.accounts.models import User
from memoryweb.agents.models import Agent, Owner
from memoryweb.audit.record import target
from memoryweb.memory.models import AuthorKind, File, Import, Upload
from memoryweb.memory.models.refusals import MemoryRefused
from memoryweb.memory.models.writer import Memory, Place, Transaction, Writer, write_transaction
from memoryweb.memory.snapshots import contents, conversations, formats
from memoryweb.memory.snapshots.contents import (
    NAMES,
    Contents,
    FileSize,
    FileToPack,
    Part,
    Talk,
    divide,
)
from memoryweb.memory.snapshots.planning import Action, Item, Plan, plan
from memoryweb.memory.visible.readable import Look, To
from memoryweb.memory.writing import write
from memoryweb.memory.writing.put_back import without_lines
from memoryweb.memory.writing.write import WriteResult
from memoryweb.runs import engine
from memoryweb.runs.engine import Lease, Outcome, enqueue
from memoryweb.runs.models import Run

VALID_SECONDS = 3600
_SALT = "memoryweb.snapshot"
_TAKEN = Q(path__in=NAMES) | Q(note_date__isnull=False)


class StateMoved(MemoryRefused):
    """A file that the archive has was changed after the preview."""

    code = "state_moved"
    sentence = gettext_lazy(
        "The memory was changed since this preview. Look at a new preview, then import."
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


def parts_of(memory: Memory) -> tuple[Part, ...]:
    """What an export divides into so that each part can be imported: mostly one."""
    return parts_of_each(memory.agent, [memory.owner])[0]


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
    memory: Memory,
    part: int | None = None,
    *,
    to: To = To.PAGE,
    as_notes: bool = False,
) -> Export:
    """The snapshot of the shared memory, or of one owner's; of all of it, or of one part. Whoever
    calls has checked that the person is that owner. The same state gives the same bytes; of lines
    that wait for a person, a program gets placeholders. `as_notes`: every file, to read elsewhere.

    Raises PartMissing.
    """
    agent, parts = memory.agent, parts_of(memory)
    if part is not None and not 1 <= part <= len(parts):
        raise PartMissing(len(parts))
    rows = memory.files.present()
    if not as_notes:
        rows = rows.filter(_TAKEN)
    if part:
        rows = rows.filter(path__in=[file.path for file in parts[part - 1].files])
    packed = _packed(list(rows), to)
    tx.record(
        "snapshot.exported",
        **target(agent),
        on_behalf_of=_kept(memory.owner),
        details={"files": len(packed)},
    )
    whose = "personal" if memory.owner else "shared"
    name = f"{slugify(agent.name) or 'agent'}-{whose}"
    if as_notes:
        return Export(contents.write_notes(packed, name), len(packed), f"{name}-notes", 1)
    archive = contents.write(
        packed,
        agent={"id": str(agent.pk), "name": agent.name},
        owner=whose,
        part=(part, len(parts)) if part else None,
    )
    return Export(archive, len(packed), name, len(parts), part)


def preview(memory: Memory, archive: bytes, *, by: Writer) -> Preview:
    """What an import by that writer would do. Writes nothing. Raises ArchiveRefused."""
    made = plan(memory, archive, by)
    return Preview(made, signing.dumps(_bound(memory, made), salt=_SALT))


def apply(
    tx: Transaction, memory: Memory, archive: bytes, token: str, *, by: Writer
) -> ImportOutcome:
    """Import what a preview showed, all of it or nothing; of conversations, a run brings them.

    Raises ArchiveRefused, PreviewRefused, StateMoved, Importing and what memory.write raises.
    """
    made = _checked(memory, archive, token, by)
    if not made.changes and not made.is_run:
        return ImportOutcome(None, made, ())
    batch = _batch(tx, memory, made, by)
    if made.is_run:
        request_conversations(tx, batch, archive, by=by)
    return ImportOutcome(batch, made, write_files(tx, batch, made, by))


def _packed(found: list[File], to: To) -> list[FileToPack]:
    look = Look(to, files=found)
    return [
        FileToPack(
            file.path,
            without_lines(look.file(file).text, look.hidden.lines_of(file)),
            file.updated_at,
        )
        for file in found
    ]


def _checked(memory: Memory, archive: bytes, token: str, by: Writer) -> Plan:
    """What the token's preview showed, if that still holds. Conversations aren't gone through
    again while everybody waits."""
    told = _opened(token)
    if formats.has_talks(archive):
        sha256, is_new = hashlib.sha256(archive).hexdigest(), told["new"] != "0"
        made = Plan((), (), sha256, told["state"], told["format"], is_run=is_new)
    else:
        made = plan(memory, archive, by)
    wanted = _bound(memory, made)
    if (told["archive"], told["place"]) != (wanted["archive"], wanted["place"]):
        raise PreviewRefused(
            "preview_differs",
            _("This preview was of another archive, or for another memory. Look at a new one."),
        )
    if told["state"] != wanted["state"]:
        raise StateMoved
    return made


def _bound(memory: Memory, made: Plan) -> dict[str, str]:
    """An owner by its three columns: one that was never met has no row yet."""
    owner = memory.owner
    whose = f"{owner.source} {owner.external_id}" if owner else "shared"
    return {
        "archive": made.archive_sha256,
        "place": f"{memory.agent.pk} {whose}",
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


def _batch(tx: Transaction, memory: Memory, made: Plan, by: Writer) -> Import:
    batch = Import.objects.create(
        team=tx.team,
        agent=memory.agent,
        owner=memory.owner,
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
        on_behalf_of=_kept(memory.owner),
        details=counts | {"ignored": len(made.ignored), "messages": made.talks.new},
    )
    return batch


def _kept(owner: Owner | None) -> UUID | None:
    """An owner that was never met has no row that an event could point at."""
    return owner.pk if owner and not owner._state.adding else None


# Archives that wait between their preview and their import, for an hour at most.

KEPT = timedelta(hours=1)


def keep(tx: Transaction, memory: Memory, archive: bytes, *, user: User) -> Upload:
    """One a person: an earlier one that was left behind goes."""
    Upload.objects.filter(team=tx.team, user=user).delete()
    upload = Upload.objects.create(
        team=tx.team,
        agent=memory.agent,
        owner=memory.owner,
        user=user,
        archive=archive,
        expires_at=tx.now + KEPT,
    )
    tx.record(
        "snapshot.uploaded",
        **target(memory.agent),
        on_behalf_of=upload.owner_id,
        details={"size": len(archive)},
    )
    return upload


def take(tx: Transaction, upload: Upload, token: str, *, by: Writer) -> ImportOutcome:
    """Import it, and keep it no longer. Raises what `apply` raises."""
    archive = bytes(upload.archive)
    done = apply(tx, Memory(upload.agent, upload.owner), archive, token, by=by)
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


# Writes the files of an import, as its plan has them.


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


# Conversations come in by a run, one a transaction: many take longer than a person waits.

CONVERSATIONS = Run.Kind.IMPORT
STEP_SECONDS = 60.0


class Importing(MemoryRefused):
    """One at a time into one memory."""

    code = "import_running"
    sentence = gettext_lazy("Another import into this memory isn't finished. Try again when it is.")


def request_conversations(tx: Transaction, batch: Import, archive: bytes, *, by: Writer) -> Run:
    """The run that brings an import's conversations. Raises Importing."""
    trigger = Run.Trigger.PERSON if by.user else Run.Trigger.API
    made = enqueue(
        agent=batch.agent,
        owner=batch.owner,
        kind=CONVERSATIONS,
        trigger=trigger if by.user or by.token else Run.Trigger.COMMAND,
        user=by.user,
        integration=by.integration,
    )
    if not made.created:
        raise Importing
    batch.archive, batch.run = archive, made.run
    batch.save(update_fields=["archive", "run"])
    named = target(made.run)
    tx.record("run.requested", **named, on_behalf_of=batch.owner_id, run_id=made.run.pk)
    return made.run


def bring_conversations(lease: Lease) -> None:
    """The handler of runs of kind `import`; goes on behind the last conversation that it kept."""
    run = lease.run
    batch = Import.objects.select_related("agent", "owner", "user", "token").filter(run=run).first()
    if batch is None or batch.archive is None:
        lease.finish(Outcome(Run.Status.SKIPPED, "import_gone"))
        return
    contents = formats.read(bytes(batch.archive))
    is_there = bool(run.result) or _began(lease, batch, contents)
    talks = contents.talks() if batch.owner else iter(())  # else only what was remembered comes
    for talk in islice(talks, run.result.get("done", 0), None):
        lease.make_room(STEP_SECONDS)
        is_there = is_there and _kept_talk(lease, batch, batch.owner, talk)
        if not is_there:
            break
    with write_transaction(run.team, run=run) as tx:
        batch.archive = None
        batch.save(update_fields=["archive"])
        lease.finish(_outcome(run.result, is_there=is_there), record=tx.record)
        engine.followed(tx, run)


def _began(lease: Lease, batch: Import, contents: Contents) -> bool:
    """Goes through all of it once, then writes what was remembered."""
    run, by = lease.run, Writer(AuthorKind.IMPORT, user=batch.user, token=batch.token)
    by = replace(by, integration=run.integration)
    memory = Memory(batch.agent, batch.owner)
    coming = conversations.look(memory, contents)
    with write_transaction(run.team, run=run) as tx:
        if not _is_wanted(batch):
            return False
        made = plan(memory, bytes(batch.archive or b""), by, coming)
        files = len(write_files(tx, batch, made, by))
        result = {"done": 0, "total": coming.total, "messages": 0, "files": files}
        lease.advance(Run.Phase.INPUTS, result=result)
    return True


def _kept_talk(lease: Lease, batch: Import, owner: Owner | None, talk: Talk) -> bool:
    assert owner
    with write_transaction(lease.run.team, run=lease.run) as tx:
        if not _is_wanted(batch):
            return False
        added, before = conversations.bring(tx, batch, owner, talk), lease.run.result
        counts = {"done": before["done"] + 1, "messages": before["messages"] + added}
        lease.advance(Run.Phase.INPUTS, result=before | counts)
    return True


def _is_wanted(batch: Import) -> bool:
    """It was not taken back, and nothing of its owner erased, while it came."""
    return Import.objects.filter(pk=batch.pk, archive__isnull=False).exists()


def _outcome(result: dict[str, int], *, is_there: bool) -> Outcome:
    if not is_there:
        return Outcome(Run.Status.SKIPPED, "import_gone")
    came = result["messages"] or result["files"]
    return Outcome(Run.Status.SUCCEEDED if came else Run.Status.NO_CHANGE)
