"""How good each passage is for a query: one ranking, the same on every database. Pure.

BM25 (Robertson & Zaragoza, The Probabilistic Relevance Framework, 2009). A word counts where it
stands nearest, once: in the passage itself, in its headings, or in the turns or blocks around it.
What a whole conversation or file says about the words is a prior. All of it × file weight.
"""

import math
from collections import Counter
from collections.abc import Collection, Iterable, KeysView, Mapping, Sequence, Set
from dataclasses import dataclass
from heapq import nlargest
from typing import TypeVar

from memoryweb.search.relevance import Evidence, rarity

Number = TypeVar("Number", int, float)

K1, B = 1.2, 0.75
HEADINGS = 0.5
# Distance to a passage that has the word → what it is worth here: an answer follows its question.
AROUND = ((1, 0.35), (2, 0.15), (-1, 0.2), (-2, 0.1))
_ALL_AROUND = sum(worth for _distance, worth in AROUND)
WHOLE = 0.3
PER_FILE = 5

# A passage's place in its file or conversation, packed so that an index holds all of it.
_ORDINAL, _LENGTH = 24, 8
_LONGEST = 0xFFFF
_TURN, _WEIGHT = 0x80, 0x7F


# Of passages: their ids, the keys of their wholes, and what `packed` made of each. Columns, not
# rows: thousands of tuples would keep the garbage collector busy.
Columns = tuple[Sequence[int], ...]


@dataclass(frozen=True)
class Extent:
    """How much the reader sees: passages, and the words in them."""

    passages: int
    words: int


@dataclass(frozen=True)
class Postings:
    """Of one word: passage → how often it says it, and the passages below headings that do."""

    text: Mapping[int, int]
    headings: Set[int]


def packed(ordinal: int, length: int, weight: float, *, is_turn: bool) -> int:
    sizes = ordinal << _ORDINAL | min(length, _LONGEST) << _LENGTH
    return sizes | (_TURN if is_turn else 0) | round(weight * 10)


def packed_step(ordinals: int) -> int:
    """What a packed place grows by when it comes so many later."""
    return ordinals << _ORDINAL


def ordinal_of(place: int) -> int:
    return place >> _ORDINAL


class Places:
    """Where the found passages stand. A key names a place: number of its whole, and ordinal."""

    def __init__(
        self, passages: Sequence[int], wholes: Sequence[int], places: Sequence[int]
    ) -> None:
        kinds = dict(zip(wholes, places, strict=True))
        self.wholes = list(kinds)
        self.weights = [(place & _WEIGHT) / 10 for place in kinds.values()]
        self.are_turns = [bool(place & _TURN) for place in kinds.values()]
        self.firsts = firsts = {whole: number << _ORDINAL for number, whole in enumerate(kinds)}
        keys = [
            firsts[whole] | place >> _ORDINAL for whole, place in zip(wholes, places, strict=True)
        ]
        self.keys = dict(zip(passages, keys, strict=True))
        self.passages = dict(zip(keys, passages, strict=True))
        self.lengths = [place >> _LENGTH & _LONGEST for place in places]

    def is_turn(self, key: int) -> bool:
        return self.are_turns[key >> _ORDINAL]

    def whole(self, key: int) -> int:
        return self.wholes[key >> _ORDINAL]

    def key(self, whole: int, ordinal: int) -> int:
        """-1 where nothing of that file or conversation was found."""
        first = self.firsts.get(whole)
        return -1 if first is None else first | ordinal


def ordinal(key: int) -> int:
    return key & (1 << _ORDINAL) - 1


