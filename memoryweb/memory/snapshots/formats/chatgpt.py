"""ChatGPT's export: `conversations.json`, each conversation a tree of messages, of which one branch
is what the person last saw. What ChatGPT remembered stands in it as messages to its tool `bio`."""

import math
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from django.utils.translation import gettext as _

from memoryweb.memory.snapshots.contents import Contents, IgnoredEntry, Talk
from memoryweb.memory.snapshots.formats.uploaded import UploadBytes, values

KEY = "chatgpt"
_NAME = re.compile(r"(?:[^/]+/)?conversations(?:-\d+)?\.json")
_TEXTS = {"text", "multimodal_text"}
_DATED = re.compile(r"^\s*\d+\. \[[\d-]+\]\. ")  # of the list of what is remembered


def finds(sent: UploadBytes) -> bool:
    if not sent.is_json:
        return any(_NAME.fullmatch(name) for name in sent.names)
    first = next(values(sent.chunks(sent.document_name)), None) if sent.is_list else None
    return isinstance(first, Mapping) and "mapping" in first


def contents(sent: UploadBytes) -> Contents:
    named = [name for name in sent.names if _NAME.fullmatch(name)]
    files = named or [sent.document_name]
    said = _("Only conversations are read of a ChatGPT export.")
    ignored = [
        IgnoredEntry(name, "not_in_import", said) for name in sent.names if name not in named
    ]

    def talks() -> Iterator[Talk]:
        for name in files:
            yield from map(talk_of, values(sent.chunks(name)))

    return Contents((), tuple(ignored), talks, "structured/chatgpt.md", KEY)


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
    return Talk(f"{KEY}-{key}", messages, remembered)


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
    if not isinstance(content, Mapping) or content.get("content_type") not in _TEXTS:
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
