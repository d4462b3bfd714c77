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


def answer(name: str, sender: str, text: str, parent: str = "", **more: Any) -> dict[str, Any]:
    """A message as Claude.ai exports it; the first of a conversation answers a name of zeros."""
    blocks = [{"type": "thinking", "thinking": "Hm."}, {"type": "text", "text": text}]
    made = {"uuid": name, "sender": sender, "text": f"Hm. {text}", "content": blocks}
    made |= {"created_at": "2026-03-01T09:30:00.123456Z", "attachments": [], "files": []}
    return made | {"parent_message_uuid": parent or "00000000-0000-4000-8000-000000000000"} | more


CLAUDE_TALK = {
    "uuid": "c1",
    "name": "Bees",
    "account": {"uuid": "a1"},
    "chat_messages": [
        answer("m1", "human", "I keep bees in Porto."),
        answer("old", "assistant", "An answer that was asked for again.", "m1"),
        answer("m2", "assistant", "How many hives?", "m1"),
        answer("m3", "human", "Seven hives, and two queens.", "m2"),
    ],
}
CLAUDE_MEMORIES = [
    {
        "account_uuid": "a1",
        "conversations_memory": "**Work context**\n\nZoe keeps bees. She sells honey in Porto.\n",
        "project_memories": {"p1": "- Labels are **blue**.", "p2": ""},
    }
]


def claude_ai(*talks: object, memories: object = CLAUDE_MEMORIES) -> bytes:
    return zipped(
        Part("users.json", b"[]"),
        Part("memories.json", sent(memories)),
        Part("projects/p1.json", sent({"uuid": "p1", "name": "Honey shop", "docs": []})),
        Part("conversations.json", sent(talks)),
    )


BASIC_MEMORY = """---
title: Coffee
type: note
tags: [drinks]
permalink: coffee
---

Before the list.

## Observations
- [method] Pour over gives more clarity #brewing (from Rui)
- [ ] Buy beans

## Relations
- pairs_with [[Cake]]
- "made in" [[Porto]] (since 2019)
- See [[Tea]] for more
"""
VAULT = zipped(
    Part("vault/.obsidian/app.json", b"{}"),
    Part("vault/.trash/old.md", b"Gone.\n"),
    Part("vault/Ferry.md", b"---\nstatus: open\n---\n\n- It leaves at six.\n"),
    Part("vault/drinks/Coffee.md", BASIC_MEMORY.encode()),
    Part("vault/a:b.md", b"A name that no file here may have.\n"),
    Part("vault/boat.png", b"\x89PNG"),
)
