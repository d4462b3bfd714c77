"""Exports of chat programs: their conversations, and what they remembered meanwhile."""

import math
import re
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from django.utils.translation import gettext as _

from memoryweb.language import sentences
from memoryweb.memory.models.refusals import ArchiveRefused
from memoryweb.memory.snapshots.contents import (
    Contents,
    IgnoredEntry,
    Incoming,
    Talk,
    as_file,
    bullets,
    not_taken,
)
from memoryweb.memory.snapshots.uploaded import UploadBytes, document, values

_CONVERSATIONS = re.compile(r"(?:[^/]+/)?conversations(?:-\d+)?\.json")
_Nodes = list[tuple[str, Mapping[str, Any]]]
_Messages = list[Mapping[str, Any]]


def _named(sent: UploadBytes) -> list[str]:
    return [name for name in sent.names if _CONVERSATIONS.fullmatch(name)]


def _first(sent: UploadBytes) -> Mapping[str, Any]:
    """The first conversation of the export; empty where there is none."""
    for name in [sent.document_name] if sent.is_list else _named(sent):
        first = next(values(sent.chunks(name)), None)
        if isinstance(first, Mapping):
            return first
    return {}


def _talks(
    sent: UploadBytes, names: list[str], talk_of: Callable[[object], Talk]
) -> Callable[[], Iterator[Talk]]:
    def talks() -> Iterator[Talk]:
        for name in names:
            yield from map(talk_of, values(sent.chunks(name)))

    return talks


def _unread(sent: UploadBytes, read: list[str], said: str) -> tuple[IgnoredEntry, ...]:
    names = (name for name in sent.names if name not in read)
    return tuple(IgnoredEntry(name, "not_in_import", said) for name in names)


def _branch(mapping: Mapping[str, Any], last: object) -> _Nodes | None:
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


