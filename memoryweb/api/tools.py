"""The tools of an agent (SPEC §3.1), one row of `TOOLS` each: what it takes, does and answers.

Agent and owner come from the call, never from an argument.
"""

from typing import Any, Literal

from django.utils import timezone
from ninja import Status
from pydantic import Field

from memoryweb.agents.models import Agent, Reader
from memoryweb.api import acting_owner, fact_tools
from memoryweb.api.auth import Caller, Request, Right
from memoryweb.api.context import conversation_of
from memoryweb.api.routing import Router
from memoryweb.api.schemas import Camel, Flag, Whole, WriteOutcome, screened
from memoryweb.api.tool_calls import Answer, Call, Tool, WroteFile, wrote
from memoryweb.memory import tools
from memoryweb.memory.models import AuthorKind, File
from memoryweb.memory.models.writer import Transaction, Writer
from memoryweb.memory.tools import Acting, Step, Strategy

router = Router(tags=["Tools"])


class ListFiles(Call):
    filename_prefix: str = Field("", max_length=256)


class ListedFile(Camel):
    filename: str
    enabled: bool
    file_size: int
    owner: str


class FileList(Answer):
    count: int
    files: list[ListedFile]


def _list_files(acting: Acting, asked: ListFiles) -> dict[str, Any]:
    """List the memory files the owner can see."""
    files = [
        ListedFile.of(file, filename=file.path, file_size=file.size, owner=_owner(acting, file))
        for file in tools.list_files(acting, asked.filename_prefix)
    ]
    return {"count": len(files), "files": files}


class FileCall(Call):
    filename: str = Field(max_length=512)


class FileRead(Answer):
    filename: str
    enabled: bool
    content: str
    sha256: str


def _read_file(acting: Acting, asked: FileCall) -> dict[str, Any]:
    """Read a file: the owner's, else the shared one."""
    file, content = tools.read_file(acting, asked.filename)
    return {
        "filename": file.path,
        "enabled": file.enabled,
        "content": content,
        "sha256": file.sha256,
    }


class SearchNotes(Call):
    query: str = Field(max_length=1000)
    limit: Whole = Field(5, ge=1, le=50)


class NoteHit(Camel):
    date: str
    filename: str
    line_number: int
    snippet: str
    relevance: float = Field(description="0 to 1: how much of the query it answers.")


class NoteHits(Answer):
    query: str
    count: int
    entries: list[NoteHit]


def _memory_search(acting: Acting, asked: SearchNotes) -> dict[str, Any]:
    """Find text in the daily notes, newest first, then what answers a question, best first."""
    lines = tools.memory_search(acting, asked.query, asked.limit)
    entries = [
        NoteHit(
            date=str(line.file.note_date),
            filename=line.file.path,
            line_number=line.number,
            snippet=line.snippet,
            relevance=round(line.relevance, 4),
        )
        for line in lines
    ]
    return {"query": asked.query, "count": len(entries), "entries": entries}


class GetNote(Call):
    date: str = Field(max_length=10, examples=["today", "yesterday", "2026-11-20"])


class Note(Answer):
    date: str
    content: str


def _memory_get(acting: Acting, asked: GetNote) -> dict[str, Any]:
    """Read the daily note of a date."""
    day, content = tools.memory_get(acting, asked.date)
    return {"date": str(day), "content": content or f"No journal entry for {day}."}


class SearchWorkspace(Call):
    query: str = Field(max_length=1000)
    scope: Literal["", "own", "shared"] = Field(
        "", description="`own` or `shared` memory only. Default: both."
    )
    limit: Whole = Field(10, ge=1, le=50)


class WorkspaceHit(Camel):
    filename: str
    line_number: int
    snippet: str
    score: float
    relevance: float
    date: str | None
    until: str | None = Field(None, description="When what it says was over.")
    owner: str


class WorkspaceHits(Answer):
    query: str
    count: int
    hits: list[WorkspaceHit]


def _search_workspace(acting: Acting, asked: SearchWorkspace) -> dict[str, Any]:
    """Search the files the owner can see, best first."""
    found = tools.search_workspace(acting, asked.query, asked.scope, asked.limit)
    hits = [
        WorkspaceHit(
            filename=file.path,
            line_number=hit.line,
            snippet=hit.snippet,
            score=round(hit.score, 4),
            relevance=round(hit.relevance, 4),
            date=str(hit.date) if hit.date else None,
            until=str(hit.until) if hit.until else None,
            owner=_owner(acting, file),
        )
        for hit, file in found
    ]
    return {"query": asked.query, "count": len(hits), "hits": hits}


class WriteFile(FileCall):
    content: str


def _write_file(
    acting: Acting, asked: WriteFile, tx: Transaction, writer: Writer
) -> dict[str, Any]:
    """Write a file of the owner."""
    return wrote(tools.write_file(tx, acting, asked.filename, asked.content, writer=writer))


class EditFile(FileCall):
    old_text: str = Field(min_length=1)
    new_text: str
    replace_all: Flag = False


class EditedFile(Answer, WriteOutcome):
    filename: str
    replacements: int


