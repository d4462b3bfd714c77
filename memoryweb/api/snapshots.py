"""Taking a memory along: a snapshot out, a preview of one that comes in, and its import."""

from dataclasses import asdict, dataclass
from datetime import timedelta
from typing import Annotated, Any

from django.core.exceptions import SuspiciousOperation
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, HttpResponse
from django.http.multipartparser import MultiPartParserError
from django.utils import timezone
from django.utils.translation import gettext as _
from ninja import Query, Router
from pydantic import Field

from memoryweb.accounts.permissions import Permission, Scope
from memoryweb.agents.models import Agent
from memoryweb.api import acting_owner, redaction
from memoryweb.api.auth import Request
from memoryweb.api.exceptions import Invalid, Problem
from memoryweb.api.operations import Reach, operation
from memoryweb.api.schemas import Camel, HeldOut, Moment, one_of
from memoryweb.memory.snapshot import service as snapshots
from memoryweb.memory.snapshot.planning import Action, Item, Plan
from memoryweb.memory.transaction import unit
from memoryweb.memory.write import Written

router = Router(tags=["Snapshots"])

BASE = "/agents/{agent_id}/workspace/memory"
ZIP = "application/zip"


class ImportedFile(Camel):
    filename: str
    action: Annotated[str, one_of(Action)]
    code: str = Field(description="Why it is skipped, or what an update keeps; else empty.")
    reason: str = Field(description="The same as a sentence.")
    sources: list[str] = Field(description="The names in the archive that became this file.")
    size_before: int = Field(description="Bytes of UTF-8.")
    size_after: int
    held: list[HeldOut] = Field(
        description="What looks like a password: on import a mark takes its place until a person "
        "decides. Lines are those of the file after the import."
    )


class PlannedFile(ImportedFile):
    diff: str = Field(
        description=f"Changed lines with `+` and `-`; at most {redaction.SHOWN_LINES}."
    )


class WrittenFile(ImportedFile):
    revision: int | None = Field(description="The revision that was made, if any.")
    proposal: str | None = Field(
        None, description="Code `proposed`: nothing was written until a person accepts this."
    )


class IgnoredEntry(Camel):
    name: str
    code: str
    reason: str


class SnapshotPreview(Camel):
    owner: str = Field(description="`shared`, or whose memory this would become.")
    archive_sha256: str
    token: str = Field(description="Send it with the same archive to import it.")
    expires_at: Moment
    create: int
    update: int
    skip: int
    files: list[PlannedFile]
    ignored: list[IgnoredEntry]


class SnapshotImport(Camel):
    import_id: str | None = Field(description="Null when there was nothing to change.")
    owner: str
    create: int
    update: int
    skip: int
    files: list[WrittenFile]
    ignored: list[IgnoredEntry]


class ExportReach(Reach):
    part: int | None = Field(
        None,
        ge=1,
        description="One part of a memory with more than one import takes (499 files, 15 MiB). "
        "Each part can be imported by itself; the header `Snapshot-Parts` says how many there "
        "are. Without it, all of it comes in one archive.",
        examples=[1],
    )


class ImportReach(Camel):
    owner: str | None = Field(
        None,
        description="Whose memory this becomes: `shared`, `me`, an owner's id or shown form. "
        "There is no default; a multipart form may have it as a field.",
        examples=["shared"],
    )


class ImportTokenReach(ImportReach):
    token: str | None = Field(None, description="The preview's token, here or as a form field.")


_FILE = {
    "filename": "MEMORY.md",
    "action": "update",
    "code": "",
    "reason": "",
    "sources": ["MEMORY.md"],
    "sizeBefore": 41,
    "sizeAfter": 62,
    "held": [{"kind": "password", "line": 3}],
}
_REST = {
    "owner": "shared",
    "create": 0,
    "update": 1,
    "skip": 0,
    "ignored": [
        {
            "name": "TOOLS.md",
            "code": "not_in_snapshot",
            "reason": "A snapshot takes along the core files and the daily notes, nothing else.",
        }
    ],
}
_PREVIEW = {
    **_REST,
    "archiveSha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "token": "eyJhcmNoaXZlIjoi…",
    "expiresAt": "2026-11-20T10:00:00Z",
    "files": [{**_FILE, "diff": "  # Memory\n+ - Tea is served at five."}],
}
_IMPORT = {
    **_REST,
    "importId": "5f0f9d4e-0a3c-4df5-8b1e-0d9c0e1f2a3b",
    "files": [{**_FILE, "revision": 8}],
}


def _described(described: dict[str, Any], *fields: str) -> dict[str, Any]:
    """With the two forms that an archive may be sent in."""
    texts = {name: {"type": "string"} for name in fields}
    binary = {"type": "string", "format": "binary"}
    form = {"type": "object", "properties": {"file": binary, **texts}, "required": ["file"]}
    example = {"file": "(the bytes of the archive)", **dict.fromkeys(fields, "shared")}
    described["openapi_extra"]["requestBody"] = {
        "required": True,
        "content": {
            "multipart/form-data": {"schema": form, "example": example},
            ZIP: {"schema": binary, "example": "(the bytes of the archive)"},
        },
    }
    return described


