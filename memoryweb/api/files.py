"""Workspace files and their history. One address holds two files: the shared one and an owner's."""

from typing import Annotated, Any

from django.http import HttpResponse
from ninja import Query, Status
from pydantic import ConfigDict, Field, model_validator

from memoryweb.agents.models import Owner
from memoryweb.api import acting_owner, schemas
from memoryweb.api.auth import Request, Right
from memoryweb.api.problems import Invalid, NotFound, Problem, or_not_found
from memoryweb.api.routing import Router, header
from memoryweb.markdown.paths import fold, of_link
from memoryweb.memory.global_memory import global_file
from memoryweb.memory.lines.revisions import Past, files_at
from memoryweb.memory.models import AuthorKind, File, Revision
from memoryweb.memory.models import Scope as FileScope
from memoryweb.memory.models.refusals import Exists, FileMissing
from memoryweb.memory.models.writer import Memory
from memoryweb.memory.prompt import arrange, times_given
from memoryweb.memory.statements.bullets import read_ahead
from memoryweb.memory.visible.history import history_at
from memoryweb.memory.visible.readable import Look, files_at_path, readable_file
from memoryweb.memory.visible.request_contents import away_from, without_away
from memoryweb.memory.writing import write
from memoryweb.memory.writing.learned import is_learned
from memoryweb.memory.writing.matrix import check_arranging

router = Router(tags=["Files"])

BASE = "/agents/{agent_id}/workspace/files"
IF_MATCH = header(
    "If-Match", "The `sha256` you read. If the file has changed since, the answer is 412."
)


class FileOut(schemas.Camel):
    filename: str
    enabled: bool
    sort_order: int
    size: int = Field(description="Size in bytes (UTF-8).")
    sha256: str
    revision: int
    owner: str = Field(description="`shared`, or the file's owner.")
    scope: Annotated[str, schemas.one_of(FileScope)]
    updated_at: schemas.Moment


class FileText(FileOut):
    content: str = Field(
        description="An integration gets a placeholder for each flagged or outdated line: "
        "`<!-- line waiting for review #… -->`. Leave placeholders in place when you write."
    )

    uses: int | None = Field(
        description="Of a skill or the summary: how many prompts and answers of tools had some."
    )


class SaveResult(FileOut, schemas.WriteOutcome):
    changed: bool = Field(description="False if the text was the same, so no revision was made.")


class FileWrite(schemas.TypedBody):
    content: str
    reason: str = Field("", max_length=300, description="A note for the file's history.")


class RevisionOut(schemas.Camel):
    number: int
    sha256: str
    size: int
    author_kind: Annotated[str, schemas.one_of(AuthorKind)]
    author_id: schemas.IdOrNull = Field(description="The person's or integration's id.")
    run_id: schemas.IdOrNull
    reason: str
    restored_from: int | None
    is_deletion: bool
    created_at: schemas.Moment


class RevisionText(RevisionOut):
    content: str


class FileRestore(schemas.RequestBody):
    revision: schemas.Whole = Field(ge=1, le=2**31 - 1)


class FileRename(schemas.RequestBody):
    filename: str = Field(description="The file's new path.")


@router.operation("GET", BASE, Right.READ)
def list_files(
    request: Request, agent_id: str, query: Query[schemas.FileQuery]
) -> schemas.Items[FileOut]:
    """List the files of a workspace."""
    memory = acting_owner.readable(request.auth, agent_id, query.owner)
    if query.at is not None:
        pasts = files_at(*memory.key, query.at)
        return schemas.page_by(
            pasts, lambda past: past.path, query, lambda past: _of_then(past, memory.owner)
        )
    present = files_of(memory).present()
    order = ["sort_order", "folded_path"]
    return schemas.page(
        present, order, query, lambda file: FileOut.of(file, **_named(file, memory.owner))
    )


@router.operation("GET", BASE + "/{path:path}/revisions", Right.READ)
def list_revisions(
    request: Request, agent_id: str, path: str, query: Query[schemas.RevisionQuery]
) -> schemas.Items[RevisionOut]:
    """List a file's revisions, newest first."""
    memory = acting_owner.readable(request.auth, agent_id, query.owner)
    file = _file(memory, path)
    rows = file.revisions.filter(**query.columns)
    away = away_from(*memory.key)

    def described(row: Revision) -> RevisionOut:
        return RevisionOut.of(row, **_author(row), reason=away.without(row.reason))

    return schemas.page(rows, ["-number"], query, described)


