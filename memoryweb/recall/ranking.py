"""How good each passage is for a query: one ranking, the same on every database. Pure.

BM25 (Robertson & Zaragoza, The Probabilistic Relevance Framework, 2009). A word counts where it
stands nearest, once: in the passage itself, in its headings, or in the turns or blocks around it.
What a whole conversation or file says about the words is a prior. All of it × file weight.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
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

    def __init__(
        self, passages: Sequence[int], wholes: Sequence[int], places: Sequence[int]
    ) -> None:
        """For each passage the key of its file or conversation, and what `packed` made.

        Columns, not rows: thousands of tuples would keep the garbage collector busy.
        """
        kinds = dict(zip(wholes, places, strict=True))
        self.numbers = numbers = {whole: number for number, whole in enumerate(kinds)}
        self.wholes = list(kinds)
        self.weights = [(place & _WEIGHT) / 10 for place in kinds.values()]
        self.are_turns = [bool(place & _TURN) for place in kinds.values()]
        keys = [
            numbers[whole] << _ORDINAL | place >> _ORDINAL
            for whole, place in zip(wholes, places, strict=True)
        ]
        self.keys = dict(zip(passages, keys, strict=True))
        self.passages = dict(zip(keys, passages, strict=True))
        lengths = [place >> _LENGTH & _LONGEST for place in places]
        self.lengths = dict(zip(passages, lengths, strict=True))

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


class Scores:
    """The places that were found, scored exactly only where it matters for the order.

    What a place and its whole say is a lower bound; with the sum of its neighbours it is an upper
    one. A turn may be found by what was said around it, a block only by itself.
    """

    def __init__(
        self,
        places: Places,
        own: Sequence[Mapping[int, float]],
        priors: Sequence[float],
        keys: Collection[int],
    ) -> None:
        """`own`: for each word, place → what it says of it. `priors`: for each whole."""
        self.places, self.own, self.priors, self.keys = places, own, priors, keys

    def narrowed(self, keys: Collection[int]) -> "Scores":
        return Scores(self.places, self.own, self.priors, keys)

    def of(self, key: int) -> float:
        value = 0.0
        for own in self.own:
            nearest = own.get(key, 0.0)
            for distance, worth in AROUND:
                near = own.get(key - distance)
                if near is not None and near * worth > nearest:
                    nearest = near * worth
            value += nearest
        number = key >> _ORDINAL
        return (value + self.priors[number]) * self.places.weights[number]

    def best(self, count: int) -> dict[int, float]:
        """The best places with their scores, best first; all that tie with the last one, too."""
        least = -math.inf
        if count < len(self.keys):
            least = nlargest(count, self._lower.values())[-1]
        scores = {key: self.of(key) for key in self._reaching(least)}
        if count < len(scores):
            least = nlargest(count, scores.values())[-1]
        kept = [key for key, score in scores.items() if score >= least]
        return {key: scores[key] for key in sorted(kept, key=lambda key: -scores[key])}

    def at_least(self, least: float) -> int:
        """How many places score that or more."""
        return sum(self.of(key) >= least for key in self._reaching(least))

    def shown(self, keys: Iterable[int]) -> int:
        """How many of these are hits, with at most five of one file."""
        counts = Counter([key >> _ORDINAL for key in keys])
        return sum(
            count if self.places.are_turns[number] else min(count, PER_FILE)
            for number, count in counts.items()
        )

    def _reaching(self, least: float) -> list[int]:
        """The places that may score that."""
        if least == -math.inf:
            return list(self.keys)
        # Sums of floats in another order differ in their last bits.
        return [key for key, upper in self._upper.items() if upper + 1e-9 >= least]

    @cached_property
    def _said(self) -> dict[int, float]:
        """What each place says itself, of all the words."""
        said: defaultdict[int, float] = defaultdict(float)
        for own in self.own:
            for key, value in own.items():
                said[key] += value
        return dict(said)

    @cached_property
    def _lower(self) -> dict[int, float]:
        weights, said = self.places.weights, self._said
        firsts = [prior * weight for prior, weight in zip(self.priors, weights, strict=True)]
        return {
            key: firsts[key >> _ORDINAL] + said[key] * weights[key >> _ORDINAL]
            if key in said
            else firsts[key >> _ORDINAL]
            for key in self.keys
        }

    @cached_property
    def _upper(self) -> dict[int, float]:
        """As if all that is said around a place were added up."""
        said, weights = self._said, self.places.weights
        upper = dict(self._lower)
        for distance, worth in AROUND:
            for near in upper.keys() & [key + distance for key in said]:
                upper[near] += worth * said[near - distance] * weights[near >> _ORDINAL]
        return upper


def score(
    extent: Extent,
    terms: Sequence[Postings],
    places: Places,
    last_turns: Mapping[int, int],
) -> Scores:
    average = extent.words / extent.passages if extent.passages else 0
    per_word = K1 * B / (average or 1.0)
    norms = {
        passage: K1 * (1 - B) + per_word * length for passage, length in places.lengths.items()
    }
    owns = []
    priors = [0.0] * len(places.wholes)
    for term in terms:
        having = len(term.text) + sum(passage not in term.text for passage in term.headings)
        boost = (K1 + 1) * math.log((extent.passages - having + 0.5) / (having + 0.5) + 1)
        own, counts = _own(term, places, norms, boost)
        owns.append(own)
        for number, count in counts.items():
            priors[number] += WHOLE * boost * count / (count + K1)
    said = {key for own in owns for key in own}
    return Scores(places, owns, priors, said | _beside_turns(said, places, last_turns))


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


def _beside_turns(said: Collection[int], places: Places, last_turns: Mapping[int, int]) -> set[int]:
    """The places of messages around those that were found."""
    if not any(places.are_turns):
        return set()
    ends = [last_turns.get(whole, 0) for whole in places.wholes]
    turns = [key for key in said if places.are_turns[key >> _ORDINAL]]
    return {
        near
        for distance, _worth in AROUND
        for key in turns
        if 1 <= ordinal(near := key + distance) <= ends[key >> _ORDINAL]
    }
