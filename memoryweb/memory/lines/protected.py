"""Pinned blocks and lines that a person edited, put back where a machine's text lost them. Pure."""

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from rapidfuzz.distance import LCSseq

from memoryweb.language.normal_form import read
from memoryweb.markdown.diff import carry
from memoryweb.markdown.pins import (
    has_open_pin,
    pinned_ranges,
    without_opening_marks,
    without_stray_closes,
)

_MOST_CELLS = 400_000_000  # of the table that finds the longest common parts: 50 MB of bits


@dataclass(frozen=True)
class _Part:
    """One line, or a pinned block as a whole."""

    text: str
    is_pinned: bool = False

    @property
    def is_heading(self) -> bool:
        return not self.is_pinned and self.text.startswith("#")

    @property
    def is_blank(self) -> bool:
        return not self.text.strip()

    @property
    def is_open(self) -> bool:
        """A pinned block that all below it would join."""
        return self.is_pinned and has_open_pin(self.text)


def keep(
    before: str,
    after: str,
    protected_lines: Collection[int],
    *,
    was_seen: bool = True,
) -> str:
    """`after` with every pinned block of `before`, and each of its lines with a number (1-based)
    in `protected_lines`, verbatim and in their order.

    What is missing comes back below the line that it followed, else at the end of its section,
    else at the end, as does a block that nothing closes: it would take in what follows. A changed
    version of it goes. All else of `after` stays as it is, so doing it again changes nothing.
    Of what the writer has not seen (`was_seen`) no line of theirs is another version, and a
    pinned block is lines like others.
    """
    if not after.strip():
        return after  # to be refused as what it is
    parts = _parts(before, was_seen)
    wanted = list(_protected(parts, protected_lines))
    kept = [parts[at] for at in wanted]
    made = _made(after, kept)
    if len(_matches(kept, made)) == len(kept):
        return after
    made = _made(_without_changed(before, after, kept) if was_seen else after, kept)
    made = _without_misplaced(parts, kept, made)
    _put_in(parts, wanted, made)
    return "\n".join(part.text for part in made)


def _parts(text: str, pins: bool) -> list[_Part]:
    lines = text.split("\n")
    parts: list[_Part] = []
    done = 0
    for first, last in pinned_ranges(text) if pins else ():
        parts += [_Part(line) for line in lines[done : first - 1]]
        parts.append(_Part("\n".join(lines[first - 1 : last]), is_pinned=True))
        done = last
    return parts + [_Part(line) for line in lines[done:]]


def _made(after: str, kept: Collection[_Part]) -> list[_Part]:
    """Its blocks that are none of those to be kept are lines like others."""
    blocks = {part for part in kept if part.is_pinned}
    parts: list[_Part] = []
    for part in _parts(after, bool(blocks)):
        is_line = not part.is_pinned or part in blocks
        parts += [part] if is_line else map(_Part, part.text.split("\n"))
    return parts


def _protected(parts: Sequence[_Part], numbers: Collection[int]) -> Iterator[int]:
    line = 1
    for at, part in enumerate(parts):
        if part.is_pinned or (line in numbers and not part.is_blank):
            yield at
        line += part.text.count("\n") + 1


def _matches(kept: Sequence[_Part], made: Sequence[_Part]) -> dict[int, int]:
    """Index in `kept` → index in `made` of the parts that stand there in order."""
    found = _in_order(kept, made)
    if len(found) == len(kept) or len(kept) * len(made) > _MOST_CELLS:
        return found
    found = {}
    for code in LCSseq.opcodes(kept, made):
        if code.tag == "equal":
            span = range(code.src_end - code.src_start)
            found.update((code.src_start + n, code.dest_start + n) for n in span)
    return found


def _in_order(kept: Sequence[_Part], made: Sequence[_Part]) -> dict[int, int]:
    """The same as far as each part is found behind the one before: all of it, or not the most."""
    places: dict[_Part, list[int]] = defaultdict(list)
    for at, part in enumerate(made):
        places[part].append(at)
    found: dict[int, int] = {}
    start = 0
    for index, part in enumerate(kept):
        there = places.get(part, ())
        nearest = bisect_left(there, start)
        if nearest < len(there):
            found[index] = there[nearest]
            start = there[nearest] + 1
    return found


