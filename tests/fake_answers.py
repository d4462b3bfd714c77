"""What the fake model says: everything, the obvious, or nothing."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

_NUMBERED = re.compile(r"L(?P<line>\d+): - (?:\d\d:\d\d )?(?P<text>\S.*)")

# Valid for an extraction and for a dream: each takes the fields that it knows.
NOTHING: dict[str, Any] = {
    "should_update": False,
    "reason": "Nothing to keep.",
    "daily_entry": "",
    "requests": [],
    "lines": [],
    "memory_content": "",
    "diary": "There was nothing to do.",
    "citations": [],
}


def echoed(data: Mapping[str, Any]) -> dict[str, Any]:
    """Every string of the data as a line of every file that the answer can write."""
    strings = [line for text in _strings(data) for line in text.splitlines() if line.strip()]
    lines = list(dict.fromkeys(_bare(line) for line in strings))[:200]
    bullets = "\n".join(f"- {line}" for line in lines)
    memory = f"{data.get('memory', '')}\n{bullets}\n".lstrip()
    ids = [str(message["id"]) for message in data.get("messages", [])]
    places = [source for _, source in _numbered(data)] or ["memory/2031-01-01.md#L1"]
    return NOTHING | {
        "should_update": True,
        "reason": "Echo.",
        "daily_entry": bullets,
        "lines": [{"text": line, "messageIds": ids, "durable": True} for line in lines],
        "memory_content": memory,
        "diary": " ".join(lines)[:8000],
        "citations": [{"text": line, "source": places[0]} for line in lines],
    }


def noted(data: Mapping[str, Any]) -> dict[str, Any]:
    """What people said, a line a message; what notes say, a line a bullet."""
    said = [m for m in data.get("messages", []) if m.get("role") == "user"]
    lines = [
        {
            "text": f"{m.get('name') or 'The person'} said: {' '.join(m['content'].split())}"[:500],
            "messageIds": [str(m["id"])],
            "durable": True,
        }
        for m in said
    ]
    memory = str(data.get("memory", ""))
    fresh = [(text, source) for text, source in _numbered(data) if text not in memory]
    fresh = fresh[: data.get("room")]
    added = "".join(f"- {text}\n" for text, _ in dict(fresh).items())
    return NOTHING | {
        "should_update": bool(lines or fresh),
        "reason": "People said something.",
        "daily_entry": "\n".join(f"- {line['text']}" for line in lines),
        "lines": lines,
        "memory_content": f"{memory.rstrip() or '# MEMORY'}\n{added}" if fresh else "",
        "diary": f"Read {len(fresh)} new lines and kept them.",
        "citations": [{"text": t, "source": s} for t, s in dict(fresh).items()],
    }


def _numbered(data: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The bullets of the notes, each with the place that a citation would name."""
    return [
        (match["text"].strip(), f"{note['path']}#L{match['line']}")
        for note in data.get("notes", [])
        for match in _NUMBERED.finditer(note["text"])
    ]


def _bare(line: str) -> str:
    return re.sub(r"^(L\d+: )?\s*(- |#+ )?", "", line).strip()[:1500] or "-"


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from _strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item)
