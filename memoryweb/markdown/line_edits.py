"""Some lines of a text as a person edits them in place, and put back into it. Pure."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memoryweb.markdown.diff import carry

# What stands before the words of a list item. `- 1. Tea` has two.
_MARK = re.compile(r"\s*(?:(?:[-*+]|\d{1,9}[.)])\s+)+")


@dataclass(frozen=True)
class Clash:
    """Somebody else changed the same lines: theirs, which stand from `first` to `last` (one less
    than `first` where they were taken away), and mine."""

    first: int
    last: int
    theirs: str
    mine: str


def words_of(content: str, first: int, last: int) -> str:
    """As they are edited: one list item without its mark, anything else as it is."""
    lines = content.split("\n")[first - 1 : last]
    return lines[0][len(_mark(lines[0])) :] if len(lines) == 1 else "\n".join(lines)


def with_words(content: str, first: int, last: int, said: str) -> str:
    """The text with these lines said otherwise; without them where nothing is said."""
    lines = content.split("\n")
    lines[first - 1 : last] = _marked(said, lines[first - 1 : last]) if said.strip() else []
    return "\n".join(lines)


def brought_together(base: str, theirs: str, first: int, last: int, said: str) -> str | Clash:
    """Their text with these lines of the base said otherwise, wherever they stand by now."""
    before, after = base.split("\n"), theirs.split("\n")
    carried = carry(before, after)
    known = {old: new for new, old in carried.same.items()}
    stand = {old: new for old, new in known.items() if before[old - 1] == after[new - 1]}
    lines = range(first, last + 1)
    places = [stand.get(n) for n in lines]
    if lines and places == [*range(places[0] or 0, (places[0] or 0) + len(lines))]:
        return with_words(theirs, places[0] or 1, places[-1] or 1, said)
    worded = known | {old: new for new, old in carried.changed.items()}
    start, end = _between(worded, first, last, len(after))
    if not lines:
        return with_words(theirs, start, start - 1, said)
    mine = _marked(said, before[first - 1 : last]) if said.strip() else [""]
    is_one = len(mine) == 1 and start == end
    shown = mine[0][len(_mark(mine[0])) :] if is_one else "\n".join(mine)
    return Clash(start, end, "\n".join(after[start - 1 : end]), shown)


def _between(now: Mapping[int, int], first: int, last: int, length: int) -> tuple[int, int]:
    """Where these lines stand, worded otherwise, or what stands between their neighbours."""
    found = [now[n] for n in range(first, last + 1) if n in now]
    if found and len(found) == last + 1 - first:
        return min(found), max(found)
    start = max((new for old, new in now.items() if old < first), default=0) + 1
    following = (new for old, new in now.items() if old > last and new >= start)
    return start, min(following, default=length + 1) - 1


def _marked(said: str, before: Sequence[str]) -> list[str]:
    """With the mark of the item that it was, further lines under its words."""
    lines = said.strip("\n").split("\n")
    mark = _mark(before[0]) if len(before) == 1 else ""
    if not mark or _mark(lines[0]):
        return lines
    under = " " * len(mark)
    rest = [under + line.strip() if line.strip() else "" for line in lines[1:]]
    return [mark + lines[0].strip(), *rest]


def _mark(line: str) -> str:
    found = _MARK.match(line)
    return found[0] if found else ""
