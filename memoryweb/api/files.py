"""Workspace files and their history. One address holds two files: the shared one and an owner's."""

from typing import Annotated, Any

from django.http import HttpResponse
from django.utils.translation import gettext as _
from ninja import Query, Router, Status
from pydantic import Field

from memoryweb.accounts.permissions import Permission, Scope
from memoryweb.agents.models import Agent, Owner
from memoryweb.agents.readers import Reader, reading
from memoryweb.api import acting_owner, redaction
from memoryweb.api.auth import Caller, Request
from memoryweb.api.cursors import page, page_by
from memoryweb.api.exceptions import Invalid, NotFound, Problem
from memoryweb.api.operations import Reach, header, operation
from memoryweb.api.query_parameters import FilesAsked, RevisionsAsked, of_then
from memoryweb.api.schemas import Camel, Items, Moment, RequestBody, Screened, Whole, one_of
from memoryweb.markdown.paths import fold
from memoryweb.memory import write
from memoryweb.memory.exceptions import Exists, FileMissing
from memoryweb.memory.transaction import unit
from memoryweb.workspace.models import AuthorKind, File, Revision
from memoryweb.workspace.models import Scope as FileScope
from memoryweb.workspace.moments import files_at
from memoryweb.workspace.revisions import content_of

router = Router(tags=["Files"])

BASE = "/agents/{agent_id}/workspace/files"
HASH = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
IF_MATCH = header("If-Match", "The `sha256` that you read: if the text moved on, 412.")


class FileOut(Camel):
    filename: str
    enabled: bool
    sort_order: int
    size: int = Field(description="Bytes of UTF-8.")
    sha256: str
    revision: int
    owner: str = Field(description="`shared`, or whose file this is.")
    scope: Annotated[str, one_of(FileScope)]
    updated_at: Moment


class FileText(FileOut):
    content: str = Field(
        description="Lines that wait for a person are covered for an integration: "
        "`<!-- line waiting for review #… -->`. Leave the cover where it is when you write."
    )


class Saved(FileOut, Screened):
    changed: bool = Field(description="False when the text was the same: no revision was made.")


class FileWrite(RequestBody):
    content: str
    reason: str = Field("", max_length=300, description="Why, for the history.")


class RevisionOut(Camel):
    number: int
    sha256: str
    size: int
    author_kind: Annotated[str, one_of(AuthorKind)]
    author_id: str | None = Field(description="The person's or integration's id.")
    run_id: str | None
    reason: str
    restored_from: int | None
    is_deletion: bool
    created_at: Moment


class RevisionText(RevisionOut):
    content: str


class FileRestore(RequestBody):
    revision: Whole = Field(ge=1, le=2**31 - 1)


class FileRename(RequestBody):
    filename: str = Field(description="The file's new path.")


EXAMPLE = {
    "filename": "MEMORY.md",
    "enabled": True,
    "sortOrder": 3,
    "size": 41,
    "sha256": HASH,
    "revision": 7,
    "owner": "shared",
    "scope": "TEAM",
    "updatedAt": "2026-11-20T02:00:04Z",
}
_TEXT = {"content": "# Memory\n\n- Breakfast ends at half past ten.\n"}
REVISION = {
    "number": 7,
    "sha256": HASH,
    "size": 41,
    "authorKind": "dream",
    "authorId": None,
    "runId": "5f0f9d4e-0a3c-4df5-8b1e-0d9c0e1f2a3b",
    "reason": "",
    "restoredFrom": None,
    "isDeletion": False,
    "createdAt": "2026-11-20T02:00:04Z",
}


@router.get(
    BASE,
    **operation(
        Items[FileOut],
        summary="List the files of a workspace",
        takes=(Permission.READ, Scope.MEMORY_READ),
        example={"items": [EXAMPLE], "cursor": None},
    ),
)
def list_files(request: Request, agent_id: str, reach: Query[FilesAsked]) -> Items[FileOut]:
    agent, owner = _readable(request.auth, agent_id, reach.owner)
    if reach.at is not None:
        pasts = files_at(agent.pk, owner.pk if owner else None, reach.at)
        shown, cursor = page_by(pasts, lambda past: past.path, reach.cursor, reach.limit)
        then = [FileOut(**described(past.file, owner) | of_then(past)) for past in shown]
        return Items[FileOut](items=then, cursor=cursor)
    present = files_of(agent, owner).present()
    found = page(present, ["sort_order", "folded_path"], reach.cursor, reach.limit)
    return Items[FileOut](
        items=[FileOut(**described(file, owner)) for file in found.rows], cursor=found.cursor
    )


