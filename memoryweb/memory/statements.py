"""When two statements say the same, when one covers or contradicts another, and how to find it."""

import hashlib
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from rapidfuzz.distance import LCSseq

from memoryweb.memory.keys import Key, key_of
from memoryweb.memory.wording import Reading, clean, is_cjk, normalise, read
from memoryweb.memory.words import CJK_NEGATIONS, ENDINGS, NEGATIONS

__all__ = [
    "Key",
    "Lookup",
    "claim_in",
    "clean",
    "contradicts",
    "covers",
    "fingerprint",
    "key_of",
    "normalise",
    "restates",
    "same_value",
    "says_the_same",
]

SAME_SHARE = 0.75  # of the fuller statement's words, for a near-duplicate
COVERED_SHARE = 0.5  # of the fuller statement's words, for one that is contained in it
ORDER_SHARE = 0.8  # of the shorter statement's words, found in the same order
RESTATED_SHARE = 0.5  # of all words of both statements
_SENTENCE_END = re.compile(r"(?<=[.!?。！？])\s+")
_DENIALS = NEGATIONS | CJK_NEGATIONS | ENDINGS


def fingerprint(text: str) -> str:
    return hashlib.sha256(normalise(text).encode("utf-8", "surrogatepass")).hexdigest()


def says_the_same(a: str, b: str) -> bool:
    """A near-duplicate. Another number, date, name, negation or mood makes another statement."""
    one, two = read(a), read(b)
    if one.normal == two.normal:
        return True
    if one.numbers != two.numbers or not _same_sense(one, two):
        return False
    shorter, fuller = sorted((one, two), key=lambda reading: (len(reading.words), reading.normal))
    if not _contained(shorter, fuller, SAME_SHARE):
        return False
    extra = set(fuller.words) - set(shorter.words)
    return not extra & (fuller.names | fuller.numbers) and not is_cjk("".join(extra))


def covers(fuller: str, shorter: str) -> bool:
    """The fuller statement says all that the shorter one does, perhaps more."""
    one, two = read(fuller), read(shorter)
    if one.normal == two.normal:
        return True
    if len(two.words) < 2 or not two.numbers <= one.numbers or not _same_sense(one, two):
        return False
    return _contained(two, one, COVERED_SHARE)


def restates(newer: str, older: str) -> bool:
    """Nothing of the older statement is lost when only the newer one stays: one sentence of it
    differs from the older one in light words, and in what it adds."""
    two = read(older)
    if len(two.heavy) < 2 or not two.heavy <= read(newer).heavy:
        return False
    return any(_restates(read(part), two) for part in _SENTENCE_END.split(clean(newer)))


@lru_cache(maxsize=65_536)
def contradicts(a: str, b: str) -> bool:
    """Both can't be true at the same time: another value of one key, or the opposite."""
    one, two = key_of(a), key_of(b)
    if one is not None and two is not None and one == two:
        return not _agree(one.value, two.value)
    return _is_opposite(read(a), read(b))


def claim_in(text: str) -> str:
    """What a statement says apart from whether it affirms or denies it."""
    return " ".join(_undenied(read(text)))


def same_value(a: str, b: str) -> bool:
    """Both give the same attribute the same value, in more or fewer words."""
    one, two = key_of(a), key_of(b)
    return one is not None and two is not None and one == two and _agree(one.value, two.value)


class Lookup:
    """Statements that can be asked which of them cover a text, without comparing with each."""

    def __init__(self, texts: Iterable[str] = ()) -> None:
        self._by_word: dict[str, list[str]] = {}
        self._by_normal: dict[str, list[str]] = {}
        for text in texts:
            self.add(text)

    def add(self, text: str) -> None:
        reading = read(text)
        self._by_normal.setdefault(reading.normal, []).append(text)
        for word in set(reading.words):
            self._by_word.setdefault(word, []).append(text)

    def covering(self, text: str) -> Iterator[str]:
        """Each statement that says all that `text` does: equal ones, then fuller ones."""
        reading = read(text)
        yield from self._by_normal.get(reading.normal, ())
        for other in self._with_rarest_word(reading):
            if read(other).normal != reading.normal and covers(other, text):
                yield other

    def _with_rarest_word(self, reading: Reading) -> list[str]:
        postings = [self._by_word.get(word, []) for word in set(reading.words)]
        return min(postings, key=len, default=[])


def _same_sense(one: Reading, two: Reading) -> bool:
    return one.negated == two.negated and one.moods == two.moods and one.past == two.past


def _contained(shorter: Reading, fuller: Reading, share: float) -> bool:
    words = set(shorter.words)
    if not words or not words <= set(fuller.words):
        return False
    if len(words) < share * len(set(fuller.words)):
        return False
    return _in_order(words, shorter, fuller)


def _restates(one: Reading, two: Reading) -> bool:
    kept = set(one.words)
    if one.negated != two.negated or not two.numbers <= one.numbers or not two.moods <= one.moods:
        return False
    if not two.heavy <= kept or not two.names <= kept:
        return False
    shared = len(kept & set(two.words)) / len(kept | set(two.words))
    return shared >= RESTATED_SHARE and _in_order(two.heavy, two, one)


def _in_order(which: frozenset[str] | set[str], one: Reading, two: Reading) -> bool:
    ordered = [word for word in one.words if word in which - one.numbers]
    theirs = [word for word in two.words if word in which - one.numbers]
    return LCSseq.similarity(ordered, theirs) >= ORDER_SHARE * len(ordered)


def _agree(one: str, two: str) -> bool:
    """Two values of one key that differ only in how much they tell."""
    first, second = set(read(one).words), set(read(two).words)
    if normalise(one) == normalise(two):
        return True
    return bool(first and second) and (first <= second or second <= first)


def _is_opposite(one: Reading, two: Reading) -> bool:
    if one.negated == two.negated or one.moods != two.moods or one.numbers != two.numbers:
        return False
    denied, claimed = (one, two) if one.negated else (two, one)
    return len(claimed.words) > 1 and _undenied(denied) == claimed.words


def _undenied(reading: Reading) -> tuple[str, ...]:
    return tuple(word for word in reading.words if word not in _DENIALS)
