"""How files enter a prompt: `--- NAME ---`, newline, content (SPEC §3). Pure.

A line of a content that looks like such a fence gets a backslash in front, and one of that form
with backslashes gets one more, so that a prompt reads back as its files, whatever they say. Blanks
around it and line ends that only some programs know count as well: a model reads them as a fence
too.
"""

import re
from collections.abc import Iterable

# Everything that somebody takes for the end of a line.
_ENDS = "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"
_LINE_STARTS = f"(?:(?<=[{_ENDS}])|^)"
_BLANKS = f"[^\\S{_ENDS}]*"
_FENCY = f"{_BLANKS}--- [^{_ENDS}]+ ---{_BLANKS}(?=[{_ENDS}]|$)"
_TO_ESCAPE = re.compile(rf"{_LINE_STARTS}(?=\\*{_FENCY})", re.DOTALL)


def render(files: Iterable[tuple[str, str]]) -> str:
    return "\n".join(f"--- {name} ---\n{_escape(content)}" for name, content in files)


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
