"""How good each passage is for a query: one ranking, the same on every database. Pure.

BM25 (Robertson & Zaragoza, The Probabilistic Relevance Framework, 2009). A word counts where it
stands nearest, once: in the passage itself, in its headings, or in the turns or blocks around it.
What a whole conversation or file says about the words is a prior. All of it × file weight.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from heapq import nlargest

K1, B = 1.2, 0.75
HEADINGS = 0.5
# Distance to a passage that has the word → what it is worth here: an answer follows its question.
AROUND = ((1, 0.35), (2, 0.15), (-1, 0.2), (-2, 0.1))
WHOLE = 0.3
PER_FILE = 5

# A passage's place in its file or conversation, packed so that an index holds all of it.
_ORDINAL, _LENGTH = 24, 8
_LONGEST = 0xFFFF
_TURN, _WEIGHT = 0x80, 0x7F


@dataclass(frozen=True)
class Extent:
    """How much the reader sees: passages, and the words in them."""

    passages: int
    words: int


@dataclass(frozen=True)
class Postings:
    """Of one word: passage → how often it says it, and the passages below headings that do."""

    text: Mapping[int, int]
    headings: Collection[int]


def packed(ordinal: int, length: int, weight: float, *, is_turn: bool) -> int:
    sizes = ordinal << _ORDINAL | min(length, _LONGEST) << _LENGTH
    return sizes | (_TURN if is_turn else 0) | round(weight * 10)


class Places:
    """Where the found passages stand. A key names a place: number of its whole, and ordinal."""

    def __init__(self, rows: Sequence[tuple[int, int, int]]) -> None:
        """`rows`: passage, the key of its file or conversation, and what `packed` made."""
        kinds = {whole: place for _passage, whole, place in rows}
        self.numbers = {whole: number for number, whole in enumerate(kinds)}
        self.wholes = list(kinds)
        self.weights = [(place & _WEIGHT) / 10 for place in kinds.values()]
        self.are_turns = [bool(place & _TURN) for place in kinds.values()]
        numbers = self.numbers
        self.keys = {
            passage: numbers[whole] << _ORDINAL | place >> _ORDINAL
            for passage, whole, place in rows
        }
        self.lengths = {passage: place >> _LENGTH & _LONGEST for passage, _whole, place in rows}
        self.passages = {key: passage for passage, key in self.keys.items()}

    @property
    def conversations(self) -> list[int]:
        return [whole for whole, turns in zip(self.wholes, self.are_turns, strict=True) if turns]

    def is_turn(self, key: int) -> bool:
        return self.are_turns[key >> _ORDINAL]

    def whole(self, key: int) -> int:
        return self.wholes[key >> _ORDINAL]

    def key(self, whole: int, ordinal: int) -> int:
        """-1 where nothing of that file or conversation was found."""
        number = self.numbers.get(whole)
        return -1 if number is None else number << _ORDINAL | ordinal


def ordinal(key: int) -> int:
    return key & (1 << _ORDINAL) - 1


def score(
    extent: Extent,
    terms: Sequence[Postings],
    places: Places,
    last_turns: Mapping[int, int],
) -> dict[int, float]:
    """Place → score. A turn may be found by what was said around it, a block only by itself."""
    average = extent.words / extent.passages if extent.passages else 0
    per_word = K1 * B / (average or 1.0)
    norms = {
        passage: K1 * (1 - B) + per_word * length for passage, length in places.lengths.items()
    }
    found: defaultdict[int, float] = defaultdict(float)
    priors: defaultdict[int, float] = defaultdict(float)
    for term in terms:
        having = len(term.text) + sum(passage not in term.text for passage in term.headings)
        idf = math.log((extent.passages - having + 0.5) / (having + 0.5) + 1)
        own, counts = _own(term, places, norms, idf * (K1 + 1))
        for key, value in _spread(own, places).items():
            found[key] += value
        for number, count in counts.items():
            priors[number] += idf * (K1 + 1) * count / (count + K1)
    ends = [last_turns.get(whole, 0) for whole in places.wholes]
    scores = {}
    for key, value in found.items():
        number = key >> _ORDINAL
        if key in places.passages or 1 <= ordinal(key) <= ends[number]:
            scores[key] = (value + WHOLE * priors[number]) * places.weights[number]
    return scores


def total(scores: Iterable[int], places: Places) -> int:
    """How many hits there are, with at most five of one file."""
    counts = Counter(key >> _ORDINAL for key in scores)
    return sum(
        count if places.are_turns[number] else min(count, PER_FILE)
        for number, count in counts.items()
    )


def best(scores: Mapping[int, float], count: int) -> list[int]:
    """Places of the best scores, best first; all that tie with the last one, too."""
    if count < len(scores):
        least = nlargest(count, scores.values())[-1]
        scores = {key: value for key, value in scores.items() if value >= least}
    return sorted(scores, key=lambda key: -scores[key])


def _own(
    term: Postings, places: Places, norms: Mapping[int, float], boost: float
) -> tuple[dict[int, float], Counter[int]]:
    """What each passage and each whole says of the word itself."""
    keys = places.keys
    values = {
        keys[passage]: boost * count / (count + norms[passage])
        for passage, count in term.text.items()
    }
    counts = Counter([key >> _ORDINAL for key in values])
    for passage, count in term.text.items():
        if count > 1:
            counts[keys[passage] >> _ORDINAL] += count - 1
    for passage in term.headings:
        value = HEADINGS * boost / (1 + norms[passage])
        key = keys[passage]
        if value > values.get(key, 0.0):
            values[key] = value
    return values, counts


def _spread(own: Mapping[int, float], places: Places) -> dict[int, float]:
    """The same with the neighbours: what is said around a passage, worth less than in it."""
    values = dict(own)
    known: Set[int] = places.passages.keys()
    if any(places.are_turns):
        known = known | _beside_turns(own, places)
    for distance, worth in AROUND:
        for near in known & {key + distance for key in own}:
            less = own[near - distance] * worth
            if values.get(near, 0.0) < less:
                values[near] = less
    return values


def _beside_turns(own: Iterable[int], places: Places) -> set[int]:
    are_turns = places.are_turns
    turns = [key for key in own if are_turns[key >> _ORDINAL]]
    return {key + distance for distance, _worth in AROUND for key in turns}
