"""What the daily notes of the window say, each statement once, with all places that say it."""

import math
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import astuple, dataclass, field
from datetime import UTC, date, datetime, timedelta
from functools import cached_property, lru_cache
from operator import attrgetter

from memoryweb.dreaming.operations import CitableLine, Utterance, meant
from memoryweb.language.extraction_rules import Act, Kind, claim_of, tells_of_self
from memoryweb.language.normal_form import read
from memoryweb.language.statement_comparison import Lookup, clean, fingerprint
from memoryweb.memory.statements.evidence import Ground

_LEAD_IN = re.compile(
    r"^(?:(?:correction|note|reminder|update|remember|fyi|更正|纠正|訂正|メモ|备注)\s*[:：]\s*"
    r"|(?:please )?(?:remember|note|keep in mind) that\s+)",
    re.IGNORECASE,
)
# By the names that line origins have for them; the last are those of earlier versions.
_KINDS = {kind.value: kind for kind in Kind} | {"work": Kind.IDENTITY, "commitment": Kind.PLAN}
_order = attrgetter("order")
_BLOCK_MARK = re.compile(r"^(?:[#>]+\s*|[-*+]\s+)+")


@dataclass(frozen=True)
class Mention:
    """One block of a daily note. `date` is the note's, `category` empty when unknown, `by` who
    said it and when."""

    file_id: str
    path: str
    revision: int
    line: int
    date: date
    text: str
    durable: bool = False
    asked: bool = False
    category: str = ""
    human: bool = False
    waits: bool = False  # for a person, who has not looked at it yet
    outside: bool = False  # nobody in the team said it, and it is for what all of them share
    by: Utterance = field(default_factory=Utterance)
    grounds: tuple[Ground, ...] = ()

    @property
    def ref(self) -> str:
        return f"{self.path}#L{self.line}"

    @cached_property
    def order(self) -> tuple[str, str, int, str]:
        """By time and place, then by all the rest: no two different mentions tie."""
        return self.date.isoformat(), self.path, self.line, repr(self)

    def said_of(self, names: Collection[str] = ()) -> CitableLine:
        """`names`: of whom the memory is about."""
        text = clean(self.text)
        bare, whole = claim_of(as_line(text), self.date), claim_of(text, self.date)
        claim = whole if whole.act is Act.CORRECTS and bare.key is None else bare
        claim = meant(claim, text, self.by, names)
        return CitableLine(self.ref, text, self.by, self.outside, claim)


@dataclass(frozen=True)
class Recall:
    """The (conversation, query) pairs that a block was returned to, so that one query that
    returned two places of the same statement counts once, and when it last was."""

    asks: frozenset[tuple[str, str]] = frozenset()
    last: datetime | None = None

    @property
    def count(self) -> int:
        return len(self.asks)

    @property
    def queries(self) -> int:
        return len({query for _, query in self.asks})


@dataclass(frozen=True)
class Candidate:
    """`text` is the line that MEMORY.md would get, `key` its fingerprint; mentions stand in the
    order they were written."""

    key: str
    text: str
    mentions: tuple[Mention, ...]
    recall: Recall
    kind: Kind
    proposed: bool = False

    @property
    def last_date(self) -> date:
        return self.mentions[-1].date

    @property
    def days(self) -> int:
        return len({mention.date for mention in self.mentions})

    @property
    def asked(self) -> bool:
        return any(mention.asked for mention in self.mentions)

    @property
    def durable(self) -> bool:
        return any(mention.durable for mention in self.mentions)

    @property
    def is_own(self) -> bool:
        """What the owner of the memory said of themselves, in their own words."""
        return self.is_owners and tells_of_self(self.text)

    @property
    def is_owners(self) -> bool:
        """The owner of the memory said it, in these words."""
        said = [one.by for one in self.mentions if as_line(one.text) == self.text]
        return any(by.is_word and not by.speaker for by in said)

    @property
    def waits(self) -> bool:
        return any(mention.waits for mention in self.mentions)

    @property
    def outside(self) -> bool:
        """Nobody of the team said it in just these words."""
        return not any(as_line(m.text) == self.text and not m.outside for m in self.mentions)


