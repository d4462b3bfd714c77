"""The tools of `api/tools.py` as MCP lists and calls them, and those that other clients know."""

import json
from collections.abc import Mapping
from functools import cache
from typing import Any, Literal

from django.utils import timezone
from pydantic import Field
from pydantic.json_schema import GenerateJsonSchema

from memoryweb.api import tools
from memoryweb.api.context import serve
from memoryweb.api.domain_errors import REFUSALS
from memoryweb.api.mcp.memory_commands import CommandAnswer, run_command
from memoryweb.api.mcp.messages import INVALID_PARAMS, RESOURCE_MISSING, Host, Refused
from memoryweb.api.problems import Invalid, Problem
from memoryweb.api.request_bodies import parse
from memoryweb.api.schemas import Camel, RequestBody, Whole
from memoryweb.api.tool_calls import Call, Tool
from memoryweb.markdown.paths import HOME as HOME
from memoryweb.markdown.paths import kind_of, note_path
from memoryweb.memory import tools as memory_tools
from memoryweb.memory.models import File
from memoryweb.memory.models.refusals import FileMissing
from memoryweb.memory.tools import Acting

# Tools in the shapes that clients bring along: OpenClaw's `memory_search` and `memory_get`, the
# `search` and `fetch` of ChatGPT's connectors, and Anthropic's `memory`.

_SNIPPET = 700


class SearchMemory(Call):
    query: str = Field(max_length=1000)
    max_results: Whole = Field(6, ge=1, le=50)
    min_score: float = Field(0, ge=0, le=1, description="Of 0 to 1: how much it must answer.")
    corpus: Literal["memory", "sessions", "wiki", "all"] = Field(
        "memory", description="Found here are files: `memory`, or `all`."
    )


class MemoryHit(Camel):
    path: str
    start_line: int
    end_line: int
    score: float
    snippet: str
    source: str = "memory"
    corpus: str = "memory"


class MemoryHits(Camel):
    results: list[MemoryHit]


def _search_memory(acting: Acting, asked: SearchMemory) -> dict[str, Any]:
    """Search everything that is remembered, best first. Do this before you answer about the person,
    earlier work, decisions, dates or preferences. Read more of a hit with memory_get."""
    if asked.corpus not in {"memory", "all"}:
        return {"results": []}
    found = memory_tools.search_workspace(acting, asked.query, "", asked.max_results)
    results = [
        MemoryHit(
            path=file.path,
            start_line=hit.line,
            end_line=hit.end_line,
            score=round(hit.relevance, 4),
            snippet=hit.text[:_SNIPPET],
        )
        for hit, file in found
        if hit.relevance >= asked.min_score
    ]
    return {"results": results}


class GetMemory(Call):
    path: str = Field("", max_length=512, examples=["MEMORY.md", "memory/2026-11-20.md"])
    date: str = Field(
        "", max_length=10, description="`today`, `yesterday` or a date: its note, for a path."
    )
    from_: Whole = Field(1, ge=1, alias="from", description="The first line.")
    lines: Whole | None = Field(None, ge=1, description="How many. Default: all.")


class MemoryPart(Camel):
    path: str
    text: str
    from_: int | None = Field(None, alias="from")


def _get_memory(acting: Acting, asked: GetMemory) -> dict[str, Any]:
    """Read a file, or some of its lines. Of a file that isn't there the text is empty."""
    if bool(asked.path) == bool(asked.date):
        raise Invalid("path", "Send either a path or a date.")
    if asked.date:
        day, text = memory_tools.memory_get(acting, asked.date)
        path = note_path(day)
    else:
        path, text = asked.path, _text(acting, asked.path)
    first = asked.from_ - 1
    part = text.split("\n")[first : None if asked.lines is None else first + asked.lines]
    is_part = bool(text) and (first or asked.lines)
    return {
        "path": path,
        "text": "\n".join(part),
        "from_": asked.from_ if is_part else None,
    }


def _text(acting: Acting, path: str) -> str:
    try:
        return memory_tools.read_file(acting, path)[1]
    except FileMissing:
        return ""


class Find(Call):
    query: str = Field(max_length=1000)


class FoundDocument(Camel):
    id: str
    title: str
    url: str


class FoundDocuments(Camel):
    results: list[FoundDocument]


