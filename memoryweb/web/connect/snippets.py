"""What a program has to say to use an agent's memory, with this installation's own addresses."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from django.template.loader import render_to_string
from django.utils.functional import Promise
from django.utils.translation import gettext as _

# What the calls tell answers it, in English as they are.
QUESTION = "Do I prefer tea or coffee?"
_OF_PROGRAMS = {"mem0"}  # its calls always name an end user


@dataclass(frozen=True)
class Snippet:
    key: str
    label: str | Promise
    where: str | Promise
    text: str


def snippets(base: str, owner: Mapping[str, str], talk: str, token: str = "") -> list[Snippet]:
    """`base` is the agent's address in the API; `owner` the fields that say whom a call is
    about: none with a personal token. `talk` is a conversation that nobody has yet. Without a
    `token` the calls take it from the environment."""
    fields = json.dumps(owner)
    more = f", {fields[1:-1]}" if owner else ""
    site, agent = base.split("/api/v1/agents/")
    asked = {"base": base, "owner": fields, "more": more, "talk": talk, "token": token} | {
        "site": site,
        "agent": agent,
        "end_user": owner.get("endUserId"),
        "question": QUESTION,
    }
    return [
        Snippet(key, label, where, render_to_string(f"connect/{key}.txt", asked).strip() + "\n")
        for key, label, where in _kinds()
        if owner or key not in _OF_PROGRAMS
    ]


def _kinds() -> Iterator[tuple[str, str, str]]:
    """What is connected, and what its reader does with the text."""
    yield from (
        (
            "curl",
            "curl",
            _("Run it in a terminal. It sends a short conversation, then asks for the next "
              "prompt."),
        ),
        ("python", "Python", _("Standard library only. Save it as memory.py.")),
        ("javascript", "JavaScript", _("Save it as memory.mjs. It needs Node 18 or later.")),
        (
            "mcp",
            _("Any MCP client"),
            _("Add it to your client's list of servers, such as .mcp.json of Claude Code."),
        ),
        (
            "claude_code",
            "Claude Code",
            _("Run it in a terminal: a plugin that reminds Claude and remembers for it."),
        ),
        ("mem0", "mem0", _("For programs that use mem0's client: only its host changes.")),
        (
            "openclaw_plugin",
            "OpenClaw",
            _("Run it in a terminal: a plugin that reminds the agent and remembers for it."),
        ),
        (
            "openclaw",
            _("OpenClaw, a skill"),
            _("Without the plugin: save it as ~/.openclaw/workspace/skills/memoryweb/SKILL.md."),
        ),
        (
            "openclaw_config",
            _("OpenClaw, the skill's token"),
            _("Put this into ~/.openclaw/openclaw.json."),
        ),
    )  # fmt: skip
