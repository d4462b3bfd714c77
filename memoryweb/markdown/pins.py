"""Pinned blocks: `<!-- pinned -->` … `<!-- /pinned -->`, kept verbatim by code. Pure."""

import re

_OPEN = re.compile(r"^\s*<!--\s*pinned\s*-->\s*$", re.IGNORECASE)
_CLOSE = re.compile(r"^\s*<!--\s*/pinned\s*-->\s*$", re.IGNORECASE)


def pinned_ranges(text: str) -> list[tuple[int, int]]:
    """First and last line (1-based, markers included); an unclosed block runs to the end."""
    ranges: list[tuple[int, int]] = []
    start = 0
    lines = text.split("\n")
    for number, line in enumerate(lines, start=1):
        if not start and _OPEN.match(line):
            start = number
        elif start and _CLOSE.match(line):
            ranges.append((start, number))
            start = 0
    return [*ranges, (start, len(lines))] if start else ranges


def pinned_lines(text: str) -> set[int]:
    """1-based numbers of the lines of pinned blocks, markers included."""
    return {n for first, last in pinned_ranges(text) for n in range(first, last + 1)}


def pin_marks(text: str) -> dict[int, str]:
    """The lines that open (`pin`) and close (`unpin`) a block; a stray close is text."""
    lines = text.split("\n")
    marks = {}
    for first, last in pinned_ranges(text):
        marks[first] = "pin"
        if _CLOSE.match(lines[last - 1]):
            marks[last] = "unpin"
    return marks


def has_open_pin(text: str) -> bool:
    """A pinned block that nothing closes, so that text added at the end would join it."""
    ranges = pinned_ranges(text)
    return bool(ranges) and not _CLOSE.match(text.split("\n")[ranges[-1][1] - 1])


def without_opening_marks(text: str) -> str:
    """So that what nothing closes is pinned no longer."""
    return "\n".join(line for line in text.split("\n") if not _OPEN.match(line))


def without_stray_closes(text: str) -> str:
    """Without the marks that close nothing."""
    pinned = pinned_lines(text)
    lines = enumerate(text.split("\n"), start=1)
    return "\n".join(line for n, line in lines if n in pinned or not _CLOSE.match(line))