def _find(acting: Acting, asked: Find) -> dict[str, Any]:
    """Find the files of memory that answer a question, best first. Read one with fetch."""
    found = memory_tools.search_workspace(acting, asked.query)
    titles: dict[str, str] = {}
    for hit, file in found:
        titles.setdefault(file.path, f"{file.path}: {hit.snippet}")
    results = [
        FoundDocument(id=path, title=title, url=ROOT + path) for path, title in titles.items()
    ]
    return {"results": results}


class Fetch(Call):
    id: str = Field(max_length=512, description="Of a result of search.")


class Document(Camel):
    id: str
    title: str
    text: str
    url: str
    metadata: dict[str, str]


def _fetch(acting: Acting, asked: Fetch) -> dict[str, Any]:
    """Read a file that search found."""
    file, text = memory_tools.read_file(acting, asked.id)
    updated = file.updated_at.astimezone(timezone.get_default_timezone()).date()
    return {
        "id": file.path,
        "title": file.path,
        "text": text,
        "url": ROOT + file.path,
        "metadata": {"updated": str(updated)},
    }


KNOWN = (
    Tool("memory_search", MemoryHits, _search_memory),
    Tool("memory_get", MemoryPart, _get_memory),
    Tool("search", FoundDocuments, _find),
    Tool("fetch", Document, _fetch),
    Tool("memory", CommandAnswer, run_command, writes=True, begins=True),
)


# A name that clients know already has the shape that they know.
TOOLS: Mapping[str, Tool] = {tool.name: tool for tool in (*tools.TOOLS, *KNOWN)}
_OF_HOST = {field.alias or name for name, field in Call.model_fields.items()}


def listed(host: Host) -> list[dict[str, Any]]:
    """Those that the token's scopes allow."""
    return [
        _tool_listing(tool) for tool in TOOLS.values() if tool.right.scope in host.caller.scopes
    ]


def call(host: Host, name: object, arguments: object) -> dict[str, Any]:
    """What a model got wrong stands in the result, where it reads it. Raises Refused."""
    tool = TOOLS.get(name) if isinstance(name, str) else None
    if tool is None:
        raise Refused(INVALID_PARAMS, "There is no such tool.")
    if not isinstance(arguments, dict):
        raise Refused(INVALID_PARAMS, "The arguments of a tool are a JSON object.")
    acting = host.acting()
    try:
        host.caller.require(tool.right)
        _check_names(arguments)
        asked = parse(tool.takes, arguments | host.about)
        answer = tools.call(tool, host.caller, acting, asked)
    except REFUSALS as refused:
        return _content(str(host.problem(refused).detail)) | {"isError": True}
    if isinstance(answer, CommandAnswer):
        return _content(answer.text) | {"isError": False}
    given = answer.model_dump(
        mode="json", by_alias=True, exclude_none=True, exclude_unset=tool.writes
    )
    text = json.dumps(given, ensure_ascii=False)
    return _content(text) | {"structuredContent": given, "isError": False}


def _tool_listing(tool: Tool) -> dict[str, Any]:
    hints = {"readOnlyHint": not tool.writes, "openWorldHint": False}
    if tool.writes:
        hints |= {"destructiveHint": not tool.adds, "idempotentHint": tool.repeats}
    return {
        "name": tool.name,
        "description": " ".join((tool.run.__doc__ or "").split()),
        "inputSchema": _schema(tool.takes),
        "annotations": hints,
    }


