"""What a claim is, and what a language brings so that claims are found in it."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import date
from enum import StrEnum
from functools import cache, cached_property, lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any

# Which words a text must have one of where a pattern matches: most patterns need not be tried.

# Python's own reader of patterns, of which no types are known.
_parser, op = import_module("re._parser"), import_module("re._constants")

_REPEATS = frozenset({op.MAX_REPEAT, op.MIN_REPEAT})


def needed(pattern: str) -> frozenset[str]:
    """In lower case, to be found anywhere in the text's; empty: it may match whatever."""
    return _needed(_parser.parse(pattern, re.IGNORECASE))


def _needed(parts: Iterable[tuple[Any, Any]]) -> frozenset[str]:
    """The most telling of what its parts need, each of which must match."""
    found, word = [], ""
    for kind, given in parts:
        if kind is op.LITERAL:
            word += chr(given).lower()
            continue
        found.append(frozenset({word}))
        word = ""
        if kind is op.SUBPATTERN:
            found.append(_needed(given[-1]))
        elif kind in _REPEATS and given[0] > 0:
            found.append(_needed(given[2]))
        elif kind is op.BRANCH:
            ways = [_needed(way) for way in given[1]]
            found.append(frozenset().union(*ways) if all(ways) else frozenset())
    return max((*found, frozenset({word})), key=_tells) - {""}


def _tells(words: frozenset[str]) -> tuple[int, int]:
    return min(map(len, words), default=0), -len(words)


LANGUAGES = ("english", "german", "chinese", "japanese")  # each a table beside this file, and
# one beside `forget_requests/table.py`; `reading.py` tells which of them a sentence is in


class Kind(StrEnum):
    IDENTITY = "identity"
    HEALTH = "health"
    RELATION = "relation"
    PREFERENCE = "preference"
    INSTRUCTION = "instruction"
    DECISION = "decision"
    PLAN = "plan"
    EVENT = "event"
    OTHER = "other"


# The heading of MEMORY.md that statements of a kind stand under, in each language of the product.
_TITLES = {
    "en": "About, Health, People, Preferences, Instructions, Decisions, Plans, Events, Other",
    "de": "Zur Person, Gesundheit, Menschen, Vorlieben, Anweisungen, Entscheidungen, Pläne, "
    "Ereignisse, Sonstiges",
    "ja": "本人, 健康, 周りの人, 好み, 指示, 決定, 予定, 出来事, その他",
}
HEADINGS = {
    language: dict(zip(Kind, titles.split(", "), strict=True))
    for language, titles in _TITLES.items()
}


class Act(StrEnum):
    STATES = "states"
    CHANGES = "changes"  # "we moved to …", "from now on …"
    CORRECTS = "corrects"  # "that's wrong, it is …"
    CANCELS = "cancels"  # "the trip is off"
    ENDS = "ends"  # "I no longer …"
    ASKS = "asks"  # "remember that …"


@dataclass(frozen=True)
class Claim:
    """`subject` is normalised, "" whoever speaks or whom the memory is about; `attribute` is ""
    where several values may stand side by side; `old` is what the sentence itself says is no
    longer so: a former value, or the thing that was cancelled; `valid_to` is the last day that
    the claim holds. `durable`: the sentence says by itself that it is worth keeping; `general`:
    by its form, and not by what it is about."""

    kind: Kind = Kind.OTHER
    act: Act = Act.STATES
    subject: str = ""
    attribute: str = ""
    value: str = ""
    old: str = ""
    valid_from: date | None = None
    valid_to: date | None = None
    durable: bool = False
    general: bool = False

    @property
    def key(self) -> tuple[str, str] | None:
        """Two claims of one key with different values are rivals; None: it rivals nothing."""
        return (self.subject, self.attribute) if self.attribute else None

    @property
    def is_against(self) -> bool:
        """It says what is no longer so, or never was, of whatever key."""
        return bool(self.old) or self.act in {Act.CORRECTS, Act.CHANGES}


