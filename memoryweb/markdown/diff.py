"""What changed between two texts: which line became which, and how to show it. Pure."""

import re
from collections import Counter, defaultdict, deque
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from itertools import groupby

from rapidfuzz import fuzz
from rapidfuzz.distance import LCSseq, Opcode

from memoryweb.markdown.marks import part

_SIMILAR = 60.0  # percent; below it a replaced line counts as a new one
_COMPARED = 2_000  # characters of a line; comparing takes the square of that
# difflib looks at every pair of equal lines, which takes minutes where few lines repeat a lot, and
# at all lines again for each stretch that it finds.
_MOST_PAIRS = 200_000
_MOST_READ = 2_000_000  # old lines times new lines
_MOST_CELLS = 400_000_000  # of the table that finds the longest common lines: 50 MB of bits
_MOST_WORDS = 300  # of a line whose changed words are marked one by one, for the same reason
# Han, kana and Thai write no spaces between words: there each character counts as one.
_WORDS = re.compile(r"\s+|[^\W\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]+|.", re.DOTALL)


@dataclass(frozen=True)
class LineMap:
    """New line number (1-based) → old line number: the same line, moved or not; a changed line."""

    same: dict[int, int]
    changed: dict[int, int]


@dataclass(frozen=True)
class Span:
    text: str
    marked: bool


@dataclass(frozen=True)
class Row:
    """One row side by side. A number is None where that side has no line.

    A gap stands for `hidden` unchanged lines and has the numbers of the first of them. `moved`
    is the line's number on the other side, where the same line was taken away or put in.
    """

    kind: str  # same | changed | added | removed | gap
    old_number: int | None
    old: tuple[Span, ...]
    new_number: int | None
    new: tuple[Span, ...]
    hidden: int = 0
    moved: int | None = None


def unix_ends(text: str) -> str:
    """With every line ended as files are kept, whatever system or form it comes from."""
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def carry(before: Sequence[str], after: Sequence[str]) -> LineMap:
    """A line is the same one when only its end differs: old files have some of other systems, and
    marks are no part of it."""
    before = [part(line.removesuffix("\r"))[0] for line in before]
    after = [part(line.removesuffix("\r"))[0] for line in after]
    same: dict[int, int] = {}
    changed: dict[int, int] = {}
    removed: list[int] = []
    added: list[int] = []
    for tag, a1, a2, b1, b2 in _opcodes(before, after):
        if tag == "equal":
            same.update(zip(range(b1 + 1, b2 + 1), range(a1 + 1, a2 + 1), strict=True))
            continue
        if tag == "replace":
            changed.update(_similar(before, after, (a1, a2), (b1, b2)))
        removed += range(a1, a2)
        added += range(b1, b2)
    same.update(_moved(before, after, removed, added))
    kept = set(same.values())
    return LineMap(
        same, {new: old for new, old in changed.items() if new not in same and old not in kept}
    )


def side_by_side(
    before: str, after: str, *, context: int | None = 2, opened: Collection[int] = ()
) -> list[Row]:
    """Rows of both texts. With `context`, unchanged stretches shrink to that many lines, but for
    those whose first line has in the new text a number in `opened`."""
    rows = _told_moves(list(paired(before.split("\n"), after.split("\n"))))
    return rows if context is None else list(_shorten(rows, context, opened))


def paired(old: Sequence[str], new: Sequence[str]) -> Iterator[Row]:
    """Every line of both, a changed one beside what it was with the changed words marked."""
    for tag, a1, a2, b1, b2 in _opcodes(old, new):
        if tag == "equal":
            for a, b in zip(range(a1, a2), range(b1, b2), strict=True):
                yield Row("same", a + 1, (Span(old[a], False),), b + 1, (Span(new[b], False),))
            continue
        pairs = dict(_similar(old, new, (a1, a2), (b1, b2)))
        taken = a1
        for b in range(b1, b2):
            if b + 1 in pairs:
                a = pairs[b + 1] - 1
                yield from (_removed(old, x) for x in range(taken, a))
                taken = a + 1
                yield Row("changed", a + 1, *_words(old[a], new[b], a, b))
            else:
                yield Row("added", None, (), b + 1, (Span(new[b], False),))
        yield from (_removed(old, x) for x in range(taken, a2))


def counts(rows: Iterable[Row]) -> tuple[int, int]:
    """Lines added and removed."""
    kinds = Counter(row.kind for row in rows)
    return kinds["added"] + kinds["changed"], kinds["removed"] + kinds["changed"]


def unified(before: str, after: str) -> str:
    """The changed lines with `+`/`-` in front and two lines of context."""
    out: list[str] = []
    for row in side_by_side(before, after):
        old, new = _plain(row.old), _plain(row.new)
        if row.kind == "gap":
            out.append("…")
        elif row.kind == "same":
            out.append(f"  {new}")
        else:
            out += [f"- {old}"] if row.old_number else []
            out += [f"+ {new}"] if row.new_number else []
    return "\n".join(out)


def stretches(before: Sequence[str], after: Sequence[str]) -> Iterator[tuple[int, int, int]]:
    """What both have in common, in order: where it begins in each (0-based), and its length."""
    for tag, a1, a2, b1, _b2 in _opcodes(before, after):
        if tag == "equal":
            yield a1, b1, a2 - a1


def edits(before: Sequence[str], after: Sequence[str]) -> Iterator[tuple[int, int, int, int]]:
    """Few lines in the place of others, however it reads: from and to where in each (0-based)."""
    for tag, a1, a2, b1, b2 in _opcodes(before, after, most=0):
        if tag != "equal":
            for inner, a3, a4, b3, b4 in _longest(before[a1:a2], after[b1:b2], _MOST_READ):
                if inner != "equal":
                    yield a1 + a3, a1 + a4, b1 + b3, b1 + b4


