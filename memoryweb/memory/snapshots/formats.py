"""Formats of other programs, and the table of all, in which a new one is a row."""

import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from memoryweb.markdown import paths
from memoryweb.markdown.paths import PathRefused
from memoryweb.memory.models.refusals import ArchiveRefused
from memoryweb.memory.snapshots.contents import (
    Contents,
    IgnoredEntry,
    Incoming,
    Talk,
    as_file,
    bullets,
    sort_out,
)
from memoryweb.memory.snapshots.reading import Entry
from memoryweb.memory.snapshots.uploaded import UploadBytes, document, values

# ChatGPT's export: `conversations.json`, each conversation a tree of messages, of which one branch
# is what the person last saw. What ChatGPT remembered stands in it as messages to its tool `bio`.

CHATGPT = "chatgpt"
_CHATGPT_NAME = re.compile(r"(?:[^/]+/)?conversations(?:-\d+)?\.json")
_CHATGPT_TEXTS = {"text", "multimodal_text"}
_DATED = re.compile(r"^\s*\d+\. \[[\d-]+\]\. ")  # of the list of what is remembered


def is_chatgpt(sent: UploadBytes) -> bool:
    if not sent.is_json:
        return any(_CHATGPT_NAME.fullmatch(name) for name in sent.names)
    first = next(values(sent.chunks(sent.document_name)), None) if sent.is_list else None
    return isinstance(first, Mapping) and "mapping" in first


def of_chatgpt(sent: UploadBytes) -> Contents:
    named = [name for name in sent.names if _CHATGPT_NAME.fullmatch(name)]
    files = named or [sent.document_name]
    said = _("Only conversations are read of a ChatGPT export.")
    ignored = [
        IgnoredEntry(name, "not_in_import", said) for name in sent.names if name not in named
    ]

    def talks() -> Iterator[Talk]:
        for name in files:
            yield from map(talk_of, values(sent.chunks(name)))

    return Contents((), tuple(ignored), talks, "structured/chatgpt.md", CHATGPT)


def talk_of(value: object) -> Talk:
    """Any value at all: what is no conversation says so."""
    if not isinstance(value, Mapping):
        return Talk(None, wrong=_("It is no conversation."))
    key = value.get("conversation_id") or value.get("id")
    mapping = value.get("mapping")
    if not isinstance(key, str) or not isinstance(mapping, Mapping):
        return Talk(key, wrong=_("It has no id, or no messages."))
    nodes = _branch(mapping, value.get("current_node"))
    if nodes is None:
        return Talk(key, wrong=_("Its messages lead in a circle, or to one that isn't there."))
    messages: list[dict[str, Any]] = []
    remembered: list[str] = []
    for name, node in nodes:
        message = node.get("message")
        if isinstance(message, Mapping):
            remembered += _remembered(message)
            messages += _said(name, message)
    return Talk(f"{CHATGPT}-{key}", messages, remembered)


def _branch(mapping: Mapping[str, Any], last: object) -> list[tuple[str, Mapping[str, Any]]] | None:
    """From the first message to the one that was last seen; None where that leads nowhere."""
    found: dict[str, Mapping[str, Any]] = {}
    name = last
    while name is not None:
        node = mapping.get(name) if isinstance(name, str) else None
        if not isinstance(name, str) or not isinstance(node, Mapping) or name in found:
            return None
        found[name] = node
        name = node.get("parent")
    return list(reversed(found.items())) if found else None