class Scores:
    """The places that were found, scored exactly only where it matters for the order.

    What a place and its whole say is a lower bound; with the sum of its neighbours it is an upper
    one. A hit says a word of the query itself: what stands around it only ranks it.
    """

    def __init__(
        self,
        places: Places,
        own: Sequence[Mapping[int, float]],
        priors: Sequence[float],
        said: Mapping[int, float],
        found: Mapping[int, float],
        rarities: Sequence[float],
    ) -> None:
        """`own`: for each word, place → what it says of it. `rarities`: of each word.
        `priors`: for each whole.

        `said`: place → what it says itself of all the words; `found`: the same of all hits.
        """
        self.places, self.own, self.priors, self.rarities = places, own, priors, rarities
        self._said, self._found = said, found

    @property
    def keys(self) -> KeysView[int]:
        return self._found.keys()

    def narrowed(self, keys: Collection[int]) -> "Scores":
        if len(keys) == len(self._found):
            return self
        found = {key: self._found[key] for key in keys}
        return Scores(self.places, self.own, self.priors, self._said, found, self.rarities)

    def evidence(self, key: int) -> Evidence:
        around = [key - distance for distance, _worth in AROUND]
        here = frozenset(term for term, own in enumerate(self.own) if key in own)
        near = (term for term, own in enumerate(self.own) if any(other in own for other in around))
        return Evidence(here, frozenset(near) - here)

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
        least = self._sure(count) if count < len(self._found) else -math.inf
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

    def _sure(self, count: int) -> float:
        """A score that so many places have for certain: some of those that say most themselves."""
        least = nlargest(4 * count, self._found.values())[-1]
        weights, priors = self.places.weights, self.priors
        lower = {
            key: (value + priors[key >> _ORDINAL]) * weights[key >> _ORDINAL]
            for key, value in self._found.items()
            if value >= least
        }
        good = nlargest(2 * count, lower, key=lower.__getitem__)
        return nlargest(count, map(self.of, good))[-1]

    def _reaching(self, least: float) -> list[int]:
        """The places that may score that."""
        if least == -math.inf:
            return list(self._found)
        # Sums of floats in another order differ in their last bits.
        needed = [
            least / weight - prior - 1e-9
            for weight, prior in zip(self.places.weights, self.priors, strict=True)
        ]
        lowest = min(needed)
        found = self._found
        return [
            key
            for key in self._near(lowest)
            if key in found
            and (
                found[key] >= (enough := needed[key >> _ORDINAL])
                or found[key] + self._around(key) >= enough
            )
        ]

    def _near(self, least: float) -> Iterable[int]:
        """The places that may say that: with little of their own only beside one that says much."""
        if least <= 0:
            return self._found
        much = 0.6 * least
        little = least - _ALL_AROUND * much
        near = {key for key, value in self._said.items() if value >= little}
        telling = [key for key in near if self._said[key] >= much]
        return near.union(*([key + distance for key in telling] for distance, _worth in AROUND))

    def _around(self, key: int) -> float:
        """As if all that is said around a place were added up."""
        get = self._said.get
        value = 0.0
        for distance, worth in AROUND:
            value += worth * get(key - distance, 0.0)
        return value


def score(
    extent: Extent,
    terms: Sequence[Postings],
    places: Places,
) -> Scores:
    norms = _norms(extent, places)
    owns, rarities = [], []
    priors = [0.0] * len(places.wholes)
    said: dict[int, float] = {}
    for term in terms:
        having = len(term.text) + len(term.headings - term.text.keys())
        rarities.append(rarity(extent.passages, having))
        boost = (K1 + 1) * math.log((extent.passages - having + 0.5) / (having + 0.5) + 1)
        own, counts = _own(term, places, norms, boost)
        owns.append(own)
        said = summed(said, own)
        for number, count in counts.items():
            priors[number] += WHOLE * boost * count / (count + K1)
    return Scores(places, owns, priors, said, said, rarities)


def summed(one: dict[int, Number], other: Mapping[int, Number]) -> dict[int, Number]:
    """By key. Most keys are in one of them only."""
    both = {key: one[key] + other[key] for key in one.keys() & other.keys()}
    return {**one, **other, **both}


def _norms(extent: Extent, places: Places) -> dict[int, float]:
    """Passage → what its length takes away from a word."""
    average = extent.words / extent.passages if extent.passages else 0
    per_word = K1 * B / (average or 1.0)
    norms = {length: K1 * (1 - B) + per_word * length for length in set(places.lengths)}
    return dict(zip(places.keys, map(norms.__getitem__, places.lengths), strict=True))


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
