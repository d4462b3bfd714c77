"""How good each passage is for a query: one ranking, the same on every database. Pure.

BM25 (Robertson & Zaragoza, The Probabilistic Relevance Framework, 2009). A word counts where it
stands nearest, once: in the passage itself, in its headings, or in the turns or blocks around it.
What a whole conversation or file says about the words is a prior. All of it × file weight.
"""

import math
from collections import Counter
from collections.abc import Collection, Iterable, KeysView, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from heapq import nlargest
from itertools import repeat
from operator import add, rshift
from typing import TypeVar

from memoryweb.memory.index.relevance import Evidence, rarity

Number = TypeVar("Number", int, float)

K1, B = 1.2, 0.75
HEADINGS = 0.5
# Distance to a passage that has the word → what it is worth here: talk goes on about its matter.
AROUND = ((1, 0.35), (2, 0.15), (-1, 0.2), (-2, 0.1))
# Right after a question: its words are what the answer is about, and the answer seldom says them.
# So they count as if it did.
ANSWER = 1.0
# Half of what a word counts that is said close by: in the whole it may belong to other matter.
WHOLE = 0.4
# That it tells a time where one is asked for: as much as a word that a third of all passages have.
SOUGHT = 1.0
PER_FILE = 5
# So many of the best are ranked by what stands around them, too; the others follow in the order
# of what they say themselves.
EXACT = 100

# A passage's place in its file or conversation, packed so that an index holds all of it.
_ORDINAL, _LENGTH, _TELLS = 24, 11, 9
_LONGEST, _BOTH = 0x1FFF, 3
_ASKS, _TURN, _WEIGHT = 0x100, 0x80, 0x7F
_WEIGHTS = [percent / 100 for percent in range(_WEIGHT + 1)]


@dataclass(frozen=True)
class Extent:
    """How much the reader sees: passages, and the words in them."""

    passages: int
    words: int


@dataclass(frozen=True)
class Postings:
    """Of one word: passage → how often it says it, the passages below headings that do, and those
    of which it is told."""

    text: Mapping[int, int]
    headings: set[int]
    told: set[int]


def packed(
    ordinal: int,
    length: int,
    weight: float,
    *,
    is_turn: bool = False,
    asks: bool = False,
    tells: int = 0,
) -> int:
    sizes = ordinal << _ORDINAL | min(length, _LONGEST) << _LENGTH | tells << _TELLS
    return sizes | asks * _ASKS | is_turn * _TURN | round(weight * 100)


def weight_in(place: int) -> int:
    """What `packed` makes of the weight alone."""
    return place & _WEIGHT


def packed_step(ordinals: int) -> int:
    """What a packed place grows by when it comes so many later."""
    return ordinals << _ORDINAL


def ordinal_of(place: int) -> int:
    return place >> _ORDINAL


def spot_of(whole: int, ordinal: int) -> int:
    """Where a passage stands, as one number: those of its neighbours are next to it. Keys of wholes
    are spread over 60 bits, so that two whose passages meet are as good as never seen."""
    return whole + ordinal


@dataclass
class Places:
    """Where the found passages stand: in which whole, and what `packed` says of each."""

    wholes: dict[int, int]
    places: dict[int, int]

    def of(self, passages: Collection[int]) -> "Places":
        wholes = {passage: self.wholes[passage] for passage in passages}
        return Places(wholes, {passage: self.places[passage] for passage in passages})

    @cached_property
    def at(self) -> dict[int, int]:
        """Where one stands → passage."""
        ordinals = map(rshift, self.places.values(), repeat(_ORDINAL))
        return dict(zip(map(add, self.wholes.values(), ordinals), self.places, strict=True))

    @cached_property
    def files(self) -> set[int]:
        """The wholes that are files."""
        kinds = dict(zip(self.wholes.values(), self.places.values(), strict=True))
        return {whole for whole, place in kinds.items() if not place & _TURN}

    def ordinal(self, passage: int) -> int:
        return self.places[passage] >> _ORDINAL

    def is_turn(self, passage: int) -> bool:
        return bool(self.places[passage] & _TURN)

    def asks(self, passage: int) -> bool:
        return bool(self.places[passage] & _ASKS)

    def around(self, passage: int) -> list[tuple[int, float]]:
        """The found passages around one, and what their words are worth there."""
        spot, at = self.wholes[passage] + (self.places[passage] >> _ORDINAL), self.at
        found = [(at[spot - by], worth) for by, worth in AROUND if spot - by in at]
        if spot - 1 in at and self.places[at[spot - 1]] & _ASKS:
            found[0] = at[spot - 1], ANSWER
        return found