def gather(
    mentions: Sequence[Mention], recalls: Mapping[tuple[str, int], Recall]
) -> list[Candidate]:
    """Blocks that say the same become one candidate with the fullest, then newest, text.

    `recalls` are keyed by (file_id, line). The result depends on no order of the input.
    """
    groups: dict[str, list[Mention]] = {}
    lookup = Lookup()
    latest_first = sorted(set(mentions), key=_order, reverse=True)
    lines = [(as_line(one.text), one) for one in latest_first if _is_said(one.text)]
    for text, one in sorted(lines, key=lambda line: -len(read(line[0]).words)):
        head = next(lookup.covering(text), text)
        if head not in groups:
            groups[head] = []
            lookup.add(head)
        groups[head].append(one)
    return [_candidate(text, places, recalls) for text, places in groups.items()]


@lru_cache(maxsize=16_384)
def as_line(text: str) -> str:
    """A statement as it stands in MEMORY.md: one line, no bullet, no "Correction:"."""
    line = _BLOCK_MARK.sub("", clean(text))
    bare = _LEAD_IN.sub("", line)
    return bare[:1].upper() + bare[1:] if bare != line else line


def _is_said(text: str) -> bool:
    return not clean(text).startswith("#") and bool(read(as_line(text)).words)


def _candidate(
    text: str, places: Sequence[Mention], recalls: Mapping[tuple[str, int], Recall]
) -> Candidate:
    mentions = tuple(sorted(places, key=_order))
    given = [recalls[at] for m in mentions if (at := (m.file_id, m.line)) in recalls]
    return Candidate(
        key=fingerprint(text),
        text=text,
        mentions=mentions,
        recall=Recall(
            frozenset(ask for one in given for ask in one.asks),
            max((one.last for one in given if one.last is not None), default=None),
        ),
        kind=_kind(text, mentions),
    )


def _kind(text: str, mentions: Sequence[Mention]) -> Kind:
    """What the place with this very text was marked as, else what the words say."""
    marked = sorted(mentions, key=lambda m: (as_line(m.text) == text, m.order), reverse=True)
    kinds = [_KINDS[m.category] for m in marked if m.category in _KINDS]
    known = (
        kind for kind in [*kinds, claim_of(text, mentions[-1].date).kind] if kind is not Kind.OTHER
    )
    return next(known, Kind.OTHER)


# How much a candidate weighs, from 0 to 1.

HALF_LIFE_DAYS = 7
FRESH_DAYS = 30
SPREAD_DAYS = 7
MOST_RECALLS, MOST_QUERIES = 10, 5  # more of them say no more


@dataclass(frozen=True)
class Parts:
    """The weights, which sum to 1, or what each part adds to a total, its weight already in it."""

    recall: float = 0.30
    recency: float = 0.25
    diversity: float = 0.20
    freshness: float = 0.15
    spread: float = 0.10


@dataclass(frozen=True)
class Score:
    total: float
    components: Parts


def score(
    candidates: Sequence[Candidate], now: datetime, weights: Parts | None = None
) -> dict[str, Score]:
    """Candidate key → score.

    0.30·recalls/10 + 0.25·e^(−ln2·days since last recall or mention/7) + 0.20·distinct queries/5
    + 0.15·freshness (1 → 0 over 30 days) + 0.10·distinct days mentioned/7, each part at most its
    weight and by itself: that something else was recalled lowers nothing.
    """
    return {c.key: _scored(c, now, weights or Parts()) for c in candidates}


def age_in_days(written: date, now: datetime) -> int:
    """Whole days since that UTC date ended: 0 on the date and in the night after it, wherever
    the agent lives. A note is known by its date only, so an hour would be made up."""
    ended = datetime.combine(written + timedelta(days=1), datetime.min.time(), UTC)
    return max(0, (now - ended).days)


def _scored(candidate: Candidate, now: datetime, weights: Parts) -> Score:
    age = age_in_days(candidate.last_date, now)
    recall = candidate.recall
    unused = min(age, max(0, (now - recall.last).days)) if recall.last else age
    components = Parts(
        recall=weights.recall * min(1.0, recall.count / MOST_RECALLS),
        recency=weights.recency * math.exp(-math.log(2) * unused / HALF_LIFE_DAYS),
        diversity=weights.diversity * min(1.0, recall.queries / MOST_QUERIES),
        freshness=weights.freshness * max(0.0, 1 - age / FRESH_DAYS),
        spread=weights.spread * min(1.0, candidate.days / SPREAD_DAYS),
    )
    return Score(min(1.0, math.fsum(astuple(components))), components)
