"""Two texts of one daily note in one: an append-only journal loses nothing by an import."""

import re
from collections.abc import Iterable, Iterator

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")


def joined(here: str, coming: str) -> str:
    """The text that is here, then what it lacks of the other."""
    return here + addition(here, coming)


def addition(here: str, coming: str) -> str:
    """What is to be added at the end: the parts that are lacking, in their order; "" for none.

    A part is a line, or a fenced block of code as a whole; blank lines between new parts stay.
    """
    known = set(_parts(here)) - {""}
    lacking = [part for part in _parts(coming) if part not in known]
    if "" in lacking:  # one stands for several, and none at the beginning
        pairs = zip(["", *lacking], lacking, strict=False)
        lacking = [part for before, part in pairs if part or before]
    if not lacking:
        return ""
    begin = "" if not here or here.endswith("\n") else "\n"
    return begin + "\n".join(lacking).removesuffix("\n") + "\n"


def _parts(text: str) -> Iterable[str]:
    """Without blanks at their ends, by which copies of a line often differ."""
    lines = map(str.rstrip, text.split("\n"))
    return _fenced(lines) if "```" in text or "~~~" in text else lines


def _fenced(lines: Iterable[str]) -> Iterator[str]:
    fenced: list[str] = []
    fence = ""
    for line in lines:
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