@router.get(
    BASE + "/{path:path}/revisions",
    **operation(
        Items[RevisionOut],
        summary="List a file's revisions, newest first",
        takes=(Permission.READ, Scope.MEMORY_READ),
        example={"items": [REVISION], "cursor": None},
    ),
)
def list_revisions(
    request: Request, agent_id: str, path: str, reach: Query[RevisionsAsked]
) -> Items[RevisionOut]:
    agent, owner = _readable(request.auth, agent_id, reach.owner)
    file = _file(agent, owner, path)
    rows = file.revisions.filter(**reach.columns)
    found = page(rows, ["-number"], reach.cursor, reach.limit)
    return Items[RevisionOut](
        items=[RevisionOut(**_revision(row)) for row in found.rows], cursor=found.cursor
    )


@router.get(
    BASE + "/{path:path}/revisions/{number}",
    **operation(
        RevisionText,
        summary="Read a file as it was",
        takes=(Permission.READ, Scope.MEMORY_READ),
        example={**REVISION, **_TEXT},
    ),
)
def read_revision(
    request: Request, agent_id: str, path: str, number: str, reach: Query[Reach]
) -> RevisionText:
    agent, owner = _readable(request.auth, agent_id, reach.owner)
    file = _file(agent, owner, path)
    if not (number.isascii() and number.isdigit() and len(number) < 10):
        raise NotFound
    revision = file.revisions.filter(number=int(number)).first()
    if revision is None:
        raise NotFound
    content = redaction.then(request.auth, file, content_of(file, revision.number))
    return RevisionText(**_revision(revision), content=content)


@router.post(
    BASE + "/{path:path}/restore",
    **operation(
        Saved,
        leaves_out_unset=True,
        summary="Make an earlier revision current again, as a new revision",
        also={202: Saved},
        takes=(Permission.WRITE, Scope.MEMORY_WRITE),
        example={**EXAMPLE, "changed": True},
        body={"revision": 5},
        errors=(409,),
    ),
)
def restore_file(
    request: Request, agent_id: str, path: str, reach: Query[Reach], body: FileRestore
) -> Status[Saved]:
    agent = request.auth.agent(agent_id)
    owner = acting_owner.writable(request.auth, reach.owner)
    with unit(request.auth.team, actor=request.auth.actor) as work:
        file = write.find(write.Place(agent, owner, path))
        if file is None:
            raise NotFound
        try:
            written = write.restore(work, file, body.revision, writer=request.auth.writer)
        except Revision.DoesNotExist:
            raise Invalid("revision", _("This file has no such revision.")) from None
    return Status(202 if written.proposal else 200, _saved(written, owner))


@router.post(
    BASE + "/{path:path}/rename",
    **operation(
        Saved,
        summary="Give a file another path; its history follows it",
        takes=(Permission.WRITE, Scope.MEMORY_WRITE),
        example={**EXAMPLE, "filename": "skills/greeting/SKILL.md", "changed": True},
        body={"filename": "skills/greeting/SKILL.md"},
        parameters=[IF_MATCH],
        errors=(409, 412),
    ),
)
def rename_file(
    request: Request,
    response: HttpResponse,
    agent_id: str,
    path: str,
    reach: Query[Reach],
    body: FileRename,
) -> Saved:
    agent = request.auth.agent(agent_id)
    owner = acting_owner.writable(request.auth, reach.owner)
    with unit(request.auth.team, actor=request.auth.actor) as work:
        file = write.find(write.Place(agent, owner, path))
        if file is None or file.deleted_at is not None:
            raise NotFound
        written = write.rename(
            work, file, body.filename, writer=request.auth.writer, expected=_expected(request)
        )
    response["ETag"] = f'"{written.file.sha256}"'
    return _saved(written, owner)


@router.get(
    BASE + "/{path:path}",
    **operation(
        FileText,
        summary="Read a file; the ETag is its content hash",
        takes=(Permission.READ, Scope.MEMORY_READ),
        example={**EXAMPLE, **_TEXT},
    ),
)
def read_file(
    request: Request, response: HttpResponse, agent_id: str, path: str, reach: Query[Reach]
) -> FileText:
    agent, owner = _readable(request.auth, agent_id, reach.owner)
    file = files_of(agent, owner).present().filter(folded_path=fold(path)).first()
    if file is None and owner is None:
        with reading(Reader(agent)):  # what search finds can be read, too
            seen = File.objects.present().visible_to(Reader(agent))
            file = seen.filter(scope=FileScope.GLOBAL, folded_path=fold(path)).first()
    if file is None:
        raise NotFound
    response["ETag"] = f'"{file.sha256}"'
    return FileText(**described(file, owner), content=redaction.now(request.auth, file))