@router.operation("GET", BASE + "/{path:path}/revisions/{number}", Right.READ)
def read_revision(
    request: Request, agent_id: str, path: str, number: str, query: Query[schemas.OwnerQuery]
) -> RevisionText:
    """Read a revision of a file."""
    memory = acting_owner.readable(request.auth, agent_id, query.owner)
    file = _file(memory, path)
    if not (number.isascii() and number.isdigit() and len(number) < 10):
        raise NotFound
    revision = or_not_found(file.revisions.filter(number=int(number)).first())
    content = Look(request.auth.to, files=[file]).at(file, revision.number)
    without_away(file, [revision])
    return RevisionText.of(revision, **_author(revision), content=content)


@router.operation(
    "POST",
    BASE + "/{path:path}/restore",
    Right.WRITE_OWN,
    leaves_out_unset=True,
    also=(202,),
    errors=(409,),
)
def restore_file(
    request: Request, agent_id: str, path: str, query: Query[schemas.OwnerQuery], body: FileRestore
) -> Status[SaveResult]:
    """Restore an earlier revision, as a new revision."""
    memory = acting_owner.writable(request.auth, agent_id, query.owner)
    with request.auth.write() as tx:
        file = _found(write.find(memory.at(path)))
        try:
            written = write.restore(tx, file, body.revision, writer=request.auth.writer)
        except Revision.DoesNotExist:
            raise Invalid("revision", "This file has no revision with that number.") from None
    return Status(202 if written.proposal else 200, _saved(written, memory.owner))


@router.operation(
    "POST",
    BASE + "/{path:path}/rename",
    Right.WRITE_OWN,
    example={"filename": "skills/greeting/SKILL.md"},
    extra={"parameters": [IF_MATCH]},
    errors=(409, 412),
)
def rename_file(
    request: Request,
    response: HttpResponse,
    agent_id: str,
    path: str,
    query: Query[schemas.OwnerQuery],
    body: FileRename,
) -> SaveResult:
    """Rename a file; its history is kept."""
    memory = acting_owner.writable(request.auth, agent_id, query.owner)
    with request.auth.write() as tx:
        file = _found(write.find(memory.at(path)), standing=True)
        written = write.rename(
            tx, file, body.filename, writer=request.auth.writer, expected=expected_by(request)
        )
    response["ETag"] = f'"{written.file.sha256}"'
    return _saved(written, memory.owner)


@router.operation("GET", BASE + "/{path:path}", Right.READ)
def read_file(
    request: Request,
    response: HttpResponse,
    agent_id: str,
    path: str,
    query: Query[schemas.OwnerQuery],
) -> FileText:
    """Read a file; the ETag is its SHA-256."""
    memory = acting_owner.readable(request.auth, agent_id, query.owner)
    file = _at(memory, path)
    if memory.owner is None and (file is None or file.deleted_at):
        file = global_file(memory.agent, path)  # what search finds can be read, too
    if file and not file.deleted_at:
        content = readable_file(file, request.auth.to).text
    elif whole := history_at(of_link(path), files_of(memory), request.auth.to):
        file, content, _months = whole
    file = _found(file, standing=True)
    response["ETag"] = f'"{file.sha256}"'
    uses = times_given(file) if is_learned(file.path) else None
    return FileText.of(file, **_named(file, memory.owner), content=content, uses=uses)


@router.operation(
    "PUT",
    BASE + "/{path:path}",
    Right.WRITE_OWN,
    leaves_out_unset=True,
    also=(201, 202),
    extra={
        "parameters": [
            IF_MATCH,
            header("If-None-Match", "`*`: write only if the file doesn't exist yet."),
        ]
    },
    errors=(409, 412, 413),
)
def write_file(
    request: Request,
    response: HttpResponse,
    agent_id: str,
    path: str,
    query: Query[schemas.OwnerQuery],
    body: FileWrite,
) -> Status[SaveResult]:
    """Create or replace a file."""
    memory = acting_owner.writable(request.auth, agent_id, query.owner)
    if len(body.content.encode()) > write.MAX_BYTES:
        raise Problem(413, "too_large", "A file may hold at most 1 MiB of text.")
    expected = expected_by(request)
    read_ahead(body.content, path)
    try:
        with request.auth.write() as tx:
            written = write.write(
                tx,
                memory.at(path),
                body.content,
                writer=body.typed_by(request.auth.writer),
                expected=expected,
                reason=body.reason,
            )
    except (Exists, FileMissing) as refused:
        raise _unmet(refused, expected) from None
    response["ETag"] = f'"{written.file.sha256}"'
    is_new = written.file.revision == 1 and written.changed
    return Status(
        202 if written.proposal else 201 if is_new else 200, _saved(written, memory.owner)
    )