class _Untitled(GenerateJsonSchema):
    """A title that only repeats its name costs every client's model its tokens."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False


@cache
def _schema(takes: type[Call]) -> dict[str, Any]:
    """Without what the host says for every call."""
    schema = takes.model_json_schema(schema_generator=_Untitled)
    del schema["title"]
    schema["properties"] = {
        name: shape for name, shape in schema["properties"].items() if name not in _OF_HOST
    }
    return schema


def _content(text: str) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": text}]}


def _check_names(arguments: dict[str, Any]) -> None:
    for name in arguments:
        if name in _OF_HOST:
            raise Invalid(name, f"“{name}” is said by the host, never by an argument.")


# The workspace as resources: `memory://root`, and below it each file under its path.

ROOT = f"{HOME}/"
_MARKDOWN = "text/markdown"
_SUMMARY = "memory_summary.md"


def listed_resources(host: Host) -> list[dict[str, Any]]:
    """What a client may put into a conversation by itself; other files are read by their path."""
    paths = [file.path for file in memory_tools.list_files(host.reading())]
    shown = [path for path in paths if kind_of(path).is_offered and path != _SUMMARY]
    named = {HOME: "memory", **{ROOT + path: path for path in shown}}
    return [{"uri": uri, "name": name, "mimeType": _MARKDOWN} for uri, name in named.items()]


def templates() -> list[dict[str, Any]]:
    return [
        {
            "uriTemplate": ROOT + "{+path}",
            "name": "file",
            "description": "A Markdown file of memory, by its path.",
            "mimeType": _MARKDOWN,
        }
    ]


def read_resource(host: Host, uri: object) -> dict[str, Any]:
    """Raises Refused."""
    acting = host.reading()
    text = _resource_text(acting, uri) if isinstance(uri, str) else None
    if text is None:
        raise Refused(RESOURCE_MISSING, "There is no such resource.", {"uri": str(uri)[:512]})
    return {"contents": [{"uri": uri, "mimeType": _MARKDOWN, "text": text}]}


def _resource_text(acting: Acting, uri: str) -> str | None:
    if uri.rstrip("/") == HOME:
        return _home(acting)
    if not uri.startswith(ROOT):
        return None
    try:
        return memory_tools.read_file(acting, uri)[1]
    except REFUSALS:
        return None


def _home(acting: Acting) -> str:
    try:
        summary = memory_tools.read_file(acting, _SUMMARY)[1].rstrip("\n") + "\n\n"
    except FileMissing:
        summary = ""
    paths = dict.fromkeys(file.path for file in memory_tools.list_files(acting) if _is_named(file))
    return summary + "".join(f"- [{path}]({ROOT}{path})\n" for path in paths)


def _is_named(file: File) -> bool:
    """Clients load this list by themselves, and a token calls its files as it likes: of shared ones
    those whose names are ours or that a person let into the prompt. Tools list them all."""
    kind = kind_of(file.path)
    is_ours = kind.is_core or kind.is_offered or file.note_date is not None
    return is_ours or file.enabled or file.owner_id is not None


# Prompts that a person picks in their client: what is remembered, put before a question.

_ABOUT_ME, _BEFORE = "what_do_you_know_about_me", "before_you_answer"
_TITLES: Mapping[str, str] = {
    _ABOUT_ME: "What do you know about me?",
    _BEFORE: "Before you answer",
}


class _Nothing(RequestBody):
    pass


class _Message(RequestBody):
    message: str = Field(min_length=1, max_length=262_144)


def listed_prompts() -> list[dict[str, Any]]:
    about_me = "Tells what is remembered about you."
    before = "Puts what is remembered before a message, and then the message."
    message = {"name": "message", "description": "Your message.", "required": True}
    return [
        {"name": _ABOUT_ME, "title": _TITLES[_ABOUT_ME], "description": about_me},
        {
            "name": _BEFORE,
            "title": _TITLES[_BEFORE],
            "description": before,
            "arguments": [message],
        },
    ]


def get(host: Host, name: object, arguments: object) -> dict[str, Any]:
    """Raises Refused."""
    if not isinstance(name, str) or name not in _TITLES:
        raise Refused(INVALID_PARAMS, "There is no such prompt.")
    if not isinstance(arguments, dict):
        raise Refused(INVALID_PARAMS, "The arguments of a prompt are a JSON object.")
    acting = host.reading()
    built = serve(host.caller, acting.reader, _message(name, arguments), acting.conversation)
    texts = [("user", built.system)] if built.system else []
    texts += [(turn.role, turn.content) for turn in built.messages]
    messages = [{"role": role, "content": {"type": "text", "text": text}} for role, text in texts]
    return {"description": _TITLES[name], "messages": messages}


def _message(name: str, arguments: dict[str, Any]) -> str:
    try:
        if name == _BEFORE:
            return parse(_Message, arguments).message
        parse(_Nothing, arguments)
    except Problem as problem:
        raise Refused(INVALID_PARAMS, problem.detail) from None
    return _TITLES[_ABOUT_ME]
