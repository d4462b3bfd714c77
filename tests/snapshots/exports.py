"""Exports of other programs, in the form that they have."""

import json
from datetime import UTC, datetime
from typing import Any

from tests.snapshots.archives import Part, zipped

SPOKEN = datetime(2026, 3, 1, 9, 30, tzinfo=UTC).timestamp()
MEM0 = {
    "results": [
        {"id": "1", "memory": "Keeps bees in Porto.", "user_id": "zoe", "categories": ["life"]},
        {"id": "2", "memory": "Is allergic to hazelnuts.", "user_id": "zoe", "metadata": None},
    ]
}


def node(name: str, parent: str | None, role: str, text: str, **more: Any) -> dict[str, Any]:
    """As the export has it."""
    message = {
        "id": name,
        "author": {"role": role, "name": None, "metadata": {}},
        "create_time": SPOKEN,
        "content": {"content_type": "text", "parts": [text]},
        "metadata": {},
        "recipient": "all",
    }
    return {"id": name, "message": message | more, "parent": parent, "children": []}


def talk(*nodes: dict[str, Any], key: str = "c1", last: str = "") -> dict[str, Any]:
    mapping: dict[str, Any] = {
        "root": {"id": "root", "message": None, "parent": None, "children": []}
    }
    mapping |= {one["id"]: one for one in nodes}
    return {
        "title": "A talk",
        "conversation_id": key,
        "current_node": last or nodes[-1]["id"],
        "mapping": mapping,
    }


TALK = talk(
    node("hidden", "root", "system", ""),
    node("m1", "hidden", "user", "I keep bees in Porto."),
    node("old", "m1", "assistant", "An answer that was asked for again."),
    node("bio", "m1", "assistant", "Keeps bees in Porto.", recipient="bio"),
    node("tool", "bio", "tool", "Model set context updated."),
    node("m2", "tool", "assistant", "How many hives?"),
    node("m3", "m2", "user", "Seven hives, and two queens."),
    node("m4", "m3", "assistant", "A fine number of hives."),
)


def sent(value: object) -> bytes:
    return json.dumps(value).encode()


def exported(*talks: object) -> bytes:
    """A ZIP like ChatGPT's, with a picture that is larger than a file of a workspace may be."""
    picture = Part("file-1.png", b"\x89PNG" + bytes(2_000_000))
    return zipped(Part("user.json", b"{}"), Part("conversations.json", sent(talks)), picture)


CLAUDE = zipped(
    Part(".claude/CLAUDE.md", b"# Rules\n\n- Use tabs.\n"),
    Part(".claude/projects/-home-bees/memory/MEMORY.md", b"# Memory\n\n- Hives are in Porto.\n"),
    Part(".claude/projects/-home-tea/memory/MEMORY.md", b"- Tea is at five.\n"),
    Part(".claude/projects/-home-tea/memory/kettle.md", b"# Kettle\n\nIt is red.\n"),
    Part(".claude/projects/-home-tea/talk.jsonl", b"{}\n" * 600_000),
    Part("app/AGENTS.md", b"Run the tests.\n"),
)
