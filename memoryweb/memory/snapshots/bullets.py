"""Statements of another program as lines of a file, whatever their text is. Pure."""

from collections.abc import Iterable

LONGEST = 1_000
_MARKUP = ("<!--", "-->", "```", "~~~")  # could pin lines, or hide them


def bullets(texts: Iterable[object]) -> tuple[list[str], int]:
    """Each once, in their order; and how many are none: no text, too long, or with markup that
    would mean something here."""
    lines: dict[str, None] = {}
    left_out = 0
    for text in texts:
        said = " ".join(text.replace("\0", " ").split()) if isinstance(text, str) else ""
        if not said or len(said) > LONGEST or any(mark in said for mark in _MARKUP):
            left_out += 1
            continue
        lines[f"- {said}"] = None
    return list(lines), left_out


def as_file(lines: Iterable[str]) -> bytes:
    """A lone surrogate is no text and no reason to refuse the rest."""
    return ("\n".join(lines) + "\n").encode("utf-8", "replace")
