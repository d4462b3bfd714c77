"""The workspace as resources: `memory://root`, and below it each file under its path."""

from collections.abc import Mapping
from typing import Any

from pydantic import Field

from memoryweb.api.context import serve
from memoryweb.api.domain_errors import REFUSALS
from memoryweb.api.exceptions import Problem
from memoryweb.api.mcp.messages import INVALID_PARAMS, RESOURCE_MISSING, Host, Refused
from memoryweb.api.request_bodies import parse
from memoryweb.api.schemas import RequestBody
from memoryweb.markdown.paths import kind_of
from memoryweb.memory import tools
from memoryweb.memory.models import File
from memoryweb.memory.models.refusals import FileMissing
from memoryweb.memory.tools import Acting

HOME = "memory://root"
ROOT = f"{HOME}/"
_MARKDOWN = "text/markdown"
_SUMMARY = "memory_summary.md"


def listed_resources(host: Host) -> list[dict[str, Any]]:
    """What a client may put into a conversation by itself; other files are read by their path."""
    paths = [file.path for file in tools.list_files(host.reading())]
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


def read(host: Host, uri: object) -> dict[str, Any]:
    """Raises Refused."""
    acting = host.reading()
    text = _text(acting, uri) if isinstance(uri, str) else None
    if text is None:
        raise Refused(RESOURCE_MISSING, "There is no such resource.", {"uri": str(uri)[:512]})
    return {"contents": [{"uri": uri, "mimeType": _MARKDOWN, "text": text}]}


def _text(acting: Acting, uri: str) -> str | None:
    if uri.rstrip("/") == HOME:
        return _home(acting)
    if not uri.startswith(ROOT):
        return None
    try:
        return tools.read_file(acting, uri.removeprefix(ROOT))[1]
    except REFUSALS:
        return None


def _home(acting: Acting) -> str:
    try:
        summary = tools.read_file(acting, _SUMMARY)[1].rstrip("\n") + "\n\n"
    except FileMissing:
        summary = ""
    paths = dict.fromkeys(file.path for file in tools.list_files(acting) if _is_named(file))
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
