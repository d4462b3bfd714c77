"""Two texts of one daily note in one: an append-only journal loses nothing by an import."""

import re
from collections.abc import Iterator

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")


def joined(here: str, coming: str) -> str:
    """The text that is here, then those parts of the other that it lacks, in their order.

    A part is a line, or a fenced block of code as a whole; blank lines between new parts stay.
    """
    known = set(_parts(here))
    lacking: list[str] = []
    is_apart = False
    for part in _parts(coming):
        if part == "":
            is_apart = bool(lacking)
        elif part not in known:
            lacking += ["", part] if is_apart else [part]
            is_apart = False
    if not lacking:
        return here
    head = here if not here or here.endswith("\n") else here + "\n"
    return head + "\n".join(lacking) + "\n"


def _parts(text: str) -> Iterator[str]:
    """Without blanks at their ends, by which copies of a line often differ."""
    fenced: list[str] = []
    fence = ""
    for line in text.split("\n"):
        line = line.rstrip()
        mark = _FENCE.match(line)
        if fence:
            fenced.append(line)
            if mark and mark[1].startswith(fence) and line.strip() == mark[1]:
                yield "\n".join(fenced)
                fence = ""
        elif mark:
            fence, fenced = mark[1], [line]
        else:
            yield line
    if fence:  # to the end of the text
        yield "\n".join(fenced).rstrip("\n")
