"""How files enter a prompt: `--- NAME ---`, newline, content (SPEC §3). Pure.

A content line that looks like such a fence gets a backslash in front, and a line of that
form with backslashes gets one more, so that parse(render(files)) == files for any text.
"""

import re
from collections.abc import Iterable

LIMITS = {"MEMORY.md": 12_288, "PROFILE.md": 4_000}

_FENCE = re.compile(r"--- (.+) ---")
_ESCAPED = re.compile(r"\\*--- .+ ---")


def render(files: Iterable[tuple[str, str]]) -> str:
    return "\n".join(
        "\n".join([f"--- {name} ---", *map(_escape, content.split("\n"))])
        for name, content in files
    )


def parse(text: str) -> list[tuple[str, str]]:
    files: list[tuple[str, list[str]]] = []
    for line in text.split("\n") if text else []:
        fence = _FENCE.fullmatch(line)
        if fence:
            files.append((fence[1], []))
        elif files:
            files[-1][1].append(line[1:] if _ESCAPED.fullmatch(line) else line)
    return [(name, "\n".join(lines)) for name, lines in files]


def cut(name: str, content: str) -> str:
    """The content as injected: cut at a heading or line where the file's limit says so."""
    limit = LIMITS.get(name)
    if limit is None or len(content) <= limit:
        return content
    kept = content[:limit]
    line_end = kept.rfind("\n")
    heading = kept.rfind("\n#")
    end = heading if heading > limit * 3 // 4 else line_end
    kept = kept[: end if end > 0 else limit]
    return f"{kept}\n… ({len(content) - len(kept)} characters more)"


def _escape(line: str) -> str:
    return "\\" + line if _ESCAPED.fullmatch(line) else line
