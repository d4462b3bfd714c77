"""The lines of a proposed change, one by one, and the text that some of them leave."""

import hashlib
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from memoryweb.language.statement_comparison import clean, fingerprint
from memoryweb.markdown.diff import Row, Span, side_by_side
from memoryweb.memory.lines.revisions import content_of
from memoryweb.memory.models import Proposal
from memoryweb.memory.writing.proposing import states

_BULLET = re.compile(r"\s*(?:[-*+]|\d+[.)])\s+")


@dataclass(frozen=True)
class Change:
    """One statement that comes, changes or goes, under its heading."""

    number: int  # from 1
    row: Row
    heading: str

    @property
    def kind(self) -> Literal["add", "change", "retire"]:
        if self.row.kind == "added":
            return "add"
        return "retire" if self.row.kind == "removed" else "change"

    @property
    def new(self) -> str:
        return unmarked(plain(self.row.new))


@dataclass(frozen=True)
class Pick:
    """What a person takes of a change, and their own words for some of it, by numbers: those that
    say the same as what is proposed are nobody's. `seen` tells which change they saw."""

    numbers: frozenset[int]
    edits: Mapping[int, str] = field(default_factory=dict)
    seen: str = ""


@dataclass(frozen=True)
class PickOutcome:
    """`came`: line of the content → line of what was proposed. `edited`: line → a person's words.
    `left_out`, `kept`: numbers of the lines of the proposed and of the current text that were not
    taken, and that stay for it."""

    content: str
    came: dict[int, int]
    edited: dict[int, str]
    left_out: list[int]
    kept: list[int]


def changes_of(before: str, after: str) -> list[Change]:
    return [one for _row, one, _section in _numbered(before, after) if one]


def print_of(before: str, after: str) -> str:
    """Tells a change from another one of the same proposal."""
    both = f"{before}\0{after}".encode("utf-8", "surrogatepass")
    return hashlib.sha256(both).hexdigest()[:32]


def take(before: str, after: str, picked: Pick) -> PickOutcome:
    """Headings and blank lines come with the first statement of their section that does, and go
    with the last; a line that only moved does so with any."""
    rows = list(_numbered(before, after))
    sections: dict[str, set[int]] = defaultdict(set)
    for _row, one, section in rows:
        sections[section] |= {one.number} if one else set()
    lines: list[str] = []
    taken = PickOutcome("", {}, {}, [], [])
    for row, change, section in rows:
        if change is None:
            is_taken = _is_along(row, sections[section] or picked.numbers, picked.numbers)
        else:
            is_taken = change.number in picked.numbers
            taken.left_out.extend([row.new_number] if row.new_number and not is_taken else [])
            taken.kept.extend([row.old_number] if row.old_number and not is_taken else [])
        number = row.new_number if is_taken else row.old_number
        if number is None:
            continue
        lines.append(plain(row.new if is_taken else row.old))
        if is_taken and row.new_number:
            taken.came[len(lines)] = row.new_number
        words = picked.edits.get(change.number) if is_taken and change else None
        if change and words is not None and words != change.new:
            bullet = _BULLET.match(lines[-1])
            taken.edited[len(lines)] = (bullet[0] if bullet else "") + " ".join(words.split())
    content = "\n".join(lines)
    return PickOutcome(content, taken.came, taken.edited, taken.left_out, taken.kept)


def brings(proposal: Proposal, text: str) -> bool:
    return text in proposal.raw_content


def not_taken(proposal: Proposal) -> tuple[set[str], set[str]]:
    """What a person left out of a proposal, and what stayed for it, as prints."""
    taken = proposal.taken
    out, stayed = taken.get("left_out", ()), taken.get("kept", ())
    before = content_of(proposal.file, taken["before"]) if stayed else ""
    return _prints(proposal.raw_content, out), _prints(before, stayed)


def _prints(content: str, numbers: Iterable[int]) -> set[str]:
    lines = content.split("\n")
    return {fingerprint(clean(lines[n - 1])) for n in numbers if n <= len(lines)}


def unmarked(line: str) -> str:
    """A line without the mark of its bullet."""
    return line[match.end() :] if (match := _BULLET.match(line)) else line


def spans_of(spans: Sequence[Span]) -> list[Span]:
    """The same of a line's marked words."""
    bullet = _BULLET.match(plain(tuple(spans)))
    skipped, shown = bullet.end() if bullet else 0, []
    for span in spans:
        shown += [Span(span.text[skipped:], span.marked)] if len(span.text) > skipped else []
        skipped = max(0, skipped - len(span.text))
    return shown


def _numbered(before: str, after: str) -> Iterator[tuple[Row, Change | None, str]]:
    """Every row with the change that it is, if it is one, and the heading that it is under, in the
    text that it is of."""
    number, old, new = 0, "", ""
    for row in side_by_side(before, after, context=None):
        was, says = plain(row.old), plain(row.new)
        old = was.lstrip("# ").strip() if was.startswith("#") else old
        new = says.lstrip("# ").strip() if says.startswith("#") else new
        heading = old if row.kind == "removed" else new
        if row.kind == "same" or row.moved is not None or not states(says or was):
            yield row, None, heading
        else:
            number += 1
            yield row, Change(number, row, heading), heading


def _is_along(row: Row, beside: Collection[int], picked: Collection[int]) -> bool:
    if row.kind == "same" or row.moved is not None:
        return row.kind == "same" or bool(picked)
    if row.kind == "removed":
        return all(one in picked for one in beside)
    return any(one in picked for one in beside)


def plain(spans: Sequence[Span]) -> str:
    """What they say together."""
    return "".join(span.text for span in spans)
