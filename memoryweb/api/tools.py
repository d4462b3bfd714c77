"""The tools of an agent (SPEC §3.1). Agent and owner come from the call, never from an argument."""

from typing import Literal, TypeVar

from django.utils import timezone
from ninja import Router, Status
from pydantic import Field

from memoryweb.accounts.permissions import Permission, Scope
from memoryweb.agents.models import Agent
from memoryweb.agents.readers import Reader
from memoryweb.api import acting_owner
from memoryweb.api.auth import Caller, Request
from memoryweb.api.context import conversation_of
from memoryweb.api.operations import operation
from memoryweb.api.schemas import Camel, Flag, OwnerFields, Screened, Whole
from memoryweb.memory import tools
from memoryweb.memory.transaction import unit
from memoryweb.memory.write import Writer
from memoryweb.workspace.models import AuthorKind

S = TypeVar("S", bound=Screened)
router = Router(tags=["Tools"])

BASE = "/agents/{agent_id}/tools"
AGENT_ID = "0a9c4c1e-7f0e-4a53-9c5e-6f6c7f6f1b11"
HASH = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"


class Call(OwnerFields):
    conversation_id: str | None = Field(
        None,
        max_length=255,
        description="The conversation that the agent is in; without it no recall is counted.",
    )


class ListFiles(Call):
    filename_prefix: str = Field("", max_length=256)


class ListedFile(Camel):
    filename: str
    enabled: bool
    file_size: int
    owner: str


class FileList(Camel):
    agent_id: str
    count: int
    files: list[ListedFile]


class FileCall(Call):
    filename: str = Field(max_length=512)


class FileRead(Camel):
    agent_id: str
    filename: str
    enabled: bool
    content: str
    sha256: str


class WriteFile(FileCall):
    content: str


class WroteFile(Screened):
    agent_id: str
    filename: str
    sha256: str
    changed: bool


class EditFile(FileCall):
    old_text: str = Field(min_length=1)
    new_text: str
    replace_all: Flag = False


class EditedFile(Screened):
    agent_id: str
    filename: str
    replacements: int


class Remember(Call):
    content: str = Field(min_length=1, max_length=8000)


class Remembered(Screened):
    agent_id: str
    filename: str
    line_number: int
    duplicate: bool


class SearchNotes(Call):
    query: str = Field(max_length=1000)
    limit: Whole = Field(5, ge=1, le=50)


class NoteHit(Camel):
    date: str
    filename: str
    line_number: int
    snippet: str


class NoteHits(Camel):
    agent_id: str
    query: str
    count: int
    entries: list[NoteHit]


class GetNote(Call):
    date: str = Field(max_length=10, examples=["today", "yesterday", "2026-11-20"])


class Note(Camel):
    agent_id: str
    date: str
    content: str


class SearchWorkspace(Call):
    query: str = Field(max_length=1000)
    scope: Literal["", "own", "shared"] = Field("", description="Empty: all that is visible.")
    limit: Whole = Field(10, ge=1, le=50)


class WorkspaceHit(Camel):
    filename: str
    line_number: int
    snippet: str
    score: float
    date: str | None
    owner: str


class WorkspaceHits(Camel):
    agent_id: str
    query: str
    count: int
    hits: list[WorkspaceHit]


@router.post(
    BASE + "/list_workspace_memory_files",
    **operation(
        FileList,
        summary="List the memory files that the owner sees",
        takes=(Permission.READ, Scope.MEMORY_READ),
        example={
            "agentId": AGENT_ID,
            "count": 1,
            "files": [
                {"filename": "MEMORY.md", "enabled": True, "fileSize": 41, "owner": "shared"}
            ],
        },
        body={"endUserId": "42", "filenamePrefix": "memory/"},
    ),
)
def list_workspace_memory_files(request: Request, agent_id: str, body: ListFiles) -> FileList:
    return FileList(**tools.list_files(_reading(request, agent_id, body), body.filename_prefix))


@router.post(
    BASE + "/read_workspace_memory_file",
    **operation(
        FileRead,
        summary="Read a file: the owner's, else the shared one",
        takes=(Permission.READ, Scope.MEMORY_READ),
        example={
            "agentId": AGENT_ID,
            "filename": "MEMORY.md",
            "enabled": True,
            "content": "# Memory\n\n- Breakfast ends at half past ten.\n",
            "sha256": HASH,
        },
        body={"endUserId": "42", "filename": "MEMORY.md", "conversationId": "c-17"},
    ),
)
def read_workspace_memory_file(request: Request, agent_id: str, body: FileCall) -> FileRead:
    return FileRead(**tools.read_file(_reading(request, agent_id, body), body.filename))


@router.post(
    BASE + "/write_workspace_memory_file",
    **operation(
        WroteFile,
        also={202: WroteFile},
        leaves_out_unset=True,
        summary="Replace a file of the acting owner",
        takes=(Permission.WRITE, Scope.MEMORY_WRITE),
        example={
            "agentId": AGENT_ID,
            "filename": "KNOWLEDGE.md",
            "sha256": HASH,
            "changed": True,
        },
        body={"endUserId": "42", "filename": "KNOWLEDGE.md", "content": "# Allergies\n\n- Nuts\n"},
        errors=(409,),
    ),
)
def write_workspace_memory_file(
    request: Request, agent_id: str, body: WriteFile
) -> Status[WroteFile]:
    acting = writing(request, agent_id, body)
    with unit(request.auth.team, actor=request.auth.actor) as work:
        answer = tools.write_file(
            work, acting, body.filename, body.content, writer=writer_of(request.auth, acting)
        )
    return answered(WroteFile(**answer))


