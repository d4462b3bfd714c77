"""Taking a memory along: a snapshot out, a preview of one that comes in, and its import."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Annotated, Any, Literal

from django.core.exceptions import SuspiciousOperation
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, HttpResponse
from django.http.multipartparser import MultiPartParserError
from django.utils import timezone
from ninja import Query
from pydantic import Field

from memoryweb.agents.models import Agent
from memoryweb.api import acting_owner
from memoryweb.api.auth import Request, Right
from memoryweb.api.problems import Invalid, Problem
from memoryweb.api.routing import Router
from memoryweb.api.schemas import Camel, MaskedOut, Moment, OwnerQuery, one_of
from memoryweb.memory import snapshots
from memoryweb.memory.models.writer import Memory
from memoryweb.memory.snapshots import LABELS, Action, Item, Plan
from memoryweb.memory.writing.write import WriteResult

router = Router(tags=["Snapshots"])

BASE = "/agents/{agent_id}/workspace/memory"
ZIP = "application/zip"

SHOWN_LINES = 400  # of one file's diff


class ImportedFile(Camel):
    filename: str
    action: Annotated[str, one_of(Action)]
    code: str = Field(
        description="Why the file is skipped, or what an update keeps; empty otherwise."
    )
    reason: str = Field(description="`code` as a sentence.")
    sources: list[str] = Field(description="Archive entries that make up this file.")
    size_before: int = Field(description="Size in bytes (UTF-8).")
    size_after: int
    masked: list[MaskedOut] = Field(
        description="Likely passwords. On import, a placeholder takes their place until a person "
        "decides. Line numbers are those after the import."
    )


class PlannedFile(ImportedFile):
    diff: str = Field(description=f"Changed lines with `+` and `-`; at most {SHOWN_LINES}.")
    lifts: list[str] = Field(
        description="Statements that someone corrected or deleted; the import brings them back."
    )


class WrittenFile(ImportedFile):
    revision: int | None = Field(description="The new revision, if any.")
    proposal: str | None = Field(
        None, description="With code `proposed`: a person has to accept this proposal first."
    )


class IgnoredEntry(Camel):
    name: str
    code: str
    reason: str


class Conversations(Camel):
    """Of an export of conversations; in a preview, or once a run has brought them."""

    conversations: int
    messages: int = Field(description="All that can be kept.")
    known: int = Field(description="Messages that are here already.")
    left_out: int


class _Counts(Camel):
    owner: str = Field(description="Whose memory this is imported into.")
    create: int
    update: int
    skip: int
    ignored: list[IgnoredEntry]


class SnapshotPreview(_Counts):
    format: Annotated[str, one_of(LABELS)]
    conversations: Conversations
    archive_sha256: str
    token: str = Field(description="Send this with the same archive to import it.")
    expires_at: Moment
    files: list[PlannedFile]


class SnapshotImport(_Counts):
    import_id: str | None = Field(description="Null if nothing changed.")
    run: str | None = Field(
        description="Of an export of conversations: the run that brings all of it. `files` is "
        "empty then."
    )
    files: list[WrittenFile]


class ExportQuery(OwnerQuery):
    part: int | None = Field(
        None,
        ge=1,
        description="One part of a memory that is too large for one import (499 files, 15 MiB). "
        "Each part can be imported on its own; the header `Snapshot-Parts` has their "
        "number. Default: everything in one archive.",
        examples=[1],
    )
    format: Literal["snapshot", "markdown"] = Field(
        "snapshot",
        description="`markdown`: every file as a note with front matter, in a folder that Obsidian "
        "opens as a vault.",
    )


class ImportQuery(Camel):
    owner: str | None = Field(
        None,
        description="Whose memory to import into: `shared`, `me`, an owner's id or name. "
        "Required, here or as a form field.",
        examples=["shared"],
    )


class ImportTokenQuery(ImportQuery):
    token: str | None = Field(
        None, description="The token from the preview, here or as a form field."
    )


ARCHIVE = {
    "schema": {"type": "string", "format": "binary"},
    "example": "(the bytes of the archive)",
}


def _archive_body(*fields: str) -> dict[str, Any]:
    """The two forms that an archive may be sent in: a form, also with those fields, or bare."""
    properties = {"file": ARCHIVE["schema"], **{name: {"type": "string"} for name in fields}}
    form = {
        "schema": {"type": "object", "properties": properties, "required": ["file"]},
        "example": {"file": ARCHIVE["example"], **dict.fromkeys(fields, "shared")},
    }
    return {"required": True, "content": {"multipart/form-data": form, ZIP: ARCHIVE}}


@router.operation(
    "GET",
    BASE + "/export",
    Right.EXPORT,
    extra={"responses": {200: {"description": "OK", "content": {ZIP: ARCHIVE}}}},
)
def export_snapshot(request: Request, agent_id: str, query: Query[ExportQuery]) -> HttpResponse:
    """Export a ZIP: core files, daily notes and a manifest, or all files as Markdown notes."""
    agent = request.auth.agent(agent_id)
    owner = acting_owner.asked(request.auth, query.owner)
    with request.auth.write() as tx:
        exported = snapshots.export(
            tx,
            Memory(agent, owner),
            query.part,
            to=request.auth.to,
            as_notes=query.format == "markdown",
        )
    response = HttpResponse(exported.archive, content_type=ZIP)
    response["Content-Disposition"] = f'attachment; filename="{exported.filename}"'
    response["Snapshot-Parts"] = str(exported.parts)
    return response


@router.operation(
    "POST",
    BASE + "/import/preview",
    Right.IMPORT,
    errors=(413,),
    extra={"requestBody": _archive_body("owner")},
)
def preview_import(request: Request, agent_id: str, query: Query[ImportQuery]) -> SnapshotPreview:
    """Preview an import: a snapshot, Markdown notes, or what another program exports."""
    sent = _sent(request, agent_id, query)
    owner = acting_owner.intended(request.auth, sent.owner)
    previewed = snapshots.preview(Memory(sent.agent, owner), sent.archive, by=request.auth.writer)
    plan = previewed.plan
    return SnapshotPreview(
        owner=acting_owner.shown(owner),
        archive_sha256=plan.archive_sha256,
        token=previewed.token,
        expires_at=timezone.now() + timedelta(seconds=snapshots.VALID_SECONDS),
        format=plan.format,
        conversations=Conversations.of(plan.talks),
        files=[
            PlannedFile.of(
                item,
                **_file(item),
                diff=item.diff(SHOWN_LINES, request.auth.to),
            )
            for item in plan.items
        ],
        **_rest(plan),
    )


@router.operation(
    "POST",
    BASE + "/import",
    Right.IMPORT,
    errors=(409, 413),
    extra={"requestBody": _archive_body("owner", "token")},
)
def import_snapshot(
    request: Request, agent_id: str, query: Query[ImportTokenQuery]
) -> SnapshotImport:
    """Import an archive as previewed, all or nothing."""
    sent = _sent(request, agent_id, query)
    token = query.token or request.POST.get("token", "")
    if not token:
        raise Invalid("token", "Preview the import first, then send the token from that preview.")
    with request.auth.write() as tx:
        # Within: a refused import makes no owner either.
        owner = acting_owner.target(request.auth, sent.owner)
        done = snapshots.apply(
            tx, Memory(sent.agent, owner), sent.archive, token, by=request.auth.writer
        )
    written = {item.path: one for item, one in done.written}
    return SnapshotImport(
        import_id=str(done.batch.pk) if done.batch else None,
        run=str(done.batch.run_id) if done.batch and done.batch.run_id else None,
        owner=acting_owner.shown(owner),
        files=[
            WrittenFile.of(item, **_file(item), **_made(written.get(item.path)))
            for item in done.plan.items
        ],
        **_rest(done.plan),
    )


@dataclass(frozen=True)
class _Sent:
    agent: Agent
    owner: str
    archive: bytes


def _sent(request: Request, agent_id: str, query: ImportQuery) -> _Sent:
    agent = request.auth.agent(agent_id)
    archive = _archive(request)
    owner = query.owner or request.POST.get("owner", "")
    if not owner:
        detail = "Choose whose memory to import into: owner=shared, owner=me or an owner's id."
        named = [{"field": "owner", "message": detail}]
        raise Problem(400, "owner_required", detail, errors=named)
    return _Sent(agent, owner, archive)


def _archive(request: HttpRequest) -> bytes:
    """The body as it is, or the one file of a form."""
    if request.content_type != "multipart/form-data":
        return request.body
    try:
        lists = [sent for _part, sent in request.FILES.lists()]
    except (MultiPartParserError, SuspiciousOperation):
        raise Problem(400, "malformed_form", "The form couldn't be read.") from None
    files = [file for sent in lists for file in sent if isinstance(file, UploadedFile)]
    if len(files) != 1:
        raise Invalid("file", "Send exactly one archive, as the body or in the form field “file”.")
    content: bytes = files[0].read()
    return content


def _file(item: Item) -> dict[str, Any]:
    return {"filename": item.path, "masked": [MaskedOut.of(one) for one in item.masked]}


def _made(written: WriteResult | None) -> dict[str, Any]:
    if written is None:
        return {"revision": None}
    number = written.revision.number if written.revision else None
    return {"revision": number, "proposal": str(written.proposal.pk) if written.proposal else None}


def _rest(plan: Plan) -> dict[str, Any]:
    counts = {str(action): plan.count(action) for action in Action}
    return counts | {"ignored": [IgnoredEntry.of(entry) for entry in plan.ignored]}