class Scores:
    """The passages that were found. What one and its whole say is a lower bound of its score."""

    def __init__(
        self,
        places: Places,
        own: Sequence[Mapping[int, float]],
        priors: Mapping[int, float],
        found: Mapping[int, float],
        rarities: Sequence[float],
        near: Mapping[int, float],
    ) -> None:
        """`own`: for each word, passage → what it says of it. `rarities`: of each word.
        `priors`: for each whole. `found`: the lower bound of each hit. `near`: what its meaning
        adds."""
        self.places, self.own, self.priors, self.rarities = places, own, priors, rarities
        self.found, self.near = found, near

    def narrowed(self, passages: Collection[int]) -> "Scores":
        if len(passages) == len(self.found):
            return self
        found = {passage: self.found[passage] for passage in passages}
        return Scores(self.places, self.own, self.priors, found, self.rarities, self.near)

    def nearer(self, near: Mapping[int, float]) -> "Scores":
        """With what is near in meaning, in shares of what the words say of the best; also those
        that say none of them."""
        if not near:
            return self
        best, packs = max(self.found.values(), default=1.0), self.places.places
        added = {one: best * share * _WEIGHTS[packs[one] & _WEIGHT] for one, share in near.items()}
        found = summed({**self.found}, added)
        return Scores(self.places, self.own, self.priors, found, self.rarities, added)

    def evidence(self, passage: int) -> Evidence:
        """A question says what is asked, and is no answer; what stands right after it says so,
        too."""
        around = self.places.around(passage)
        telling = {other for other, worth in around if worth == ANSWER}
        beside = {other for other, _worth in around}
        (beside if self.places.asks(passage) else telling).add(passage)
        here, near = set[int](), set[int]()
        for term, said in enumerate(self._saying):
            if not said.isdisjoint(telling):
                here.add(term)
            elif not said.isdisjoint(beside):
                near.add(term)
        return Evidence(frozenset(here), frozenset(near))

    @cached_property
    def _saying(self) -> list[KeysView[int]]:
        """Of each word the passages that say it."""
        return [own.keys() for own in self.own[: len(self.rarities)]]

    @cached_property
    def exact(self) -> Mapping[int, float]:
        """Those of the best, which are better than any other."""
        least = nlargest(EXACT, self.found.values())[-1] if self.found else 0.0
        return {one: self._of(one) for one in _reaching(self.found, least)}

    @cached_property
    def all(self) -> Mapping[int, float]:
        return {**self.found, **self.exact}

    def best(self, count: int) -> dict[int, float]:
        """The best passages with their scores, best first; all that tie with the last one, too."""
        scores = self.exact if count <= len(self.exact) else self.all
        kept: Iterable[int] = scores
        if count < len(scores):
            kept = _reaching(scores, nlargest(count, scores.values())[-1])
        return {one: scores[one] for one in sorted(kept, key=lambda one: -scores[one])}

    def shown(self, passages: Collection[int]) -> int:
        """How many of these are hits, with at most five of one file."""
        counts = Counter(map(self.places.wholes.__getitem__, passages))
        over = {whole: count - PER_FILE for whole, count in counts.items() if count > PER_FILE}
        return len(passages) - sum(map(over.__getitem__, over.keys() & self.places.files))

    def _of(self, passage: int) -> float:
        around = self.places.around(passage)
        if not around:
            return self.found[passage]
        value = 0.0
        for own in self.own:
            nearest = own.get(passage, 0.0)
            for other, worth in around:
                said = worth * own.get(other, 0.0)
                if said > nearest:
                    nearest = said
            value += nearest
        prior = self.priors[self.places.wholes[passage]]
        said = (value + prior) * _WEIGHTS[self.places.places[passage] & _WEIGHT]
        return said + self.near.get(passage, 0.0)


def _reaching(scores: Mapping[int, float], least: float) -> list[int]:
    return [passage for passage, score in scores.items() if score >= least]


def score(extent: Extent, terms: Sequence[Postings], sought: int, places: Places) -> Scores:
    norms = _norms(extent, places)
    owns, rarities = [], []
    priors = dict.fromkeys(places.wholes.values(), 0.0)
    said: dict[int, float] = {}
    for term in terms:
        having = len(term.text) + len((term.headings | term.told).difference(term.text))
        idf = math.log((extent.passages - having + 0.5) / (having + 0.5) + 1)
        rarities.append(rarity(extent.passages, having))
        owns.append(own := _own(term, norms, idf))
        said = summed(said, own)
        for whole, count in _counts(term, places).items():
            priors[whole] += WHOLE * idf * (K1 + 1) * count / (count + K1)
    if sought:
        owns.append(own := _telling(places, sought))
        said = summed(said, own)
    # Of thousands of passages each call would count.
    wholes, packs = places.wholes, places.places
    found = {
        passage: (value + priors[wholes[passage]]) * _WEIGHTS[packs[passage] & _WEIGHT]
        for passage, value in said.items()
    }
    return Scores(places, owns, priors, found, rarities, {})


def summed(one: dict[int, Number], other: Mapping[int, Number]) -> dict[int, Number]:
    """By key. Most keys are in one of them only."""
    if not one or not other:
        return {**one, **other}
    both = {key: one[key] + other[key] for key in one.keys() & other.keys()}
    return {**one, **other, **both}


def _norms(extent: Extent, places: Places) -> dict[int, float]:
    """Passage → what its length takes away from a word."""
    average = extent.words / extent.passages if extent.passages else 0
    per_word = K1 * B / (average or 1.0)
    lengths = [place >> _LENGTH & _LONGEST for place in places.places.values()]
    norms = {length: K1 * (1 - B) + per_word * length for length in set(lengths)}
    return dict(zip(places.places, map(norms.__getitem__, lengths), strict=True))


def _own(term: Postings, norms: Mapping[int, float], idf: float) -> dict[int, float]:
    """What each passage says of the word itself. What is told of it has no length."""
    boost = (K1 + 1) * idf
    values = {
        passage: boost * count / (count + norms[passage]) for passage, count in term.text.items()
    }
    for passage in term.headings:
        value = HEADINGS * boost / (1 + norms[passage])
        if value > values.get(passage, 0.0):
            values[passage] = value
    for passage in term.told:
        if idf > values.get(passage, 0.0):
            values[passage] = idf
    return values


def _telling(places: Places, sought: int) -> dict[int, float]:
    values = [SOUGHT * bits.bit_count() for bits in range(_BOTH + 1)]
    return {
        passage: values[tells]
        for passage, place in places.places.items()
        if (tells := place >> _TELLS & sought)
    }


def _counts(term: Postings, places: Places) -> Counter[int]:
    """How often each whole says the word."""
    counts = Counter(map(places.wholes.__getitem__, term.text))
    for passage, count in term.text.items():
        if count > 1:
            counts[places.wholes[passage]] += count - 1
    return counts
