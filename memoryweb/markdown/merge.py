"""Two texts that were made from one, brought together line by line (diff3). Pure.

S. Khanna, K. Kunal, B. C. Pierce, “A Formal Investigation of Diff3”, FSTTCS 2007: what both sides
left alone is stable; between two stable stretches a side that changed nothing gives way.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from memoryweb.markdown.diff import stretches

Lines = tuple[str, ...]


class Kind(StrEnum):
    SAME = "same"
    THEIRS = "theirs"  # changed by them alone
    MINE = "mine"
    BOTH = "both"  # changed alike
    CONFLICT = "conflict"


class Choice(StrEnum):
    THEIRS = "theirs"
    MINE = "mine"
    BOTH = "both"
    BOTH_MINE_FIRST = "mine-first"
    HAND = "hand"


@dataclass(frozen=True)
class Decision:
    choice: Choice
    text: str = ""  # of a hunk that was edited by hand


@dataclass(frozen=True)
class Hunk:
    """A stretch of the three texts. `theirs_at` and `mine_at` are 1-based line numbers."""

    kind: Kind
    base: Lines
    theirs: Lines
    mine: Lines
    theirs_at: int
    mine_at: int

    @property
    def merged(self) -> Lines:
        """What it becomes by itself; of a conflict, what both did."""
        if self.kind == Kind.CONFLICT:
            return self.both
        return self.theirs if self.kind == Kind.THEIRS else self.mine

    @property
    def both(self) -> Lines:
        return _done_by_both(self.base, self.theirs, self.mine)

    @property
    def both_mine_first(self) -> Lines:
        return _done_by_both(self.base, self.mine, self.theirs)


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


def conflicts(hunks: Sequence[Hunk]) -> list[int]:
    """Where a person has to choose, by the hunk's index."""
    return [at for at, hunk in enumerate(hunks) if hunk.kind == Kind.CONFLICT]


def choices(hunk: Hunk) -> list[Choice]:
    """What a person may make of a hunk. The first of one that fits is what it becomes by itself."""
    if hunk.kind == Kind.CONFLICT:
        return list(Choice)
    if hunk.kind == Kind.BOTH:
        return [Choice.MINE, Choice.HAND]
    own = [Choice.MINE, Choice.THEIRS]
    return [*(own if hunk.kind == Kind.MINE else own[::-1]), Choice.HAND]


def resolved(hunks: Sequence[Hunk], decisions: Mapping[int, Decision]) -> str:
    """The one text: what fits comes together by itself unless somebody decided otherwise.

    Raises KeyError for a conflict without a decision.
    """
    lines: list[str] = []
    for at, hunk in enumerate(hunks):
        is_open = hunk.kind == Kind.CONFLICT or at in decisions
        lines += _decided(hunk, decisions[at]) if is_open else hunk.merged
    return "\n".join(lines)


def text_of(hunk: Hunk, decision: Decision) -> str:
    return "\n".join(_decided(hunk, decision))


def _decided(hunk: Hunk, decision: Decision) -> Lines:
    if decision.choice == Choice.HAND:
        return tuple(decision.text.split("\n")) if decision.text else ()
    return {
        Choice.THEIRS: hunk.theirs,
        Choice.MINE: hunk.mine,
        Choice.BOTH: hunk.both,
        Choice.BOTH_MINE_FIRST: hunk.both_mine_first,
    }[decision.choice]


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
            yield Hunk(Kind.SAME, same, same, same, t + 1, m + 1)
            t, m, b = t + end - b, m + end - b, end
            continue
        end = next((i for i in range(b, len(base)) if i in in_theirs and i in in_mine), len(base))
        t_end, m_end = in_theirs.get(end, len(theirs)), in_mine.get(end, len(mine))
        parts = tuple(base[b:end]), tuple(theirs[t:t_end]), tuple(mine[m:m_end])
        yield Hunk(_kind(*parts), *parts, t + 1, m + 1)
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