@router.operation(
    "DELETE",
    BASE + "/{path:path}",
    Right.WRITE_OWN,
    status=204,
    extra={"parameters": [IF_MATCH]},
    errors=(412,),
)
def delete_file(
    request: Request, agent_id: str, path: str, query: Query[schemas.OwnerQuery]
) -> Status[None]:
    """Delete a file; its revisions can still be restored."""
    memory = acting_owner.writable(request.auth, agent_id, query.owner)
    with request.auth.write() as tx:
        file = _found(write.find(memory.at(path)), standing=True)
        write.delete(tx, file, writer=request.auth.writer, expected=expected_by(request))
    return Status(204, None)


def files_of(memory: Memory) -> Any:
    return memory.agent.files.of(*memory.key)


def _named(file: File, owner: Owner | None) -> dict[str, Any]:
    return {"filename": file.path, "owner": acting_owner.shown(owner, file.scope)}


def _of_then(past: Past, owner: Owner | None) -> FileOut:
    named = _named(past.file, owner) | {"filename": past.path, "updated_at": past.written_at}
    then = {"size": past.size, "sha256": past.sha256, "revision": past.number}
    return FileOut.of(past.file, **named, **then)


def _saved(written: write.WriteResult, owner: Owner | None) -> SaveResult:
    file = written.file
    return SaveResult.of(
        file, **_named(file, owner), changed=written.changed, **schemas.screened(written)
    )


def _file(memory: Memory, path: str) -> File:
    return _found(_at(memory, path))


def _at(memory: Memory, path: str) -> File | None:
    file = next(iter(files_at_path(*memory.key, fold(of_link(path)))), None)
    if file is not None:
        file.agent, file.owner = memory.agent, memory.owner
    return file


def _found(file: File | None, *, standing: bool = False) -> File:
    if file is None or (standing and file.deleted_at is not None):
        raise NotFound
    return file


def expected_by(request: Request) -> str | None:
    """What the caller saw: a hash, "" for nothing, None where it does not say."""
    if request.headers.get("If-None-Match") == "*":
        return ""
    match = request.headers.get("If-Match")
    return None if match is None else match.strip().removeprefix("W/").strip('"')


def _unmet(refused: Exists | FileMissing, expected: str | None) -> Exception:
    if expected is None:
        return refused
    return Problem(412, "stale", str(refused), members={"current": None})


def _author(revision: Revision) -> dict[str, Any]:
    return {"author_id": revision.user_id or revision.integration_id}


# Which files enter the prompt, and in which order.

prompt_files_router = Router(tags=["Files"])

PATH = "/agents/{agent_id}/workspace/prompt-files"


class PromptFile(schemas.Camel):
    filename: str
    enabled: bool
    sort_order: int
    owner: str


def _or_a_name(schema: dict[str, Any]) -> None:
    described = dict(schema)
    schema.clear()
    schema["anyOf"] = [described, {"type": "string", "maxLength": 256}]


class PromptFilePlace(schemas.RequestBody):
    """A name alone is a file that is injected."""

    model_config = ConfigDict(json_schema_extra=_or_a_name)

    filename: str = Field(max_length=256)
    enabled: schemas.Flag

    @model_validator(mode="before")
    @classmethod
    def _of_a_name(cls, value: object) -> object:
        return {"filename": value, "enabled": True} if isinstance(value, str) else value


class PromptFileOrder(schemas.RequestBody):
    """The files in their order. Files that are left out keep their switch and go to the end."""

    files: Annotated[list[PromptFilePlace], Field(max_length=1000)]


@prompt_files_router.operation("GET", PATH, Right.READ)
def list_prompt_files(
    request: Request, agent_id: str, query: Query[schemas.OwnerQuery]
) -> schemas.Items[PromptFile]:
    """List the files in their order."""
    return _items(acting_owner.readable(request.auth, agent_id, query.owner))


@prompt_files_router.operation("PUT", PATH, Right.WRITE_OWN)
def arrange_prompt_files(
    request: Request, agent_id: str, query: Query[schemas.OwnerQuery], body: PromptFileOrder
) -> schemas.Items[PromptFile]:
    """Set which files are in the prompt, and their order."""
    memory = acting_owner.writable(request.auth, agent_id, query.owner)
    check_arranging(request.auth.writer)
    order = [(position.filename, position.enabled) for position in body.files]
    if len(dict(order)) != len(order):
        raise Invalid("files", "List each file only once.")
    try:
        with request.auth.write() as tx:
            arrange(tx, memory, order)
    except FileMissing as missing:
        raise Invalid("files", str(missing)) from None
    return _items(memory)


def _items(memory: Memory) -> schemas.Items[PromptFile]:
    present = files_of(memory).present().order_by("sort_order", "folded_path")
    return schemas.Items[PromptFile](
        items=[
            PromptFile.of(file, filename=file.path, owner=acting_owner.shown(memory.owner))
            for file in present
        ]
    )
