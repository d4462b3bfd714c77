"""A Markdown text as blocks: bullets, paragraphs and code blocks with their lines. Pure."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from markdown_it import MarkdownIt

_HEADING = re.compile(r"(#{1,6})(?=\s)")
_BULLET = re.compile(r"\s*([-*+]|\d{1,9}[.)])\s+(?=\S)")
_FENCE = re.compile(r"\s{0,3}(`{3,}|~{3,})")
_COMMENT = re.compile(r"\s*<!--.*?-->\s*$")


@dataclass(frozen=True)
class Block:
    """`line`..`end` are 1-based and inclusive; `trail` are the headings above, outermost first."""

    kind: str  # bullet | paragraph | code
    text: str
    line: int
    end: int
    trail: tuple[str, ...]


def blocks(content: str) -> list[Block]:
    return list(_walk(content.split("\n")))


def _walk(lines: list[str]) -> Iterator[Block]:
    trail: list[tuple[int, str]] = []
    at = 0
    while at < len(lines):
        line = lines[at]
        heading = _HEADING.match(line)
        if heading:
            level = len(heading[1])
            trail = [(depth, text) for depth, text in trail if depth < level]
            trail.append((level, line[level:].strip().rstrip("#").rstrip()))
            at += 1
            continue
        if not line.strip() or _COMMENT.match(line):
            at += 1
            continue
        kind, end = _extent(lines, at)
        text = "\n".join(lines[at:end]).strip()
        yield Block(kind, text, at + 1, end, tuple(text for _, text in trail))
        at = end


def _extent(lines: list[str], at: int) -> tuple[str, int]:
    """The kind of the block that begins at index `at`, and the index after its last line."""
    fence = _FENCE.match(lines[at])
    if fence:
        return "code", _fence_end(lines, at, fence[1])
    bullet = bool(_BULLET.match(lines[at]))
    end = at + 1
    while end < len(lines) and _continues(lines[end]):
        end += 1
    return ("bullet" if bullet else "paragraph"), end


def _continues(line: str) -> bool:
    return bool(line.strip()) and not (
        _BULLET.match(line) or _HEADING.match(line) or _FENCE.match(line) or _COMMENT.match(line)
    )


def _fence_end(lines: list[str], at: int, fence: str) -> int:
    for end in range(at + 1, len(lines)):
        closing = lines[end].strip()
        if closing.startswith(fence) and not closing.strip(fence[0]):
            return end + 1
    return len(lines)


# Parsers of Markdown that several threads can use.


def ready(parser: MarkdownIt) -> MarkdownIt:
    """It prepares its rules at the first text; a thread that came meanwhile would find none."""
    parser.parse("a")
    return parser
