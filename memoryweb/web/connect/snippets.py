"""What a program has to say to use an agent's memory, with this installation's own addresses."""

import json
from collections.abc import Mapping
from dataclasses import dataclass

from django.template.loader import render_to_string
from django.utils.functional import Promise
from django.utils.translation import gettext as _


@dataclass(frozen=True)
class Snippet:
    key: str
    label: str
    where: str | Promise
    text: str


def snippets(base: str, owner: Mapping[str, str], talk: str) -> list[Snippet]:
    """`base` is the agent's address in the API; `owner` the fields that say whom a call is
    about: none with a personal token. `talk` is a conversation that nobody has yet."""
    fields = json.dumps(owner)
    more = f", {fields[1:-1]}" if owner else ""
    asked = {"base": base, "owner": fields, "more": more, "talk": talk}
    return [
        Snippet(key, label, where, render_to_string(f"connect/{key}.txt", asked).strip() + "\n")
        for key, label, where in (
            (
                "curl",
                "curl",
                _("Run it in a terminal. It sends a short conversation, then asks for the next "
                  "prompt."),
            ),
            ("python", "Python", _("Standard library only. Save it as memory.py.")),
            (
                "openclaw",
                "OpenClaw",
                _("Save it as ~/.openclaw/workspace/skills/memoryweb/SKILL.md. Put the token into "
                  "~/.openclaw/openclaw.json as skills.entries.memoryweb.apiKey."),
            ),
        )
    ]  # fmt: skip