def _put_in(parts: Sequence[_Part], wanted: Sequence[int], made: list[_Part]) -> None:
    """Each part that is missing in `made`, between those that must come before and after it."""
    there = _matches([parts[at] for at in wanted], made)
    highs, high = {}, len(made)
    for index in range(len(wanted) - 1, -1, -1):
        highs[index] = high
        high = there.get(index, high)
    low = put = 0
    for index, at in enumerate(wanted):
        if index in there:
            low = there[index] + put + 1
            continue
        place = _place(parts, at, made, (low, highs[index] + put))
        new = _spaced(parts, at, made, place)
        made[place:place] = new
        put += len(new)
        low = place + new.index(parts[at]) + 1


def _without_changed(before: str, after: str, kept: Sequence[_Part]) -> str:
    """Lines and blocks that are another version of what is missing become what they were, but for
    lines of others that a block took in; a pin that nothing closes is opened again below. What
    closes nothing would be taken for the end of a block that is put back."""
    there = _parts(without_stray_closes(after), pins=True)
    others = {part.text for part in _parts(before, True) if not part.is_pinned}
    missing = Counter(kept) - Counter(there)
    is_block_missing = any(part.is_pinned for part in missing)
    made: list[_Part] = []
    for part in there:
        if not part.is_pinned or part in kept or not is_block_missing:
            made.append(part)
        elif part.is_open:
            made.append(_Part(without_opening_marks(part.text)))
        else:
            made += [
                _Part(line) for line in part.text.split("\n") if line.strip() and line in others
            ]
    lines = "\n".join(part.text for part in made).split("\n")
    old = before.split("\n")
    for new, was in carry(old, lines).changed.items():
        if missing[_Part(old[was - 1])] > 0 and _begins_alike(old[was - 1], lines[new - 1]):
            missing[_Part(old[was - 1])] -= 1
            lines[new - 1] = old[was - 1]
    return "\n".join(lines)


def _begins_alike(one: str, other: str) -> bool:
    """About the same subject: another name makes another statement."""
    return read(one).words[:1] == read(other).words[:1]


def _without_misplaced(
    parts: Sequence[_Part], kept: Sequence[_Part], made: Sequence[_Part]
) -> list[_Part]:
    """Without what stands in another order, and without loose lines of a block that is gone."""
    there = _matches(kept, made)
    surplus: Counter[_Part] = Counter()
    for index, part in enumerate(kept):
        if index not in there:
            loose = [_Part(line) for line in part.text.split("\n")] if part.is_pinned else []
            surplus.update([part, *(one for one in loose if not one.is_blank)])
    free = Counter(parts) - Counter(kept)
    placed = set(there.values())
    left: list[_Part] = []
    for at, part in enumerate(made):
        is_own = at not in placed and surplus[part] > 0 and not part.is_blank
        if is_own and free[part] > 0:
            free[part] -= 1
        elif is_own:
            surplus[part] -= 1
            continue
        left.append(part)
    return left


def _place(parts: Sequence[_Part], at: int, made: Sequence[_Part], bounds: tuple[int, int]) -> int:
    low, high = bounds
    if parts[at].is_open:
        return high
    above = (parts[n] for n in range(at - 1, -1, -1))
    before = next((part for part in above if not part.is_blank), None)
    if before is not None and before in made[max(low - 1, 0) : high]:
        place = made.index(before, max(low - 1, 0), high) + 1
        while place < high and made[place].text.startswith((" ", "\t")):
            place += 1
        is_spaced = parts[at].is_pinned and parts[at - 1].is_blank
        return place + (is_spaced and place < high and made[place].is_blank)
    end = high
    above = (parts[n] for n in range(at - 1, -1, -1))
    heading = next((part for part in above if part.is_heading), None)
    if heading is not None and heading in made[:high]:
        start = max(made.index(heading, 0, high) + 1, low)
        end = next((n for n in range(start, high) if made[n].is_heading), high)
    while end > low and made[end - 1].is_blank:
        end -= 1
    return end


def _spaced(parts: Sequence[_Part], at: int, made: Sequence[_Part], place: int) -> list[_Part]:
    """The part, with a blank line before it where it had one, and after a block that had one."""
    new = [parts[at]]
    if at and parts[at - 1].is_blank and place and not made[place - 1].is_blank:
        new.insert(0, _Part(""))
    if parts[at].is_open:
        return new
    follows = made[place] if place < len(made) else None
    is_last = follows is None
    had_blank = at + 1 < len(parts) and parts[at + 1].is_blank
    if (had_blank or is_last) and (follows is None or not follows.is_blank):
        new.append(_Part(""))
    return new