@router.post(
    BASE + "/edit_workspace_memory_file",
    **operation(
        EditedFile,
        also={202: EditedFile},
        leaves_out_unset=True,
        summary="Replace text within a file of the acting owner",
        takes=(Permission.WRITE, Scope.MEMORY_WRITE),
        example={"agentId": AGENT_ID, "filename": "KNOWLEDGE.md", "replacements": 1},
        body={
            "endUserId": "42",
            "filename": "KNOWLEDGE.md",
            "oldText": "- Nuts",
            "newText": "- Nuts, shellfish",
        },
        errors=(409,),
    ),
)
def edit_workspace_memory_file(
    request: Request, agent_id: str, body: EditFile
) -> Status[EditedFile]:
    acting = writing(request, agent_id, body)
    with unit(request.auth.team, actor=request.auth.actor) as work:
        answer = tools.edit_file(
            work,
            acting,
            body.filename,
            body.old_text,
            body.new_text,
            writer=writer_of(request.auth, acting),
            replace_all=body.replace_all,
        )
    return answered(EditedFile(**answer))


@router.post(
    BASE + "/remember",
    **operation(
        Remembered,
        also={202: Remembered},
        leaves_out_unset=True,
        summary="Append one line to today's note",
        takes=(Permission.WRITE, Scope.MEMORY_WRITE),
        example={
            "agentId": AGENT_ID,
            "filename": "memory/2026-11-20.md",
            "lineNumber": 7,
            "duplicate": False,
        },
        body={"endUserId": "42", "content": "Prefers a room on a high floor."},
        errors=(409,),
    ),
)
def remember(request: Request, agent_id: str, body: Remember) -> Status[Remembered]:
    acting = writing(request, agent_id, body)
    with unit(request.auth.team, actor=request.auth.actor) as work:
        answer = tools.remember(work, acting, body.content, writer=writer_of(request.auth, acting))
    return answered(Remembered(**answer))


@router.post(
    BASE + "/memory_search",
    **operation(
        NoteHits,
        summary="Find text in the daily notes, newest first",
        takes=(Permission.READ, Scope.MEMORY_READ),
        example={
            "agentId": AGENT_ID,
            "query": "high floor",
            "count": 1,
            "entries": [
                {
                    "date": "2026-11-20",
                    "filename": "memory/2026-11-20.md",
                    "lineNumber": 7,
                    "snippet": "- 09:12 Prefers a room on a high floor.",
                }
            ],
        },
        body={"endUserId": "42", "query": "high floor", "conversationId": "c-17"},
    ),
)
def memory_search(request: Request, agent_id: str, body: SearchNotes) -> NoteHits:
    acting = _reading(request, agent_id, body)
    return NoteHits(**tools.memory_search(acting, body.query, body.limit))


@router.post(
    BASE + "/memory_get",
    **operation(
        Note,
        summary="Read the journal of a date",
        takes=(Permission.READ, Scope.MEMORY_READ),
        example={
            "agentId": AGENT_ID,
            "date": "2026-11-20",
            "content": "# 2026-11-20\n\n- 09:12 Prefers a room on a high floor.\n",
        },
        body={"endUserId": "42", "date": "yesterday"},
    ),
)
def memory_get(request: Request, agent_id: str, body: GetNote) -> Note:
    return Note(**tools.memory_get(_reading(request, agent_id, body), body.date))


@router.post(
    BASE + "/search_workspace_memory",
    **operation(
        WorkspaceHits,
        summary="Search the files that the owner sees, best first",
        takes=(Permission.READ, Scope.MEMORY_READ),
        example={
            "agentId": AGENT_ID,
            "query": "breakfast",
            "count": 1,
            "hits": [
                {
                    "filename": "MEMORY.md",
                    "lineNumber": 3,
                    "snippet": "Breakfast ends at half past ten.",
                    "score": 2.1,
                    "date": None,
                    "owner": "shared",
                }
            ],
        },
        body={"endUserId": "42", "query": "breakfast"},
    ),
)
def search_workspace_memory(
    request: Request, agent_id: str, body: SearchWorkspace
) -> WorkspaceHits:
    acting = _reading(request, agent_id, body)
    return WorkspaceHits(**tools.search_workspace(acting, body.query, body.scope, body.limit))


def _reading(request: Request, agent_id: str, call: Call) -> tools.Acting:
    agent = request.auth.agent(agent_id)
    request.auth.require(Permission.READ, Scope.MEMORY_READ)
    return _acting(request.auth, agent, call)


def answered(said: S) -> Status[S]:
    """202 for what a person has to accept first."""
    return Status(202 if said.proposal else 200, said)


def writing(request: Request, agent_id: str, call: Call) -> tools.Acting:
    """A write for oneself needs no role; one that lands in the shared memory does."""
    agent = request.auth.agent(agent_id)
    request.auth.require_scope(Scope.MEMORY_WRITE)
    acting = _acting(request.auth, agent, call)
    if acting.writes_for is None:
        request.auth.require(Permission.WRITE, Scope.MEMORY_WRITE)
    return acting


def _acting(caller: Caller, agent: Agent, call: Call) -> tools.Acting:
    owner = acting_owner.acting(caller, call, room=call.conversation_id or "")
    conversation = conversation_of(agent, owner, call.conversation_id)
    return tools.Acting(
        Reader(agent, owner),
        timezone.now(),
        conversation,
        caller.token,
    )


def writer_of(caller: Caller, acting: tools.Acting) -> Writer:
    return Writer(
        AuthorKind.AGENT,
        user=caller.user,
        integration=caller.integration,
        token=caller.token,
        conversation_id=acting.conversation.pk if acting.conversation else None,
        is_tool=True,
        speaker=acting.reader.owner,
    )
