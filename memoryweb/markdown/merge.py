"""Two texts that were made from one, brought together line by line (diff3). Pure.

S. Khanna, K. Kunal, B. C. Pierce, “A Formal Investigation of Diff3”, FSTTCS 2007: what both sides
left alone is stable; between two stable stretches a side that changed nothing gives way.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain

from memoryweb.markdown.diff import stretches

Lines = tuple[str, ...]


class Kind(StrEnum):
    SAME = "same"
    THEIRS = "theirs"  # changed by them alone
    MINE = "mine"
    BOTH = "both"  # changed alike
    CONFLICT = "conflict"


@dataclass(frozen=True)
class Hunk:
    """A stretch of the three texts."""

    kind: Kind
    base: Lines
    theirs: Lines
    mine: Lines

    @property
    def is_rivalry(self) -> bool:
        """Both changed what stood here, and not alike."""
        return self.kind == Kind.CONFLICT and any(map(str.strip, self.base))

    @property
    def merged(self) -> Lines:
        """What it becomes by itself; of a conflict, what both did."""
        if self.kind == Kind.CONFLICT:
            return _done_by_both(self.base, self.theirs, self.mine)
        return self.theirs if self.kind == Kind.THEIRS else self.mine


def merge(base: str | None, theirs: str, mine: str) -> list[Hunk]:
    """Hunks in order. Without a common ancestor what both have stands for it, and nothing that
    only one of them has counts as taken away by the other."""
    their_lines, my_lines = theirs.split("\n"), mine.split("\n")
    if base is None:
        common = [my_lines[b : b + n] for _a, b, n in stretches(their_lines, my_lines)]
        base_lines = [line for part in common for line in part]
    else:
        base_lines = base.split("\n")
    return list(_hunks(base_lines, their_lines, my_lines))


def brought_together(base: str | None, theirs: str, mine: str) -> tuple[str, str]:
    """Theirs and mine, each with all that fits: the same text where nothing overlaps. What both put
    in at one place fits. Without a common ancestor theirs stays as it is."""
    hunks = list(chain.from_iterable(map(_by_line, merge(base, theirs, mine))))
    sides = [(h.theirs, h.mine) if h.is_rivalry else (h.merged, h.merged) for h in hunks]
    one, other = ("\n".join(chain.from_iterable(side)) for side in zip(*sides, strict=True))
    return (theirs if base is None else one), other


def _by_line(hunk: Hunk) -> Iterator[Hunk]:
    """Each line for itself where both kept their number, as in a list: neighbours don't overlap."""
    if not hunk.is_rivalry or not len(hunk.base) == len(hunk.theirs) == len(hunk.mine):
        yield hunk
        return
    for lines in zip(hunk.base, hunk.theirs, hunk.mine, strict=True):
        one = tuple((line,) for line in lines)
        yield Hunk(_kind(*one), *one)


def _done_by_both(base: Lines, first: Lines, second: Lines) -> Lines:
    """What one left as it was while the other changed or removed it is no text of its own."""
    in_first, in_second = _places(base, first), _places(base, second)
    undone = {at for line, at in in_first.items() if line not in in_second}
    left = tuple(line for at, line in enumerate(first) if at not in undone)
    old = set(in_second.values())
    return left + tuple(line for at, line in enumerate(second) if at not in old)


def _hunks(base: list[str], theirs: list[str], mine: list[str]) -> Iterator[Hunk]:
    in_theirs, in_mine = _places(base, theirs), _places(base, mine)
    b = t = m = 0
    while b < len(base) or t < len(theirs) or m < len(mine):
        end = b
        while in_theirs.get(end) == t + end - b and in_mine.get(end) == m + end - b:
            end += 1
        if end > b:
            same = tuple(base[b:end])
            yield Hunk(Kind.SAME, same, same, same)
            t, m, b = t + end - b, m + end - b, end
            continue
        end = next((i for i in range(b, len(base)) if i in in_theirs and i in in_mine), len(base))
        t_end, m_end = in_theirs.get(end, len(theirs)), in_mine.get(end, len(mine))
        parts = tuple(base[b:end]), tuple(theirs[t:t_end]), tuple(mine[m:m_end])
        yield Hunk(_kind(*parts), *parts)
        b, t, m = end, t_end, m_end


def _places(base: Sequence[str], other: Sequence[str]) -> dict[int, int]:
    """Line of the base → the same line of the other text."""
    return {a + i: b + i for a, b, n in stretches(base, other) for i in range(n)}


def _kind(base: Lines, theirs: Lines, mine: Lines) -> Kind:
    if theirs == mine:
        return Kind.BOTH
    if theirs == base:
        return Kind.MINE
    return Kind.THEIRS if mine == base else Kind.CONFLICT