@router.put(
    BASE + "/{path:path}",
    **operation(
        Saved,
        leaves_out_unset=True,
        summary="Write a file, or make it",
        takes=(Permission.WRITE, Scope.MEMORY_WRITE),
        example={**EXAMPLE, "changed": True},
        also={201: Saved, 202: Saved},
        body=_TEXT,
        parameters=[
            IF_MATCH,
            header("If-None-Match", "`*`: write only if there is no such file yet."),
        ],
        errors=(409, 412, 413),
    ),
)
def write_file(
    request: Request,
    response: HttpResponse,
    agent_id: str,
    path: str,
    reach: Query[Reach],
    body: FileWrite,
) -> Status[Saved]:
    agent = request.auth.agent(agent_id)
    owner = acting_owner.writable(request.auth, reach.owner)
    if len(body.content.encode()) > write.MAX_BYTES:
        raise Problem(413, "too_large", _("A file may hold at most 1 MiB of text."))
    expected = _expected(request)
    place = write.Place(agent, owner, path)
    try:
        with unit(request.auth.team, actor=request.auth.actor) as work:
            written = write.write(
                work,
                place,
                body.content,
                writer=request.auth.writer,
                expected=expected,
                reason=body.reason,
            )
    except (Exists, FileMissing) as refused:
        raise _unmet(refused, expected) from None
    response["ETag"] = f'"{written.file.sha256}"'
    is_new = written.file.revision == 1 and written.changed
    return Status(202 if written.proposal else 201 if is_new else 200, _saved(written, owner))


@router.delete(
    BASE + "/{path:path}",
    **operation(
        None,
        status=204,
        summary="Delete a file; its revisions stay and can be restored",
        takes=(Permission.WRITE, Scope.MEMORY_WRITE),
        parameters=[IF_MATCH],
        errors=(412,),
    ),
)
def delete_file(request: Request, agent_id: str, path: str, reach: Query[Reach]) -> Status[None]:
    agent = request.auth.agent(agent_id)
    owner = acting_owner.writable(request.auth, reach.owner)
    with unit(request.auth.team, actor=request.auth.actor) as work:
        file = write.find(write.Place(agent, owner, path))
        if file is None or file.deleted_at is not None:
            raise NotFound
        write.delete(work, file, writer=request.auth.writer, expected=_expected(request))
    return Status(204, None)


def files_of(agent: Agent, owner: Owner | None) -> Any:
    return agent.files.of(agent.pk, owner.pk if owner else None)


def described(file: File, owner: Owner | None) -> dict[str, Any]:
    return {
        "filename": file.path,
        "enabled": file.enabled,
        "sort_order": file.sort_order,
        "size": file.size,
        "sha256": file.sha256,
        "revision": file.revision,
        "owner": acting_owner.shown(owner, file.scope),
        "scope": file.scope,
        "updated_at": file.updated_at,
    }


def _saved(written: write.Written, owner: Owner | None) -> Saved:
    return Saved(**described(written.file, owner), changed=written.changed, **written.told)


def _readable(caller: Caller, agent_id: str, owner: str | None) -> tuple[Agent, Owner | None]:
    agent = caller.agent(agent_id)
    caller.require(Permission.READ, Scope.MEMORY_READ)
    return agent, acting_owner.asked(caller, owner)


def _file(agent: Agent, owner: Owner | None, path: str) -> File:
    file: File | None = files_of(agent, owner).filter(folded_path=fold(path)).first()
    if file is None:
        raise NotFound
    return file


def _expected(request: Request) -> str | None:
    """What the caller saw: a hash, "" for nothing, None where it does not say."""
    if request.headers.get("If-None-Match") == "*":
        return ""
    match = request.headers.get("If-Match")
    return None if match is None else match.strip().removeprefix("W/").strip('"')


def _unmet(refused: Exists | FileMissing, expected: str | None) -> Exception:
    if expected is None:
        return refused
    return Problem(412, "stale", str(refused), members={"current": None})


def _revision(revision: Revision) -> dict[str, Any]:
    author = revision.user_id or revision.integration_id
    return {
        "number": revision.number,
        "sha256": revision.sha256,
        "size": revision.size,
        "author_kind": revision.author_kind,
        "author_id": str(author) if author else None,
        "run_id": str(revision.run_id) if revision.run_id else None,
        "reason": revision.reason,
        "restored_from": revision.restored_from,
        "is_deletion": revision.is_deletion,
        "created_at": revision.created_at,
    }
