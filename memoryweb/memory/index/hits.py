"""What a search gives back, and how a hit is shown: the words around its match, marked."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from datetime import date as Day
from functools import cached_property, lru_cache
from uuid import UUID

from memoryweb.language.normal_form import read
from memoryweb.language.tokens import tokens
from memoryweb.markdown import marks
from memoryweb.markdown.marks import Ended
from memoryweb.memory.index import query_syntax
from memoryweb.memory.index.query_syntax import Cursor
from memoryweb.memory.lines.revisions import Past
from memoryweb.memory.models import Fact, File, Message, Passage

AROUND = 80
_STATEMENT = 500  # characters of a text that may be one statement
_LONGEST = 40  # of a word whose stems are remembered
NEAR = 4_000  # characters that are read word by word, which takes its time
# With what is combined with a letter, so that decomposed text stays one word.
_WORD = re.compile(r"[\w\u0300-\u036f\u3099\u309a\uff9e\uff9f]+(?:['’]\w+)*")
_RANGES = r"\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3"
_CJK = re.compile(rf"[{_RANGES}]+")
_RUN = re.compile(rf"[{_RANGES}]+|[^\W_{_RANGES}]+")
Mark = tuple[int, int]


@dataclass(frozen=True)
class Hit:
    """One block of a file, one message, or a statement that stands in no file, found by `words`,
    the stems that were asked for.

    `relevance` (0..1) says how much of the query it answers, whatever else was found. `others` are
    the places, further down, that say the same. A hit of `at:` has its `file` with the name, text
    and revision of then, and `past` to tell. `until`: when what it supports was over; `ended`:
    what of it holds no longer.
    """

    kind: str
    file: File | None
    message: Message | None
    line: int
    end_line: int
    trail: str
    text: str
    words: Collection[str] = field(compare=False)
    score: float
    relevance: float
    date: date | None
    source: str
    owner_id: UUID | None
    past: Past | None = None
    others: tuple["Hit", ...] = ()
    fact: Fact | None = None
    until: Day | None = None
    ended: tuple[Ended, ...] = ()

    @property
    def snippet(self) -> str:
        return self._excerpt[0]

    @property
    def marks(self) -> tuple[Mark, ...]:
        """Offsets of matched words in the snippet."""
        return self._excerpt[1]

    @cached_property
    def _excerpt(self) -> tuple[str, tuple[Mark, ...]]:
        """Made when it is asked for: of the hits of a prompt none is shown so."""
        return excerpt(marks.told(self.text) if self.file else self.text, self.words)

    @property
    def revision(self) -> int | None:
        """Of the file; None for a message."""
        if self.past:
            return self.past.number
        return self.file.revision if self.file else None

    @property
    def is_past(self) -> bool:
        """Whether its file says something else by now, or is gone."""
        if self.past is None:
            return False
        now = self.past.file
        return now.revision != self.past.number or now.deleted_at is not None


@dataclass(frozen=True)
class Found:
    """`last` is where this page of the search with that `stamp` ends, None when none follows.
    `notice` says why less was searched than usual."""

    total: int
    hits: tuple[Hit, ...]
    last: Cursor | None = None
    stamp: str = field(default="", compare=False)
    notice: str = ""

    @cached_property
    def cursor(self) -> str:
        """Asks for the next page. Signed when it is asked for: a prompt has one page."""
        return query_syntax.write(self.last, self.stamp) if self.last and self.stamp else ""


def hit(
    row: Passage,
    score: float,
    relevance: float,
    words: Collection[str],
    past: Past | None = None,
) -> Hit:
    """`past` is the file where it was found then."""
    text = row.said
    return Hit(
        *(row.kind, row.file, row.message, row.line, row.end_line, row.trail, text, words),
        *(score, relevance, row.date, row.source, row.owner_id, past),
        ended=marks.ended_in(text) if row.file else (),
    )


def folded(hits: Iterable[Hit], most: int | None = None) -> tuple[Hit, ...]:
    """One statement is one hit, where it stands best; at most so many, with the copies before the
    next one."""
    same: dict[object, list[Hit]] = {}
    for one in hits:
        said = _statement(one)
        if len(same) == most and said not in same:
            break
        same.setdefault(said, []).append(one)
    return tuple(
        replace(best, others=tuple(others)) if others else best for best, *others in same.values()
    )


def unfolded(hits: Iterable[Hit]) -> list[Hit]:
    """Each place by itself again, so that they can be told apart and folded anew."""
    return [
        each
        for one in hits
        for each in ((replace(one, others=()), *one.others) if one.others else (one,))
    ]


def _statement(one: Hit) -> object:
    """What it says, however it is put: another number, negation, mood or tense says another
    thing. Long texts say more than one, and are told apart by their places."""
    if len(one.text) > _STATEMENT:
        return one.file, one.message, one.line
    said = read(one.text)
    return frozenset(said.words) or said.normal, said.numbers, said.moods, said.negated, said.past


def excerpt(text: str, words: Collection[str]) -> tuple[str, tuple[Mark, ...]]:
    """80 characters on both sides of the first match, on one line, and what to mark in it."""
    found = _first(text, words)
    start, end = found or (0, 0)
    first, last = max(0, start - AROUND), min(len(text), end + (AROUND if found else 2 * AROUND))
    snippet = " ".join(text[_from_word(text, first) : _to_word(text, last, end)].split())
    return snippet, matches(snippet, words)


def _first(text: str, words: Collection[str]) -> Mark | None:
    """The first match. Far into a text it is looked for where a stem stands: most words begin
    with theirs."""
    near = next(_matches(text[:NEAR], words), None)
    if near or len(text) <= NEAR:
        return near
    folded = text.casefold()
    stems = [at for word in words if (at := folded.find(word, NEAR - AROUND)) >= 0]
    start = max(0, min(stems, default=len(text)) - AROUND)
    far = next(_matches(text[start : start + NEAR], words), None)
    return (start + far[0], start + far[1]) if far else None


def _from_word(text: str, start: int) -> int:
    """Behind a word that would be cut in two, where words are short enough to tell."""
    if not start or text[start - 1].isspace():
        return start
    space = text.find(" ", start, start + AROUND // 4)
    return start if space < 0 else space + 1


def _to_word(text: str, end: int, least: int) -> int:
    """Before a word that would be cut in two, likewise."""
    if end == len(text) or text[end].isspace():
        return end
    space = text.rfind(" ", max(least, end - AROUND // 4), end)
    return end if space < 0 else space


def matches(text: str, words: Collection[str]) -> tuple[Mark, ...]:
    """Where the words stand in a text, in order."""
    return tuple(_joined(_matches(text, words)))


def _matches(text: str, words: Collection[str]) -> Iterator[Mark]:
    for match in _WORD.finditer(text):
        if not _CJK.search(match[0]):
            if any(token in words for token in _stems(match[0])):
                yield match.span()
            continue
        for run in _RUN.finditer(match[0]):
            yield from _in_run(run[0], match.start() + run.start(), words)


def _stems(word: str) -> Sequence[str]:
    return _known_stems(word) if len(word) <= _LONGEST else tokens(word)


@lru_cache(maxsize=16384)
def _known_stems(word: str) -> Sequence[str]:
    return tokens(word)


def _in_run(run: str, start: int, words: Collection[str]) -> Iterator[Mark]:
    size = 2 if _CJK.match(run) and len(run) > 1 else len(run)
    for at in range(len(run) - size + 1):
        if any(token in words for token in tokens(run[at : at + size])):
            yield start + at, start + at + size


def _joined(marks: Iterator[Mark]) -> Iterator[Mark]:
    """Windows of two characters overlap; what they cover is marked once."""
    last: Mark | None = None
    for mark in marks:
        if last and mark[0] <= last[1]:
            last = (last[0], mark[1])
            continue
        if last:
            yield last
        last = mark
    if last:
        yield last
