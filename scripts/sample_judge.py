"""What the lines that a prompt carries make of an item of a sample set. Pure.

Words that a mark says have ended, `(until 2026-09-28: live in Altona)` or the same as a comment,
count as gone from their line; so do the dates that a prompt adds to lines.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from scripts.memory_people import Groups, groups
from scripts.sample_sets import Item

_ENDED = re.compile(
    r"\(until \d{4}-\d\d-\d\d: (?P<shown>[^()]*(?:\([^()]*\)[^()]*)*)\)"
    r"|<!-- until \d{4}-\d\d-\d\d: (?P<kept>.*?) -->"
)
_ADDED = re.compile(r"(?:\s*\((?:see also )?\d{4}-\d\d-\d\d\))+\s*$")

Counts = Counter[str]


def current(line: str) -> str:
    """What of a line holds, case-folded."""
    bare = _ENDED.sub(" ", line)
    for found in _ENDED.finditer(line):
        bare = bare.replace(found["shown"] or found["kept"], " ", 1)
    return " ".join(_ADDED.sub("", bare).split()).casefold()


def change(item: Item, before: Sequence[str], after: Sequence[str], asked: Iterable[str]) -> Counts:
    """`asked`: texts of the statements that a person is asked about.

    What the person said of the old value when they told the change ("Bye, Marlowe's.") is no old
    value that stands.
    """
    row, held, holds = item.row, _current(before), _current(after)
    told = [_plain(said.content) for said in item.said("later")]
    old = _folded(row["ended_alone"])
    standing = [line for line in holds if not any(_plain(line) in one for one in told)]
    missing = _missing(item.keep, holds)
    lost = [group for group in missing if _holds(held, group)]
    is_new_lost = any(not _holds(holds, (one,)) for one in _folded(row["new"]))
    counts = Counter(
        {
            "old stands": any(_holds(standing, (one,)) for one in old),
            "lost": bool(lost),
            "new lost": is_new_lost,
            "not kept": len(missing) > len(lost),
        }
    )
    if not any(counts.values()):
        return Counter(whole=1)
    words = [
        one for text in asked for one in (*old, *_folded(row["new"])) if one in text.casefold()
    ]
    counts["asked"] = bool(words) and not (lost or is_new_lost or counts["not kept"])
    return _counted(counts)


def pair(item: Item, before: Sequence[str], after: Sequence[str], asked: Sequence[str]) -> Counts:
    missing, held = _missing(item.keep, _current(after)), _current(before)
    ended = [group for group in missing if _holds(held, group)]
    not_kept = len(missing) > len(ended)
    stands = not missing and not asked
    counts = {"stands": stands, "ended": bool(ended), "asked": bool(asked), "not kept": not_kept}
    return _counted(counts)


def situation(item: Item, after: Sequence[str]) -> Counts:
    """Facts, not items, are counted."""
    holds, hold = _current(after), groups(item.row["hold"])
    missing = len(_missing(hold, holds))
    return _counted(
        {
            "right": len(hold) - missing,
            "missing": missing,
            "stale": _count(holds, item.row["over"]),
            "false": _count(holds, item.row["not_hold"]),
        }
    )


def two(is_same: bool, first: Iterable[object], both: Iterable[object], *, noted: bool) -> Counts:
    """Living statements by their ids, after the first sentence and after both; `noted`: the second
    was noted down as something to keep."""
    one, other = set(first), set(both)
    if not one or not (noted or other - one):
        return Counter({"not kept": 1})
    if is_same:
        return Counter({"one" if other == one or not one <= other else "missed": 1})
    return Counter({"two" if one < other else "wrongly merged": 1})


def silence(row: Mapping[str, Any], told: Sequence[str], found: Sequence[str]) -> Counts:
    """`told` in a prompt, and `found` by a search."""
    if row["expect"] == "silent":
        return Counter({"wrongly told" if told else "rightly silent": 1})
    is_told, is_found = (any(row["need"] in one for one in texts) for texts in (told, found))
    kind = "told" if is_told else "told beside it" if told else "wrongly silent"
    return _counted({kind: 1, "found": is_found, "not found": not is_found})


def _current(lines: Iterable[str]) -> list[str]:
    return [current(line) for line in lines]


def _missing(wanted: Groups, lines: Sequence[str]) -> Groups:
    return tuple(group for group in wanted if not _holds(lines, group))


def _holds(lines: Iterable[str], group: Sequence[str]) -> bool:
    return any(all(text in line for text in group) for line in lines)


def _count(lines: Sequence[str], rows: Sequence[Sequence[str]]) -> int:
    return sum(_holds(lines, group) for group in groups(rows))


def _counted(counts: Mapping[str, int]) -> Counts:
    return Counter({name: int(count) for name, count in counts.items() if count})


def _folded(texts: Iterable[str]) -> list[str]:
    return [text.casefold() for text in texts]


def _plain(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))