def _of(value: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    inner = value.get(name)
    return inner if isinstance(inner, Mapping) else {}


# ChatGPT's export: `conversations.json`, each conversation a tree of messages, of which one branch
# is what the person last saw. What ChatGPT remembered stands in it as messages to its tool `bio`.

CHATGPT = "chatgpt"
_CHATGPT_TEXTS = {"text", "multimodal_text"}
_DATED = re.compile(r"^\s*\d+\. \[[\d-]+\]\. ")  # of the list of what is remembered


def is_chatgpt(sent: UploadBytes) -> bool:
    return "mapping" in _first(sent) or (not sent.is_json and bool(_named(sent)))


def of_chatgpt(sent: UploadBytes) -> Contents:
    names = _named(sent) or [sent.document_name]
    ignored = _unread(sent, names, _("Only conversations are read of a ChatGPT export."))
    talks = _talks(sent, names, talk_of)
    return Contents((), ignored, talks, "structured/chatgpt.md", CHATGPT)


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


def _time(value: object) -> str | None:
    """Seconds since 1970; what is none says nothing about when."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    try:
        return datetime.fromtimestamp(value, UTC).isoformat()
    except (ValueError, OverflowError, OSError):
        return None


# Claude.ai's export: `conversations.json`, each with its messages in a list, where later exports
# name the message that each answers. `memories.json` holds what Claude remembers as prose, also of
# projects by their ids, whose names are in `projects.json`; larger exports have folders of these.

CLAUDE_AI = "claude_ai"
_ROLES = {"human": "user", "assistant": "assistant"}
_MEMORIES = re.compile(r"(?:[^/]+/)?memories(?:/[^/]+)?\.json")
_PROJECTS = re.compile(r"(?:[^/]+/)?projects(?:/[^/]+)?\.json")
_HEADING = re.compile(r"\s*(?:#+ .*|\*\*[^*]*\*\*:?\s*)")


def is_claude_ai(sent: UploadBytes) -> bool:
    return "chat_messages" in _first(sent) or bool(_memories(sent))


def of_claude_ai(sent: UploadBytes) -> Contents:
    has_talks = "chat_messages" in _first(sent)
    names = (_named(sent) or [sent.document_name]) if has_talks else []
    memories = _memories(sent)
    known = [row for name in sent.names if _PROJECTS.fullmatch(name) for row in _rows(sent, name)]
    projects = {str(one.get("uuid")): one.get("name") for one in known}
    lines, left_out = _remembered_lines(memories, projects)
    said = _("Only conversations and memories are read of a Claude.ai export.")
    ignored = _unread(sent, [*names, *(name for name, _row in memories)], said)
    path, talks = "structured/claude-ai.md", _talks(sent, names, claude_talk_of)
    files = (Incoming(path, as_file(lines), (CLAUDE_AI,), joins=True),) if lines else ()
    return Contents(files, (*ignored, *not_taken(CLAUDE_AI, left_out)), talks, format=CLAUDE_AI)


def claude_talk_of(value: object) -> Talk:
    """Any value at all: what is no conversation says so."""
    if not isinstance(value, Mapping):
        return Talk(None, wrong=_("It is no conversation."))
    key, rows = value.get("uuid"), value.get("chat_messages")
    if not isinstance(key, str) or not isinstance(rows, list):
        return Talk(key, wrong=_("It has no id, or no messages."))
    messages = [
        row for row in rows if isinstance(row, Mapping) and isinstance(row.get("uuid"), str)
    ]
    if all(isinstance(row.get("parent_message_uuid"), str) for row in messages):
        found = _last_branch(messages, value.get("current_leaf_message_uuid"))
        if found is None:
            return Talk(key, wrong=_("Its messages lead in a circle, or to one that isn't there."))
        messages = found
    return Talk(f"{CLAUDE_AI}-{key}", [said for row in messages for said in _claude_said(row)])


def _last_branch(messages: _Messages, leaf: object) -> _Messages | None:
    """What was asked anew or answered again leaves a branch of its own, the last one at the end."""
    named = {row["uuid"]: row for row in messages}
    parents = {row["uuid"]: row["parent_message_uuid"] for row in messages}
    mapping = {
        name: {"parent": parents[name] if parents[name] in named else None} for name in named
    }
    last = leaf if isinstance(leaf, str) and leaf in named else next(reversed(named), None)
    nodes = _branch(mapping, last) if named else []
    return None if nodes is None else [named[name] for name, _node in nodes]


def _claude_said(row: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """No thoughts, tools or files; older exports have the text alone."""
    sender, text, parts = row.get("sender"), row.get("text"), row.get("content")
    role = _ROLES.get(sender) if isinstance(sender, str) else None
    if isinstance(parts, list) and parts:
        blocks = [one for one in parts if isinstance(one, Mapping) and one.get("type") == "text"]
        text = "\n".join(one["text"] for one in blocks if isinstance(one.get("text"), str))
    if role and isinstance(text, str) and text.strip():
        said = {"id": row["uuid"], "role": role, "content": text}
        yield said | {"timestamp": _moment(row.get("created_at"))}


def _moment(value: object) -> str | None:
    """What is no time says nothing about when."""
    try:
        moment = datetime.fromisoformat(str(value))
        return moment.replace(tzinfo=moment.tzinfo or UTC).astimezone(UTC).isoformat()
    except (ValueError, OverflowError):
        return None


def _memories(sent: UploadBytes) -> list[tuple[str, Mapping[str, Any]]]:
    """What Claude remembers, by the name of its file."""
    names = [name for name in sent.names if _MEMORIES.fullmatch(name)]
    if sent.is_json and (not sent.is_list or "conversations_memory" in _first(sent)):
        names = [sent.document_name]
    found = [(name, row) for name in names for row in _rows(sent, name)]
    return [(name, row) for name, row in found if "conversations_memory" in row]


def _rows(sent: UploadBytes, name: str) -> list[Mapping[str, Any]]:
    """Of a document or a list of them; none of what can't be read."""
    try:
        value = document(sent.whole(name))
    except ArchiveRefused:
        return []
    return [
        one for one in (value if isinstance(value, list) else [value]) if isinstance(one, Mapping)
    ]


def _remembered_lines(
    memories: list[tuple[str, Mapping[str, Any]]], projects: Mapping[str, object]
) -> tuple[list[str], int]:
    """Of each project below its name; and how many sentences are left out."""
    found: list[str] = []
    left_out = 0
    for _name, one in memories:
        about = [("", one.get("conversations_memory")), *_of(one, "project_memories").items()]
        for key, text in about:
            lines, more = bullets(_sentences(text))
            title, _wrong = bullets([projects.get(key)])
            found += [*(f"## {line[2:]}" for line in title if lines), *lines]
            left_out += more
    return found, left_out


def _sentences(text: object) -> Iterator[str]:
    for line in text.splitlines() if isinstance(text, str) else []:
        if not _HEADING.fullmatch(line):
            yield from sentences.split(line.replace("**", ""))
