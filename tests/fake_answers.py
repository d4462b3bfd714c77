"""What the fake model says: everything, the obvious, or nothing."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

# Valid for an extraction and for a dream: each takes the fields that it knows.
NOTHING: dict[str, Any] = {
    "should_update": False,
    "reason": "Nothing to keep.",
    "requests": [],
    "lines": [],
    "operations": [],
    "diary": "There was nothing to do.",
}


def echoed(data: Mapping[str, Any]) -> dict[str, Any]:
    """Every string of the data as a line of every file that the answer can write, from the last
    two of what it was given: what all cite grows with each night."""
    strings = [line for text in _strings(data) for line in text.splitlines() if line.strip()]
    lines = list(dict.fromkeys(_bare(line) for line in strings))[:200]
    ids = [str(message["id"]) for message in data.get("messages", [])[-2:]]
    sources = [one["id"] for one in data.get("notes", [])[-2:]]
    return NOTHING | {
        "should_update": True,
        "reason": "Echo.",
        "lines": [{"text": line, "messageIds": ids, "durable": True} for line in lines],
        "operations": [{"op": "add", "text": line, "sources": sources} for line in lines],
        "diary": " ".join(lines)[:8000],
    }


def noted(data: Mapping[str, Any]) -> dict[str, Any]:
    """What people said, a line a message; what notes say, a statement a line."""
    said = [m for m in data.get("messages", []) if m.get("role") == "user"]
    lines = [
        {
            "text": f"{m.get('name') or 'The person'} said: {' '.join(m['content'].split())}"[:500],
            "messageIds": [str(m["id"])],
            "durable": True,
        }
        for m in said
    ]
    notes = data.get("notes", [])
    fresh = [
        {"op": "add", "text": _bare(one["text"])[:500], "sources": [one["id"]]} for one in notes
    ]
    return NOTHING | {
        "should_update": bool(lines),
        "reason": "People said something.",
        "lines": lines,
        "operations": fresh,
        "diary": f"Read {len(fresh)} lines and kept them.",
    }


def obeying(data: Mapping[str, Any]) -> dict[str, Any]:
    """Whatever was said becomes memory, and the newest note takes the place of all that stands."""
    told = noted(data)
    said = {str(m["id"]): " ".join(m["content"].split())[:500] for m in data.get("messages", [])}
    lines = [line | {"text": said[line["messageIds"][0]]} for line in told["lines"]]
    newest = told["operations"][-1:]
    statements = [one["id"] for one in data.get("memory", ())] if newest else []
    return told | {
        "lines": lines,
        "operations": [
            *({**new, "op": "replace", "old": one} for one in statements for new in newest),
            *told["operations"],
            *({"op": "retire", "old": one, "sources": newest[0]["sources"]} for one in statements),
        ],
    }


def _bare(line: str) -> str:
    return re.sub(r"^\s*(- |#+ )?(\d\d:\d\d )?", "", line).strip()[:1500] or "-"


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from _strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item)
