"""The lines of a hunk on each of its sides, with the words marked that a side changed. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from memoryweb.markdown.diff import Row, Span, paired
from memoryweb.markdown.merge import Hunk


@dataclass(frozen=True)
class Line:
    """`kind`: same; changed, with its words marked; whole, where the other has no such line."""

    kind: str
    spans: tuple[Span, ...]


@dataclass(frozen=True)
class Sides:
    """Theirs and mine against the ancestor; the ancestor with what either of them took away."""

    base: tuple[Line, ...]
    theirs: tuple[Line, ...]
    mine: tuple[Line, ...]


def sides(hunk: Hunk) -> Sides:
    theirs, mine = list(paired(hunk.base, hunk.theirs)), list(paired(hunk.base, hunk.mine))
    taken = zip(_old(theirs), _old(mine), strict=True)
    return Sides(tuple(_both(one, two) for one, two in taken), _new(theirs), _new(mine))


def _old(rows: Sequence[Row]) -> list[Line]:
    return [Line(_kind(row), row.old) for row in rows if row.old_number is not None]


def _new(rows: Sequence[Row]) -> tuple[Line, ...]:
    return tuple(Line(_kind(row), row.new) for row in rows if row.new_number is not None)


def _kind(row: Row) -> str:
    return row.kind if row.kind in {"same", "changed"} else "whole"


def _both(one: Line, two: Line) -> Line:
    for line, other in ((one, two), (two, one)):
        if line.kind == "whole" or other.kind == "same":
            return line
    text = "".join(span.text for span in one.spans)
    marks = [a or b for a, b in zip(_marks(one), _marks(two), strict=True)]
    runs = groupby(zip(text, marks, strict=True), key=lambda pair: pair[1])
    spans = (Span("".join(char for char, _mark in run), mark) for mark, run in runs)
    return Line("changed", tuple(spans))


def _marks(line: Line) -> list[bool]:
    return [span.marked for span in line.spans for _char in span.text]
