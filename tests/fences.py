"""Reads a prompt back: what `markdown.render` has put into it."""

import re

_ENDS = "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"
_FENCE = re.compile(f"--- ([^{_ENDS}]+) ---")
_BLANKS = f"[^\\S{_ENDS}]*"
_FENCY = f"{_BLANKS}--- [^{_ENDS}]+ ---{_BLANKS}(?=[{_ENDS}]|$)"
_ESCAPED = re.compile(rf"(?:(?<=[{_ENDS}])|^)\\(?=\\*{_FENCY})", re.DOTALL)


def parse(text: str) -> list[tuple[str, str]]:
    files: list[tuple[str, list[str]]] = []
    for line in text.split("\n") if text else []:
        fence = _FENCE.fullmatch(line)
        if fence:
            files.append((fence[1], []))
        elif files:
            files[-1][1].append(line)
    return [(name, _ESCAPED.sub("", "\n".join(lines))) for name, lines in files]