def _plain(spans: tuple[Span, ...]) -> str:
    return "".join(span.text for span in spans)


def _opcodes(
    before: Sequence[str], after: Sequence[str], *, most: int | None = None
) -> Iterator[tuple[str, int, int, int, int]]:
    """difflib's opcodes, with the common head and tail taken off first: they are the usual case.

    With `most`, what is left over of longer sequences counts as replaced, and of shorter ones
    nothing is taken for noise.
    """
    head = 0
    limit = min(len(before), len(after))
    while head < limit and before[head] == after[head]:
        head += 1
    tail = 0
    while tail < limit - head and before[-1 - tail] == after[-1 - tail]:
        tail += 1
    a_end, b_end = len(before) - tail, len(after) - tail
    if head:
        yield "equal", 0, head, 0, head
    if most is not None and max(a_end, b_end) - head > most:
        yield "replace", head, a_end, head, b_end
    else:
        old, new = before[head:a_end], after[head:b_end]
        for tag, a1, a2, b1, b2 in _matched(old, new, autojunk=most is None):
            yield tag, a1 + head, a2 + head, b1 + head, b2 + head
    if tail:
        yield "equal", a_end, len(before), b_end, len(after)


def _matched(
    old: Sequence[str], new: Sequence[str], *, autojunk: bool
) -> Iterable[tuple[str, int, int, int, int]]:
    """difflib reads best; where lines repeat too often for it, the longest common lines do."""
    left, right = Counter(old), Counter(new)
    pairs = sum(count * right[line] for line, count in left.items())
    if pairs <= _MOST_PAIRS and len(old) * len(new) <= _MOST_READ:
        return SequenceMatcher(None, old, new, autojunk=autojunk).get_opcodes()
    return _longest(old, new)


def _longest(
    old: Sequence[str], new: Sequence[str], most: int = _MOST_CELLS
) -> Iterable[tuple[str, int, int, int, int]]:
    if len(old) * len(new) > most:
        return [("replace", 0, len(old), 0, len(new))]
    ids = {line: at for at, line in enumerate({*old, *new})}
    found = LCSseq.opcodes([ids[line] for line in old], [ids[line] for line in new])
    return _merged(found)


def _merged(opcodes: Iterable[Opcode]) -> Iterator[tuple[str, int, int, int, int]]:
    """What was taken away next to what was put in is one replacement."""
    for is_equal, stretch in groupby(opcodes, key=lambda op: op.tag == "equal"):
        ops = list(stretch)
        first, last = ops[0], ops[-1]
        tag = "equal" if is_equal else "replace"
        yield tag, first.src_start, last.src_end, first.dest_start, last.dest_end


def _similar(
    before: Sequence[str], after: Sequence[str], old: tuple[int, int], new: tuple[int, int]
) -> Iterator[tuple[int, int]]:
    """Pairs of a replaced stretch that read alike, each line used once, in order."""
    start = old[0]
    for b in range(*new):
        if not after[b].strip():
            continue
        for a in range(start, min(old[1], start + 20)):
            if fuzz.ratio(before[a][:_COMPARED], after[b][:_COMPARED]) >= _SIMILAR:
                yield b + 1, a + 1
                start = a + 1
                break


def _moved(
    before: Sequence[str], after: Sequence[str], removed: list[int], added: list[int]
) -> Iterator[tuple[int, int]]:
    places = defaultdict[str, deque[int]](deque)
    for a in removed:
        if before[a].strip():
            places[before[a]].append(a)
    for b in added:
        if places.get(after[b]):
            yield b + 1, places[after[b]].popleft() + 1


def _told_moves(rows: list[Row]) -> list[Row]:
    """A line taken away here and put in there says so on both sides."""
    gone = defaultdict[str, deque[int]](deque)
    for at, row in enumerate(rows):
        if row.kind == "removed" and _plain(row.old).strip():
            gone[_plain(row.old)].append(at)
    for at, row in enumerate(rows):
        if row.kind == "added" and gone.get(text := _plain(row.new)):
            other = gone[text].popleft()
            rows[at] = replace(row, moved=rows[other].old_number)
            rows[other] = replace(rows[other], moved=row.new_number)
    return rows


def _removed(old: Sequence[str], a: int) -> Row:
    return Row("removed", a + 1, (Span(old[a], False),), None, ())


def _words(old: str, new: str, a: int, b: int) -> tuple[tuple[Span, ...], int, tuple[Span, ...]]:
    left, right = _WORDS.findall(old), _WORDS.findall(new)
    one: list[Span] = []
    two: list[Span] = []
    for tag, a1, a2, b1, b2 in _opcodes(left, right, most=_MOST_WORDS):
        one += [Span("".join(left[a1:a2]), tag != "equal")] if a2 > a1 else []
        two += [Span("".join(right[b1:b2]), tag != "equal")] if b2 > b1 else []
    return tuple(one), b + 1, tuple(two)


def _shorten(rows: list[Row], context: int, opened: Collection[int]) -> Iterator[Row]:
    """A gap hides two lines at least: one says no less than the row that would stand for it."""
    near = [False] * len(rows)
    for at, row in enumerate(rows):
        if row.kind != "same":
            for close in range(max(0, at - context), min(len(rows), at + context + 1)):
                near[close] = True
    for is_near, stretch in groupby(zip(rows, near, strict=True), key=lambda pair: pair[1]):
        shown = [row for row, _near in stretch]
        first = shown[0]
        if is_near or len(shown) == 1 or first.new_number in opened:
            yield from shown
        else:
            yield Row("gap", first.old_number, (), first.new_number, (), hidden=len(shown))