def _download(described: dict[str, Any]) -> dict[str, Any]:
    schema = {"type": "string", "format": "binary"}
    content = {ZIP: {"schema": schema, "example": "(the bytes of the archive)"}}
    described["openapi_extra"]["responses"][200] = {"description": "OK", "content": content}
    return described


@router.get(
    BASE + "/export",
    **_download(
        operation(
            None,
            summary="Export a snapshot: core files, daily notes and a manifest, as a ZIP",
            takes=(Permission.EXPORT, Scope.SNAPSHOT_EXPORT),
        )
    ),
)
def export_snapshot(request: Request, agent_id: str, reach: Query[ExportReach]) -> HttpResponse:
    agent = request.auth.agent(agent_id)
    request.auth.require(Permission.EXPORT, Scope.SNAPSHOT_EXPORT)
    owner = acting_owner.asked(request.auth, reach.owner)
    with unit(request.auth.team, actor=request.auth.actor) as work:
        is_for_program = request.auth.integration is not None
        exported = snapshots.export(work, agent, owner, reach.part, is_for_program=is_for_program)
    response = HttpResponse(exported.archive, content_type=ZIP)
    response["Content-Disposition"] = f'attachment; filename="{exported.filename}"'
    response["Snapshot-Parts"] = str(exported.parts)
    return response


@router.post(
    BASE + "/import/preview",
    **_described(
        operation(
            SnapshotPreview,
            summary="See what an import would do; writes nothing",
            takes=(Permission.IMPORT, Scope.SNAPSHOT_IMPORT),
            example=_PREVIEW,
            errors=(413,),
        ),
        "owner",
    ),
)
def preview_import(request: Request, agent_id: str, reach: Query[ImportReach]) -> SnapshotPreview:
    sent = _sent(request, agent_id, reach)
    owner = acting_owner.intended(request.auth, sent.owner)
    previewed = snapshots.preview(sent.agent, owner, sent.archive, by=request.auth.writer)
    plan = previewed.plan
    return SnapshotPreview(
        owner=acting_owner.shown(owner),
        archive_sha256=plan.archive_sha256,
        token=previewed.token,
        expires_at=timezone.now() + timedelta(seconds=snapshots.VALID_SECONDS),
        files=[
            PlannedFile(**_file(item), diff=redaction.diff(request.auth, sent.agent, owner, item))
            for item in plan.items
        ],
        **_rest(plan),
    )


@router.post(
    BASE + "/import",
    **_described(
        operation(
            SnapshotImport,
            summary="Import an archive as its preview showed, all of it or nothing",
            takes=(Permission.IMPORT, Scope.SNAPSHOT_IMPORT),
            example=_IMPORT,
            errors=(409, 413),
        ),
        "owner",
        "token",
    ),
)
def import_snapshot(
    request: Request, agent_id: str, reach: Query[ImportTokenReach]
) -> SnapshotImport:
    sent = _sent(request, agent_id, reach)
    token = reach.token or request.POST.get("token", "")
    if not token:
        raise Invalid("token", _("Send the token of a preview of this archive."))
    with unit(request.auth.team, actor=request.auth.actor) as work:
        # Within: a refused import makes no owner either.
        owner = acting_owner.target(request.auth, sent.owner)
        done = snapshots.apply(work, sent.agent, owner, sent.archive, token, by=request.auth.writer)
    written = {item.path: one for item, one in done.written}
    return SnapshotImport(
        import_id=str(done.batch.pk) if done.batch else None,
        owner=acting_owner.shown(owner),
        files=[
            WrittenFile(**_file(item), **_made(written.get(item.path))) for item in done.plan.items
        ],
        **_rest(done.plan),
    )


@dataclass(frozen=True)
class _Sent:
    agent: Agent
    owner: str
    archive: bytes


def _sent(request: Request, agent_id: str, reach: ImportReach) -> _Sent:
    agent = request.auth.agent(agent_id)
    request.auth.require(Permission.IMPORT, Scope.SNAPSHOT_IMPORT)
    archive = _archive(request)
    owner = reach.owner or request.POST.get("owner", "")
    if not owner:
        detail = _("Say whose memory this becomes: owner=shared, owner=me or an owner's id.")
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
        raise Problem(400, "malformed_form", _("The form cannot be read.")) from None
    files = [file for sent in lists for file in sent if isinstance(file, UploadedFile)]
    if len(files) != 1:
        raise Invalid("file", _("Send one archive, as the body or as the part “file”."))
    content: bytes = files[0].read()
    return content


def _file(item: Item) -> dict[str, Any]:
    return {
        "filename": item.path,
        "action": str(item.action),
        "code": item.code,
        "reason": item.reason,
        "sources": list(item.sources),
        "size_before": item.size_before,
        "size_after": item.size_after,
        "held": [HeldOut(kind=one.kind, line=one.line) for one in item.held],
    }


def _made(written: Written | None) -> dict[str, Any]:
    if written is None:
        return {"revision": None}
    number = written.revision.number if written.revision else None
    return {"revision": number, "proposal": written.told.get("proposal")}


def _rest(plan: Plan) -> dict[str, Any]:
    counts = {str(action): plan.count(action) for action in Action}
    return counts | {"ignored": [IgnoredEntry(**asdict(entry)) for entry in plan.ignored]}