def _said(name: str, message: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """What a person or ChatGPT said to the other, and nobody hid."""
    role, content = _role(message), message.get("content")
    hidden = _of(message, "metadata").get("is_visually_hidden_from_conversation")
    if role not in {"user", "assistant"} or hidden or message.get("recipient", "all") != "all":
        return
    if not isinstance(content, Mapping) or content.get("content_type") not in _CHATGPT_TEXTS:
        return
    text = "\n".join(_parts(content))
    if text.strip():
        said = {"id": name, "role": role, "content": text}
        yield said | {"timestamp": _time(message.get("create_time"))}


def _remembered(message: Mapping[str, Any]) -> Iterator[str]:
    content = _of(message, "content")
    if _role(message) == "assistant" and message.get("recipient") == "bio":
        yield from _parts(content)
    listed = content.get("model_set_context")
    if isinstance(listed, str):
        lines = (line for line in listed.split("\n") if _DATED.match(line))
        yield from (_DATED.sub("", line) for line in lines)


def _parts(content: Mapping[str, Any]) -> list[str]:
    """Its texts; pictures and files are none."""
    parts = content.get("parts")
    return [one for one in parts if isinstance(one, str)] if isinstance(parts, list) else []


def _role(message: Mapping[str, Any]) -> object:
    role = _of(message, "author").get("role")
    return role if isinstance(role, str) else None


def _of(value: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    inner = value.get(name)
    return inner if isinstance(inner, Mapping) else {}


def _time(value: object) -> str | None:
    """Seconds since 1970; what is none says nothing about when."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    try:
        return datetime.fromtimestamp(value, UTC).isoformat()
    except (ValueError, OverflowError, OSError):
        return None


# Claude Code's folder `~/.claude`, or a project's: what it remembers, and what it was told.

CLAUDE_CODE = "claude_code"
FOLDER = "claude-code"
_PROJECT = re.compile(r"(?:.*/)?projects/([^/]+)/memory/(.+\.md)")
_TOLD = re.compile(r"(?:.*/)?(?:CLAUDE|CLAUDE\.local|AGENTS)\.md")
_ITS_OWN = re.compile(r"(?:.*/)?CLAUDE(?:\.local)?\.md")


def is_claude_code(sent: UploadBytes) -> bool:
    """AGENTS.md alone is in every workspace."""
    return any(_ITS_OWN.fullmatch(name) or _PROJECT.fullmatch(name) for name in sent.names)


def of_claude_code(sent: UploadBytes) -> Contents:
    wanted = {name: path for name in sent.names if (path := _path(name))}
    entries = sent.archive.entries(wanted.__contains__)
    said = _("What Claude Code remembers, CLAUDE.md and AGENTS.md are taken, nothing else.")
    ignored = [
        IgnoredEntry(name, "not_in_import", said) for name in sent.names if name not in wanted
    ]
    files: dict[str, Incoming] = {}
    for entry, path in ((entry, wanted[entry.name]) for entry in entries):
        if refused := _refusal(path):
            ignored.append(IgnoredEntry(entry.name, "path_refused", refused))
        else:
            files[path] = _together(files.get(path), entry, path)
    return Contents(
        tuple(files[path] for path in sorted(files)), tuple(ignored), format=CLAUDE_CODE
    )


def _path(name: str) -> str:
    """MEMORY.md of any project is memory; all else keeps its place in a folder of its own."""
    if name.startswith("__MACOSX/"):
        return ""
    if match := _PROJECT.fullmatch(name):
        return "MEMORY.md" if match[2] == "MEMORY.md" else f"{FOLDER}/{match[1]}/{match[2]}"
    return f"{FOLDER}/{name.removeprefix('.claude/')}" if _TOLD.fullmatch(name) else ""


def _refusal(path: str) -> str:
    try:
        paths.parse(path)
    except PathRefused as refused:
        return str(refused)
    return ""


def _together(before: Incoming | None, entry: Entry, path: str) -> Incoming:
    if before is None:
        return Incoming(path, entry.data, (entry.name,), joins=path == "MEMORY.md")
    data = before.data.rstrip(b"\n") + b"\n" + entry.data.lstrip(b"\n")
    return Incoming(path, data, (*before.sources, entry.name), joins=before.joins)


# What mem0 exports: a list of memories, or an object that holds one as `results` or `memories`.

MEM0 = "mem0"
MEM0_PATH = "structured/mem0.md"
_MEM0_TEXTS = ("memory", "text")


def is_mem0(sent: UploadBytes) -> bool:
    return bool(_memories(_document(sent)))


def of_mem0(sent: UploadBytes) -> Contents:
    """Raises ArchiveRefused: memories of several people would become one person's."""
    memories = _memories(_document(sent))
    people = {str(one["user_id"]) for one in memories if one.get("user_id") is not None}
    if len(people) > 1:
        said = _("The export holds memories of {n} users. Export and import each by itself.")
        raise ArchiveRefused("several_people", said.format(n=len(people)))
    lines, left_out = bullets(next(one[t] for t in _MEM0_TEXTS if t in one) for one in memories)
    said = ngettext(
        "{n} memory isn't taken: it has no text, too long a text, or markup.",
        "{n} memories aren't taken: they have no text, too long a text, or markup.",
        left_out,
    )
    ignored = [IgnoredEntry(MEM0, "not_taken", said.format(n=left_out))] if left_out else []
    files = [Incoming(MEM0_PATH, as_file(lines), (MEM0,), joins=True)] if lines else []
    return Contents(tuple(files), tuple(ignored), format=MEM0)


def _document(sent: UploadBytes) -> object:
    if sent.is_json:
        return sent.document
    if len(sent.names) == 1 and sent.names[0].endswith(".json"):
        return document(sent.whole(sent.names[0]))
    return None


def _memories(value: object) -> list[Mapping[str, Any]]:
    if isinstance(value, Mapping):
        value = value.get("results", value.get("memories"))
    rows = value if isinstance(value, list) else []
    return [one for one in rows if isinstance(one, Mapping) and any(t in one for t in _MEM0_TEXTS)]


@dataclass(frozen=True)
class Format:
    key: str
    label: str | Promise
    finds: Callable[[UploadBytes], bool]
    contents: Callable[[UploadBytes], Contents]
    has_talks: bool = False


def _workspace(sent: UploadBytes) -> Contents:
    return sort_out(sent.archive.entries())


FORMATS = (
    Format(CHATGPT, "ChatGPT", is_chatgpt, of_chatgpt, has_talks=True),
    Format(MEM0, "mem0", is_mem0, of_mem0),
    Format(CLAUDE_CODE, "Claude Code", is_claude_code, of_claude_code),
    Format(
        "snapshot",
        gettext_lazy("A snapshot, or an OpenClaw workspace"),
        lambda sent: not sent.is_json,
        _workspace,
    ),
)
LABELS = {one.key: one.label for one in FORMATS}


def read(raw: bytes) -> Contents:
    """What a file would bring. Raises ArchiveRefused."""
    sent = UploadBytes(raw)
    return _found(sent).contents(sent)


def has_talks(raw: bytes) -> bool:
    """Conversations come with it. Raises ArchiveRefused."""
    return _found(UploadBytes(raw)).has_talks


def _found(sent: UploadBytes) -> Format:
    for one in FORMATS:
        if one.finds(sent):
            return one
    known = ", ".join(str(one.label) for one in FORMATS)
    raise ArchiveRefused(
        "unknown_format",
        _("This file is in no known format. Known are: {names}.").format(names=known),
    )
