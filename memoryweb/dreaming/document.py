"""MEMORY.md or PROFILE.md as lines with headings and bullets, into which a night's results are
written."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from markdown_it import MarkdownIt
from markdown_it.token import Token

from memoryweb.dreaming.operations import MEMORY, PROFILE, LivingStatement, Result
from memoryweb.language.extraction_rules import HEADINGS, Kind, instructs
from memoryweb.language.extraction_rules.own_words import tells_who
from memoryweb.language.normal_form import clean, read
from memoryweb.language.wishes import forms_of
from memoryweb.markdown.blocks import blocks, ready
from memoryweb.markdown.file_kinds import CORE
from memoryweb.markdown.marks import MOST, Ended, marked, part
from memoryweb.markdown.pins import has_open_pin, pinned_ranges

_BULLET = re.compile(r"^ {0,3}[-*+] +\S")
_MARKDOWN = ready(MarkdownIt("commonmark"))
_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_DATE = re.compile(
    rf"\b(?:(?P<month>(?:{'|'.join(_MONTHS)})[a-z]*) )?(?P<year>(?:19|20)\d\d)(?:-\d\d){{0,2}}\b",
    re.IGNORECASE,
)
_FENCE_END = re.compile(r"^\s{0,3}(?:`{3,}|~{3,})\s*$")

# Headings of kinds in files of earlier versions, which are used where they stand.
_EARLIER: Mapping[Kind, str] = {
    Kind.IDENTITY: "Work and studies",
    Kind.RELATION: "Family and relationships",
    Kind.PREFERENCE: "Preferences and interests",
    Kind.PLAN: "Plans and commitments",
}


@dataclass(eq=False)
class Line:
    """`number` is the line's number in the text that was read, 0 for a new line, which says what
    `statement` does."""

    text: str
    number: int = 0
    statement: LivingStatement | None = None

    @property
    def is_bullet(self) -> bool:
        return bool(_BULLET.match(self.text))


class Document:
    """Bullets are added to a section, replaced or taken out; all else stays verbatim. Sections are
    known in all languages; a new one is headed in that `language`."""

    def __init__(self, text: str, path: str = MEMORY, language: str = "en") -> None:
        self.path = path
        self._names = (HEADINGS[language], *HEADINGS.values())
        pinned = pinned_ranges(text)
        texts = text.split("\n")
        self.lines = [Line(line, number) for number, line in enumerate(texts, start=1)]
        tokens = _MARKDOWN.parse(text)
        self._headings = {self.lines[at]: title for at, title in _headings(tokens)}
        self._titles = dict(self._titled())
        code = list(_code(tokens, texts))
        joined = pinned + [(first, last) for first, last, _ in code]
        self._joins_block = {n for first, last in joined for n in range(first + 1, last + 1)}
        self._ends_in_block = has_open_pin(text) or any(is_open for _, _, is_open in code)
        self._bullets: dict[str, list[list[Line]]] = defaultdict(list)  # as often as it is there
        for block in blocks(text):
            is_pinned = any(first <= block.end and block.line <= last for first, last in pinned)
            if block.kind == "bullet" and not is_pinned:
                lines = self.lines[block.line - 1 : block.end]
                self._bullets[clean(block.text)].append(lines)

    def render(self) -> str:
        return "\n".join(line.text for line in self.lines)

    def new(self) -> dict[int, LivingStatement]:
        """Numbers of the lines that were added → what they say."""
        numbered = enumerate(self.lines, start=1)
        return {number: line.statement for number, line in numbered if line.statement}

    def write(self, results: Iterable[Result]) -> None:
        """Carry out what was decided of this file, one after the other."""
        for result in results:
            here = [one.text for one in result.gone if one.path == self.path]
            gone = [lines for text in here for lines in self._bullets.pop(text, ())]
            if result.new is not None and result.new.stands and result.new.path == self.path:
                self._bring(result.new, gone)
            for lines in gone:
                self._remove(lines)
            if result.marked is not None:
                for lines in self._bullets.get(result.marked.was.text, ()):
                    self._mark(lines, result.marked.ended)

    def _mark(self, lines: list[Line], ended: Iterable[Ended]) -> None:
        """A mark's words stand in its line: one that was broken becomes one."""
        first, *rest = lines
        whole = " ".join([first.text, *(line.text.strip() for line in rest)])
        first.text = marked(part(whole)[0], ended)
        self._remove(rest)
        lines[:] = [first]

    def _bring(self, one: LivingStatement, gone: list[list[Line]]) -> None:
        """In the place of what it replaces, where that stands."""
        line = Line(marked(f"- {one.text}", one.ended), statement=one)
        self._bullets[one.text].append([line])
        if not gone:
            self.add(one.claim.kind, line)
            return
        first, *rest = gone.pop(0)
        self._titles[line] = self._titles.get(first, "")
        self.lines[self.lines.index(first)] = line
        self._remove(rest)

    def _remove(self, lines: Sequence[Line]) -> None:
        for line in lines:
            self.lines.remove(line)

    def _title(self, kind: Kind) -> str:
        """The heading that the file has for the kind, else the one that it gets."""
        titles = [of[kind] for of in self._names]
        there = filter(self._heading, [*titles, _EARLIER.get(kind, titles[0])])
        return next(there, titles[0])

    def add(self, kind: Kind, new: Line) -> None:
        """Put a bullet into the kind's section, which is made in its place when missing."""
        title = self._title(kind)
        heading = self._heading(title) or self._new_section(kind)
        start = self.lines.index(heading) + 1
        end = next(
            (at for at in range(start, len(self.lines)) if self.lines[at] in self._headings),
            len(self.lines),
        )
        while end > start and not self.lines[end - 1].text.strip():
            end -= 1
        self._titles[new] = title.casefold()
        at = self._place(start, end, new, by_date=kind is Kind.EVENT)
        if at == start:
            self._insert(at, [Line(""), new])
        else:
            self._insert(at, [new])

    def _titled(self) -> Iterator[tuple[Line, str]]:
        title = ""
        for line in self.lines:
            title = self._headings.get(line, title)
            yield line, title

    def _heading(self, title: str) -> Line | None:
        wanted = title.casefold()
        for line, name in self._headings.items():
            if name == wanted and line.number not in self._joins_block:
                return line
        return None

    def _new_section(self, kind: Kind) -> Line:
        """Before the first section that comes later, else at the end."""
        title, after = self._names[0][kind], list(Kind)[list(Kind).index(kind) + 1 :]
        later = {of[one].casefold() for of in self._names for one in after}
        following = [
            at
            for at, line in enumerate(self.lines)
            if self._headings.get(line) in later and not self._is_inside_block(at)
        ]
        heading = Line(f"## {title}")
        if following:
            self._insert(following[0], [heading, Line("")])
        else:
            self._append(heading)
        self._headings[heading] = title.casefold()
        return heading

    def _append(self, heading: Line) -> None:
        at = self._outside_block(len(self.lines))
        while at and not self.lines[at - 1].text.strip():
            at -= 1
        gap = [Line("")] if at else []
        if not self.lines[at:]:
            self.lines.append(Line(""))
        self.lines[at:at] = [*gap, heading]

    def _place(self, start: int, end: int, new: Line, *, by_date: bool) -> int:
        """Events by date; everything else below the last line that begins with the same word."""
        items = [at for at in range(start, end) if self.lines[at].is_bullet]
        at = end
        if by_date and items:
            mine = _when(new.text)
            at = next((i for i in items if _when(self.lines[i].text) > mine), end)
        elif items:
            same = [i for i in items if _first_word(self.lines[i].text) == _first_word(new.text)]
            at = next((i for i in items if i > same[-1]), end) if same else end
        return self._outside_block(at)

    def _insert(self, at: int, new: list[Line]) -> None:
        if new[-1].text and at < len(self.lines) and self.lines[at] in self._headings:
            new = [*new, Line("")]
        self.lines[at:at] = new

    def _outside_block(self, at: int) -> int:
        while self._is_inside_block(at):
            at -= 1
        return at

    def _is_inside_block(self, at: int) -> bool:
        """Whether a line put here would become part of a pinned block or of code."""
        if at == len(self.lines):
            return self._ends_in_block
        return self.lines[at].number in self._joins_block


