"""How files enter a prompt: `--- NAME ---`, newline, content (SPEC §3). Pure.

A line of a content that looks like such a fence gets a backslash in front, and one of that form
with backslashes gets one more, so that parse(render(files)) == files for any text. Blanks around
it and line ends that only some programs know count as well: a model reads them as a fence too.
"""

import re
from collections.abc import Iterable

from memoryweb.markdown.paths import kind_of

# Everything that somebody takes for the end of a line.
_ENDS = "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"
_FENCE = re.compile(f"--- ([^{_ENDS}]+) ---")
_LINE_STARTS = f"(?:(?<=[{_ENDS}])|^)"
_BLANKS = f"[^\\S{_ENDS}]*"
_FENCY = f"{_BLANKS}--- [^{_ENDS}]+ ---{_BLANKS}(?=[{_ENDS}]|$)"
_TO_ESCAPE = re.compile(rf"{_LINE_STARTS}(?=\\*{_FENCY})", re.DOTALL)
_ESCAPED = re.compile(rf"{_LINE_STARTS}\\(?=\\*{_FENCY})", re.DOTALL)


def render(files: Iterable[tuple[str, str]]) -> str:
    return "\n".join(f"--- {name} ---\n{_escape(content)}" for name, content in files)


def parse(text: str) -> list[tuple[str, str]]:
    files: list[tuple[str, list[str]]] = []
    for line in text.split("\n") if text else []:
        fence = _FENCE.fullmatch(line)
        if fence:
            files.append((fence[1], []))
        elif files:
            files[-1][1].append(line)
    return [(name, _ESCAPED.sub("", "\n".join(lines))) for name, lines in files]


def cut(name: str, content: str) -> str:
    """The content as injected: cut at a heading or line where the file's limit says so."""
    limit = kind_of(name).limit
    return content if limit is None else shortened(content, limit)[0]


def shortened(content: str, limit: int) -> tuple[str, int]:
    """At most `limit` characters and a note how many more there are; and that number."""
    if len(content) <= limit:
        return content, 0
    kept = content[:limit]
    line_end = kept.rfind("\n")
    heading = kept.rfind("\n#")
    end = heading if heading > limit * 3 // 4 else line_end
    kept = kept[: end if end > 0 else limit]
    more = len(content) - len(kept)
    return f"{kept}\n… ({more} characters more)", more


def _escape(content: str) -> str:
    return _TO_ESCAPE.sub(r"\\", content)
