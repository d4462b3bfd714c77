"""The tools of an agent (SPEC §3.1), one row of `TOOLS` each: what it takes, does and answers.

Agent and owner come from the call, never from an argument.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.utils import timezone
from ninja import Status

from memoryweb.agents.readers import Reader
from memoryweb.api import acting_owner
from memoryweb.api.auth import Caller, Request, Right
from memoryweb.api.context import conversation_of
from memoryweb.api.routing import Router
from memoryweb.api.schemas import screened
from memoryweb.api.tool_schemas import (
    Answer,
    Call,
    EditedFile,
    EditFile,
    FileCall,
    FileList,
    FileRead,
    GetNote,
    ListedFile,
    ListFiles,
    Note,
    NoteHit,
    NoteHits,
    Remember,
    Remembered,
    SearchNotes,
    SearchWorkspace,
    WorkspaceHit,
    WorkspaceHits,
    WriteFile,
    WriteMemory,
    WroteFile,
    WroteMemory,
)
from memoryweb.memory import section_writing, tools
from memoryweb.memory.section_writing import Step
from memoryweb.memory.tools import Acting
from memoryweb.memory.transaction import Transaction, write_transaction
from memoryweb.memory.write import Writer, Written
from memoryweb.workspace.models import AuthorKind, File

router = Router(tags=["Tools"])


def _list_files(acting: Acting, asked: ListFiles) -> dict[str, Any]:
    files = [
        ListedFile.of(file, filename=file.path, file_size=file.size, owner=_owner(acting, file))
        for file in tools.list_files(acting, asked.filename_prefix)
    ]
    return {"count": len(files), "files": files}


def _read_file(acting: Acting, asked: FileCall) -> dict[str, Any]:
    file, content = tools.read_file(acting, asked.filename)
    return {
        "filename": file.path,
        "enabled": file.enabled,
        "content": content,
        "sha256": file.sha256,
    }


def _memory_search(acting: Acting, asked: SearchNotes) -> dict[str, Any]:
    lines = tools.memory_search(acting, asked.query, asked.limit)
    entries = [
        NoteHit(
            date=str(line.file.note_date),
            filename=line.file.path,
            line_number=line.number,
            snippet=line.snippet,
        )
        for line in lines
    ]
    return {"query": asked.query, "count": len(entries), "entries": entries}


def _memory_get(acting: Acting, asked: GetNote) -> dict[str, Any]:
    day, content = tools.memory_get(acting, asked.date)
    return {"date": str(day), "content": content or f"No journal entry for {day}."}


def _search_workspace(acting: Acting, asked: SearchWorkspace) -> dict[str, Any]:
    found = tools.search_workspace(acting, asked.query, asked.scope, asked.limit)
    hits = [
        WorkspaceHit(
            filename=file.path,
            line_number=hit.line,
            snippet=hit.snippet,
            score=round(hit.score, 4),
            date=str(hit.date) if hit.date else None,
            owner=_owner(acting, file),
        )
        for hit, file in found
    ]
    return {"query": asked.query, "count": len(hits), "hits": hits}


def _write_file(
    acting: Acting, asked: WriteFile, work: Transaction, writer: Writer
) -> dict[str, Any]:
    written = tools.write_file(work, acting, asked.filename, asked.content, writer=writer)
    return _written(written)


def _edit_file(
    acting: Acting, asked: EditFile, work: Transaction, writer: Writer
) -> dict[str, Any]:
    written, count = tools.edit_file(
        work,
        acting,
        asked.filename,
        asked.old_text,
        asked.new_text,
        writer=writer,
        replace_all=asked.replace_all,
    )
    return {"filename": written.file.path, "replacements": count, **screened(written)}


def _remember(acting: Acting, asked: Remember, work: Transaction, writer: Writer) -> dict[str, Any]:
    made = tools.remember(work, acting, asked.content, writer=writer)
    return {
        "filename": made.path,
        "line_number": made.line,
        "duplicate": made.written is None,
        **(screened(made.written) if made.written else {}),
    }


def _write_memory(
    acting: Acting, asked: WriteMemory, work: Transaction, writer: Writer
) -> dict[str, Any]:
    step = Step(asked.strategy, asked.content, asked.heading, asked.key, asked.value)
    written = section_writing.write_memory(work, acting, asked.filename, step, writer=writer)
    return {"strategy": asked.strategy, **_written(written)}


@dataclass(frozen=True)
class Tool:
    """`run` is given who acts and the arguments, where the tool writes also the transaction and
    the writer; it returns the fields of the answer. `body` is an example of a call."""

    name: str
    summary: str
    arguments: type[Call]
    answer: type[Answer]
    run: Callable[..., dict[str, Any]]
    body: dict[str, Any]
    writes: bool = False
    is_destructive: bool = False

    @property
    def takes(self) -> Right:
        return Right.WRITE_OWN if self.writes else Right.READ

    @property
    def annotations(self) -> dict[str, bool]:
        """What the Model Context Protocol lets a client know before it calls a tool."""
        return {
            "readOnlyHint": not self.writes,
            "destructiveHint": self.is_destructive,
            "openWorldHint": False,
        }


TOOLS = (
    Tool(
        "list_workspace_memory_files",
        "List the memory files the owner can see",
        ListFiles,
        FileList,
        _list_files,
        {"endUserId": "42", "filenamePrefix": "memory/"},
    ),
    Tool(
        "read_workspace_memory_file",
        "Read a file: the owner's, else the shared one",
        FileCall,
        FileRead,
        _read_file,
        {"endUserId": "42", "filename": "MEMORY.md", "conversationId": "c-17"},
    ),
    Tool(
        "write_workspace_memory_file",
        "Write a file of the owner",
        WriteFile,
        WroteFile,
        _write_file,
        {"endUserId": "42", "filename": "KNOWLEDGE.md", "content": "# Allergies\n\n- Nuts\n"},
        writes=True,
        is_destructive=True,
    ),
    Tool(
        "edit_workspace_memory_file",
        "Replace text in a file of the owner",
        EditFile,
        EditedFile,
        _edit_file,
        {
            "endUserId": "42",
            "filename": "KNOWLEDGE.md",
            "oldText": "- Nuts",
            "newText": "- Nuts, shellfish",
        },
        writes=True,
        is_destructive=True,
    ),
    Tool(
        "remember",
        "Append one line to today's note",
        Remember,
        Remembered,
        _remember,
        {"endUserId": "42", "content": "Prefers a room on a high floor."},
        writes=True,
    ),
    Tool(
        "memory_search",
        "Find text in the daily notes, newest first",
        SearchNotes,
        NoteHits,
        _memory_search,
        {"endUserId": "42", "query": "high floor", "conversationId": "c-17"},
    ),
    Tool(
        "memory_get",
        "Read the daily note of a date",
        GetNote,
        Note,
        _memory_get,
        {"endUserId": "42", "date": "yesterday"},
    ),
    Tool(
        "search_workspace_memory",
        "Search the files the owner can see, best first",
        SearchWorkspace,
        WorkspaceHits,
        _search_workspace,
        {"endUserId": "42", "query": "breakfast"},
    ),
    Tool(
        "write_memory",
        "Append text, replace a section, set a value, or overwrite a file",
        WriteMemory,
        WroteMemory,
        _write_memory,
        {
            "endUserId": "42",
            "filename": "MEMORY.md",
            "strategy": "upsert_kv",
            "heading": "House rules",
            "key": "Check-in",
            "value": "from 15:00",
        },
        writes=True,
        is_destructive=True,
    ),
)


def call(tool: Tool, caller: Caller, agent_id: str, asked: Call) -> Answer:
    agent = caller.agent(agent_id)
    owner = acting_owner.acting(caller, asked, room=asked.conversation_id or "")
    conversation = conversation_of(agent, owner, asked.conversation_id)
    acting = Acting(Reader(agent, owner), timezone.now(), conversation, caller.token)
    if not tool.writes:
        return tool.answer(agent_id=str(agent.pk), **tool.run(acting, asked))
    if acting.writes_for is None:  # lands in the shared memory
        caller.require(Right.WRITE)
    with write_transaction(caller.team, actor=caller.actor) as work:
        made = tool.run(acting, asked, work, _writer(caller, acting))
    return tool.answer(agent_id=str(agent.pk), **made)


def _writer(caller: Caller, acting: Acting) -> Writer:
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


def _written(written: Written) -> dict[str, Any]:
    file = {"filename": written.file.path, "sha256": written.file.sha256}
    return {**file, "changed": written.changed, **screened(written)}


def _add_endpoint(tool: Tool) -> None:
    def endpoint(request: Request, agent_id: str, body: Any) -> Status[Answer]:
        answer = call(tool, request.auth, agent_id, body)
        return Status(202 if getattr(answer, "proposal", None) else 200, answer)

    # django-ninja reads the body's schema off the signature, and names the operation by it.
    endpoint.__name__ = tool.name
    endpoint.__annotations__["body"] = tool.arguments
    router.operation(
        "POST",
        f"/agents/{{agent_id}}/tools/{tool.name}",
        tool.answer,
        tool.summary,
        takes=tool.takes,
        body=tool.body,
        also=(202,) if tool.writes else (),
        errors=(409,) if tool.writes else (),
        leaves_out_unset=tool.writes,
    )(endpoint)


for _tool in TOOLS:
    _add_endpoint(_tool)