def _headings(tokens: Sequence[Token]) -> Iterator[tuple[int, str]]:
    for at, token in enumerate(tokens):
        if token.type == "heading_open" and token.map and token.level == 0:
            yield token.map[0], " ".join(tokens[at + 1].content.split()).casefold()


def _code(tokens: Sequence[Token], lines: Sequence[str]) -> Iterator[tuple[int, int, bool]]:
    """First and last line of each piece of code, and whether it runs to the end unclosed."""
    for token in tokens:
        if token.type in {"fence", "code_block"} and token.map:
            start, end = token.map
            is_last = token.type == "fence" and not "".join(lines[end:]).strip()
            is_open = is_last and not _is_closed(lines[start:end])
            yield start + 1, len(lines) if is_open else end, is_open


def _is_closed(lines: Sequence[str]) -> bool:
    said = [line for line in lines if line.strip()]
    return len(said) > 1 and bool(_FENCE_END.match(said[-1]))


def _when(text: str) -> str:
    """Sorts by date; what has none comes last."""
    found = _DATE.search(text)
    if found is None:
        return "~"
    month = found["month"]
    return f"{found['year']}-{_MONTHS.index(month[:3].lower()) + 1:02}" if month else found.group()


def _first_word(text: str) -> str:
    return next(iter(read(clean(text)).words), "")