@dataclass(frozen=True)
class Row:
    """One way to say one kind of thing. Groups of what is `said`, a pattern: `who` it is said of,
    `what` names the attribute further, `value`, and `old` for what is no longer so. It begins
    `anywhere`, else only where the language says that something new can start. A `general` one
    holds whatever the words, so only in a clause that says nothing of the moment or of the work
    at hand. In its `outline` each part is only the words that it needs."""

    said: str
    outline: str
    anywhere: bool
    general: bool
    kind: Kind
    act: Act
    attribute: str
    examples: tuple[str, ...] = field(compare=False)
    counter: tuple[str, ...] = field(compare=False)

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        return re.compile(self.said, re.IGNORECASE)

    @cached_property
    def needs(self) -> frozenset[str]:
        return needed(self.outline)


@dataclass(frozen=True)
class Language:
    """`rows` in the order in which they are tried, after what `start` finds. The rest are cues
    around a row's match: `asks` begins a request to remember, `topic` names before a match whom it
    is about, `maybe` makes what follows hypothetical, `jokes` takes back what was said, `laughs`
    makes light of a clause, `passing` is of the moment or of the work at hand, `asking` begins a
    question without its mark, `leans` begins what needs the sentence before and `lost` speaks of
    something that it named, `unnamed` of somebody whom nothing before names, `orders` begins a
    request to an assistant, `small` is small talk, `own` speaks of the speaker, `life` states
    something of their life with a value, `now` where it may be of the moment, which `fleeting` and
    the work at hand are, `other_one` tells more of whom the sentence before names, a `detail`
    without a verb more of what it tells, `self_words` are the speaker as a subject, `pronouns`
    somebody named before, `clause` parts clauses, `ends` is
    where a value ends."""

    rows: tuple[Row, ...]
    start: re.Pattern[str]
    asks: re.Pattern[str]
    topic: re.Pattern[str]
    maybe: re.Pattern[str]
    jokes: re.Pattern[str]
    laughs: re.Pattern[str]
    passing: re.Pattern[str]
    asking: re.Pattern[str]
    leans: re.Pattern[str]
    lost: re.Pattern[str]
    unnamed: re.Pattern[str]
    orders: re.Pattern[str]
    small: re.Pattern[str]
    own: re.Pattern[str]
    life: re.Pattern[str]
    fleeting: re.Pattern[str]
    other_one: re.Pattern[str]
    detail: re.Pattern[str]
    clause: re.Pattern[str]
    ends: re.Pattern[str]
    self_words: frozenset[str]
    pronouns: frozenset[str]

    def rows_for(self, text: str) -> list[Row]:
        """Those that may match: to look words up takes a fiftieth of what it takes to try
        patterns."""
        lowered = text.lower()
        within = [self._within(word) for word in _WORD.findall(lowered)]
        across = frozenset().union(self._wordless, *(needs for _rows, needs in within))
        there = [self._numbers[need] for need in across if need in lowered]
        found = frozenset().union(*there, *(rows for rows, _needs in within))
        return [self.rows[number] for number in sorted(found)]

    @cached_property
    def _numbers(self) -> dict[str, frozenset[int]]:
        """Of the rows that need it, by what is needed; "" is what is always there."""
        found: dict[str, set[int]] = {}
        for number, row in enumerate(self.rows):
            for need in row.needs or {""}:
                found.setdefault(need, set()).add(number)
        return {need: frozenset(numbers) for need, numbers in found.items()}

    @cached_property
    def _wordless(self) -> frozenset[str]:
        return frozenset(need for need in self._numbers if not _WORD.search(need))

    @cached_property
    def _within(self) -> Callable[[str], tuple[frozenset[int], frozenset[str]]]:
        """Of a text's word: the rows that need no more, and what else it may be a part of."""
        whole = [need for need in self._numbers if _WORD.fullmatch(need)]
        longest = {
            need: max(_WORD.findall(need), key=len)
            for need in self._numbers.keys() - whole - self._wordless
        }

        @lru_cache(maxsize=16_384)
        def within(word: str) -> tuple[frozenset[int], frozenset[str]]:
            rows = frozenset().union(*(self._numbers[need] for need in whole if need in word))
            return rows, frozenset(need for need, part in longest.items() if part in word)

        return within


_WORD = re.compile(r"[^\W\d_]+")
_WORDS = ("self_words", "pronouns")
_CUES = [one.name for one in fields(Language) if one.name not in {"rows", *_WORDS}]
PART = re.compile(r"^(?P<name>\w+) = (?P<pattern>.+)$")
_USE = re.compile(r"\{(?P<name>[a-z]\w*)\}")