def _edit_file(acting: Acting, asked: EditFile, tx: Transaction, writer: Writer) -> dict[str, Any]:
    """Replace text in a file of the owner."""
    written, count = tools.edit_file(
        tx,
        acting,
        asked.filename,
        asked.old_text,
        asked.new_text,
        writer=writer,
        replace_all=asked.replace_all,
    )
    return {"filename": written.file.path, "replacements": count, **screened(written)}


class Remember(Call):
    content: str = Field(min_length=1, max_length=8000)


class RememberResult(Answer, WriteOutcome):
    filename: str
    line_number: int
    duplicate: bool


def _remember(acting: Acting, asked: Remember, tx: Transaction, writer: Writer) -> dict[str, Any]:
    """Append one line to today's note."""
    made = tools.remember(tx, acting, asked.content, writer=writer)
    return {
        "filename": made.path,
        "line_number": made.line,
        "duplicate": made.written is None,
        **(screened(made.written) if made.written else {}),
    }


class WriteMemory(FileCall):
    """`append` and `overwrite` take `content`; `replace_section` takes `heading` and `content`;
    `upsert_kv` takes `key`, `value` and, if it shall stand under one, `heading`."""

    strategy: Strategy
    content: str | None = Field(None, description="Markdown.")
    heading: str = Field(
        "",
        max_length=tools.HEADING,
        description="`Plans`, or `## Plans` to name the level. A new one comes at the end; of two "
        "with one name, neither is taken.",
        examples=["Plans"],
    )
    key: str = Field("", max_length=tools.KEY, examples=["Check-in"])
    value: str | None = Field(None, max_length=8000, examples=["from 15:00"])


class WroteMemory(WroteFile):
    strategy: Strategy


def _write_memory(
    acting: Acting, asked: WriteMemory, tx: Transaction, writer: Writer
) -> dict[str, Any]:
    """Append text, replace a section, set a value, or overwrite a file."""
    step = Step(asked.strategy, asked.content, asked.heading, asked.key, asked.value)
    written = tools.write_memory(tx, acting, asked.filename, step, writer=writer)
    return {"strategy": asked.strategy, **wrote(written)}


TOOLS = (
    Tool("list_workspace_memory_files", FileList, _list_files),
    Tool("read_workspace_memory_file", FileRead, _read_file),
    Tool("write_workspace_memory_file", WroteFile, _write_file, writes=True, repeats=True),
    Tool("edit_workspace_memory_file", EditedFile, _edit_file, writes=True),
    Tool("remember", RememberResult, _remember, writes=True, adds=True, repeats=True),
    Tool("memory_search", NoteHits, _memory_search),
    Tool("memory_get", Note, _memory_get),
    Tool("search_workspace_memory", WorkspaceHits, _search_workspace),
    Tool("write_memory", WroteMemory, _write_memory, writes=True),
    *fact_tools.TOOLS,
)


def acting_of(caller: Caller, agent: Agent, asked: Call) -> Acting:
    owner = acting_owner.acting(caller, asked, room=asked.conversation_id or "")
    conversation = conversation_of(agent, owner, asked.conversation_id)
    return Acting(Reader(agent, owner), timezone.now(), conversation, caller.token)


def call(tool: Tool, caller: Caller, acting: Acting, asked: Call) -> Camel:
    agent_id = str(acting.reader.agent.pk)
    if not tool.writes:
        return tool.answer(agent_id=agent_id, **tool.run(acting, asked))
    caller.require_for(acting.writes_for, Right.WRITE)
    if tool.begins:
        made = tool.run(acting, asked, caller.write, writer_of(caller, acting))
    else:
        with caller.write() as tx:
            made = tool.run(acting, asked, tx, writer_of(caller, acting))
    return tool.answer(agent_id=agent_id, **made)


def writer_of(caller: Caller, acting: Acting) -> Writer:
    return Writer(
        AuthorKind.AGENT,
        user=caller.user,
        integration=caller.integration,
        token=caller.token,
        conversation_id=acting.conversation.pk if acting.conversation else None,
        is_tool=True,
        speaker=acting.reader.owner,
    )


def _owner(acting: Acting, file: File) -> str:
    return acting_owner.shown(acting.reader.owner if file.owner_id else None, file.scope)


def _add_endpoint(tool: Tool) -> None:
    def endpoint(request: Request, agent_id: str, body: Any) -> Status[Camel]:
        caller = request.auth
        acting = acting_of(caller, caller.agent(agent_id), body)
        answer = call(tool, caller, acting, body)
        return Status(202 if getattr(answer, "proposal", None) else 200, answer)

    # The schemas and the summary are read off the function, and the operation is named by it.
    endpoint.__name__, endpoint.__doc__ = tool.name, tool.run.__doc__
    endpoint.__annotations__ |= {
        "body": tool.takes,
        "return": Status[tool.answer],  # type: ignore[name-defined]
    }
    router.operation(
        "POST",
        f"/agents/{{agent_id}}/tools/{tool.name}",
        tool.right,
        also=(202,) if tool.writes else (),
        errors=(409,) if tool.writes else (),
        leaves_out_unset=tool.writes,
    )(endpoint)


for _tool in TOOLS:
    _add_endpoint(_tool)