# Who the person is and how they want to be answered stands in their own PROFILE.md. Pure.

PROFILE_CAP = CORE[PROFILE].limit or 0  # characters


def placed(results: Iterable[Result], profile: str) -> Iterator[Result]:
    """With the file that each new statement comes into: PROFILE.md by what it says, or because
    what it replaces stood there, as long as there is room. What nothing changes stays where it
    is."""
    room = PROFILE_CAP - len(profile)
    at: dict[str, str] = {}  # of what came tonight, which the rest of the night may replace
    for result in results:
        if not result.is_applied:
            yield result
            continue
        gone = tuple(replace(one, path=at.get(one.id, one.path)) for one in result.gone)
        stood = [one for one in gone if one.path == PROFILE]
        room += sum(map(size_of, stood))
        new = result.new
        if new is not None:
            cost = size_of(new) + (0 if stood else _MARGIN)
            if (stood or _is_of_profile(new)) and cost <= room:
                new = replace(new, path=PROFILE)
                room -= cost
            at[new.id] = new.path
        yield replace(result, gone=gone, new=new)


def _is_of_profile(one: LivingStatement) -> bool:
    is_order = one.claim.kind is Kind.INSTRUCTION or bool(forms_of(one.text))
    return is_order or tells_who(one.text, one.claim)


# Which statements MEMORY.md has room for, where it has not for all. Pure.

CAP = CORE[MEMORY].limit or 0  # characters: what no prompt is given is no memory
AMPLE = CAP // 2  # a file shorter than that takes in what may be worth keeping, too
_MARGIN = 40  # a heading, perhaps
_STEADY = frozenset({Kind.IDENTITY, Kind.HEALTH})
_LONG_AGO = datetime.min.replace(tzinfo=UTC)


def leaving(living: Iterable[LivingStatement], excess: int) -> list[LivingStatement]:
    """The least worth having, as many as it takes; never what people wrote or pinned."""
    found: list[LivingStatement] = []
    if excess <= 0:
        return found
    may_leave = (one for one in living if one.stands and not one.is_fixed and one.path == MEMORY)
    for one in sorted(may_leave, key=_worth):
        if excess <= 0:
            break
        excess -= size_of(one)
        found.append(one)
    return found


def ended_out(living: Iterable[LivingStatement], size: int) -> list[LivingStatement]:
    """Where marks take more room than that, the statements of which a part ended first, if code
    knows of nothing that the rest claims."""
    there = [one for one in living if one.ended and one.stands and one.path == MEMORY]
    excess = sum(map(_ended_size, there)) - MOST * max(size, AMPLE)
    found: list[LivingStatement] = []
    for one in sorted(there, key=lambda one: (min(one.ended), one.id)):
        if excess > 0 and not one.is_fixed and not one.claim.durable:
            excess -= _ended_size(one)
            found.append(one)
    return found


def _ended_size(one: LivingStatement) -> int:
    return sum(it.size for it in one.ended)


def returning(living: Iterable[LivingStatement], room: int) -> list[LivingStatement]:
    """Of those that had no room the most worth having."""
    found = []
    for one in sorted((one for one in living if not one.stands), key=_worth, reverse=True):
        if size_of(one) + _MARGIN > room:
            break
        room -= size_of(one) + _MARGIN
        found.append(one)
    return found


def _worth(one: LivingStatement) -> tuple[bool, bool, bool, float, datetime, str]:
    kind = one.claim.kind
    at = one.by.said_at or _LONG_AGO
    is_steady, is_durable = kind in _STEADY, one.claim.durable  # else it came where there was room
    is_order = kind is Kind.INSTRUCTION or instructs(one.text)
    return is_order, is_steady, is_durable, one.value, at, one.id


def size_of(one: LivingStatement) -> int:
    return len(marked(one.text, one.ended)) + len("- \n")