@cache
def language(name: str) -> Language:
    """From `<name>.txt`: first its parts and cues, each a line `name = pattern`, in which `{name}`
    stands for another one. Then its rows, each a line `kind/act attribute :: pattern`, followed by
    its examples after `+` (`text => value` or `text => subject: value`) and counter-examples after
    `-`. A pattern that begins with `~` may match anywhere, others only after what `start` finds; a
    kind with `?` makes a row general."""
    lines = _lines(name)
    parts = {found["name"]: found["pattern"] for line in lines if (found := PART.match(line))}
    given: dict[str, Any] = {name: frozenset(parts[name].split(" ")) for name in _WORDS}
    given |= {name: compiled(parts[name], parts) for name in _CUES}
    return Language(rows=tuple(_rows(lines, parts)), **given)


@cache
def pronouns(name: str) -> frozenset[str]:
    """Without the tables, which take long to compile."""
    said = (found for line in _lines(name) if (found := PART.match(line)))
    return frozenset(next(one["pattern"] for one in said if one["name"] == "pronouns").split(" "))


def _lines(name: str) -> list[str]:
    return (Path(__file__).parent / f"{name}.txt").read_text(encoding="utf-8").splitlines()


def _rows(lines: Sequence[str], parts: Mapping[str, str]) -> Iterator[Row]:
    heads = [number for number, line in enumerate(lines) if " ::" in line and "=" not in line[:12]]
    outlines = _Outlines(parts)
    for number, following in zip(heads, [*heads[1:], len(lines)], strict=True):
        head, _, pattern = lines[number].partition("::")
        said, _, attribute = head.strip().partition(" ")
        kind, _, act = said.partition("/")
        tried = [line.strip() for line in lines[number + 1 : following]]
        pattern = pattern.strip()
        anywhere = pattern.startswith("~")
        pattern = pattern.lstrip("~ ")
        yield Row(
            _put_in(pattern, parts),
            _put_in(pattern, outlines),
            anywhere,
            said.endswith("?"),
            Kind(kind.rstrip("?")),
            Act(act.rstrip("?") or "states"),
            attribute.strip(),
            tuple(line[2:] for line in tried if line.startswith("+ ")),
            tuple(line[2:] for line in tried if line.startswith("- ")),
        )


class _Outlines(dict[str, str]):
    """Of each part its words, with something on either side that parts them from the words around.
    To read the whole patterns, mostly the same few parts, takes ten times as long."""

    def __init__(self, parts: Mapping[str, str]) -> None:
        self.parts = parts

    def __missing__(self, name: str) -> str:
        words = sorted(needed(_put_in(self.parts[name], self)))
        self[name] = f"(?:.(?:{'|'.join(re.escape(word) + '.' for word in words)}))"
        return self[name]


def compiled(pattern: str, parts: Mapping[str, str]) -> re.Pattern[str]:
    return re.compile(_put_in(pattern, parts), re.IGNORECASE)


def _put_in(pattern: str, parts: Mapping[str, str]) -> str:
    """Each `{name}`."""
    while (put := _USE.sub(lambda use: parts[use["name"]], pattern)) != pattern:
        pattern = put
    return pattern


# English as it is written in a hurry, and in full.
SHORT_FORMS = tuple(
    (re.compile(short, re.IGNORECASE), full)
    for short, full in (
        (r"\b(i|we|you|they)'ve\b|\b(i)ve\b", r"\1\2 have"),
        (r"\bi'?m\b", "I am"),
        (r"\b(we|you|they)'re\b", r"\1 are"),
        (r"\b(do|does|did|is|are|was|were|has|have|wo|ca|could|would|should)nt\b", r"\1n't"),
        (r"\bgonna\b", "going to"),
        (r"(\w)'s (been|moved|got|started|joined|gone|become|left|had|just \w+ed)\b", r"\1 has \2"),
        (r"\bju?st\b", "just"),
        (r"\bnxt\b", "next"),
        (r"\bd(?:o)?nt\b", "don't"),
        (r"(?<=[\w,] )(?-i:n)(?= \w)", "and"),
        (r"(?<=\w )(?-i:r)(?= \w)", "are"),
        (r"\bal+er?gic\b", "allergic"),
    )
)
