"""When two statements say the same, when one covers or contradicts another, and how to find it."""

import hashlib
import re
from collections.abc import Collection, Iterable, Iterator
from datetime import date, timedelta
from functools import lru_cache

from rapidfuzz.distance import LCSseq

from memoryweb.language.clauses import adds_somebody, are_of_two
from memoryweb.language.comparison_words import CJK_NEGATIONS, ENDINGS, NEGATIONS
from memoryweb.language.extraction_rules import Act, Kind, claim_of, clash
from memoryweb.language.habit_times import when_in
from memoryweb.language.normal_form import Reading, clean, is_cjk, normalise, read
from memoryweb.language.sentences import MAX_MESSAGE, spans, unopened
from memoryweb.language.single_values import read_value

__all__ = [
    "Lookup",
    "cited",
    "claim_in",
    "clean",
    "contradicts",
    "covers",
    "fingerprint",
    "matters",
    "normalise",
    "overtakes",
    "restates",
    "says_all_of",
    "says_the_same",
    "tells_value",
]

SAME_SHARE = 0.75  # of the fuller statement's words, for a near-duplicate
COVERED_SHARE = 0.5  # of the fuller statement's words, for one that is contained in it
ORDER_SHARE = 0.8  # of the shorter statement's words, found in the same order
RESTATED_SHARE = 0.5  # of all words of both statements
TOPIC_WORDS, TOPIC_SHARE = 4, 0.6  # or at least so many weighty words, and so many of both's
_SENTENCE_END = re.compile(r"(?<=[.!?。！？])\s+")
_DATED = re.compile(r"(?<!\d)(?:19|20)\d\d(?:-\d\d){0,2}(?!\d)")
# Behind a value: requests to whoever listens, and that another value does not hold.
_ADDS_NOTHING = re.compile(
    r"\b(?:please|can you|could you)\b.*|[，,。]请.*|(?:而?不是|不再)[^，,。]*"
    r"|\b(?:never|not|no longer|instead of|rather than)\b[^,;.]*",
    re.IGNORECASE,
)
NEWS_DAYS = 92  # how long ago a change may lie that a note tells as news
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
    if not _contained(shorter, fuller, SAME_SHARE) or are_of_two(a, b):
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
    return _contained(two, one, COVERED_SHARE) and not adds_somebody(fuller, shorter)


def restates(newer: str, older: str) -> bool:
    """Nothing of the older statement is lost when only the newer one stays: one sentence of it
    differs from the older one in light words, and in what it adds."""
    two = read(older)
    if len(two.heavy) < 2 or not two.heavy <= read(newer).heavy:
        return False
    parts = _SENTENCE_END.split(clean(newer))
    return any(_restates(read(it), two) and not adds_somebody(it, older) for it in parts)


@lru_cache(maxsize=65_536)
def contradicts(a: str, b: str) -> bool:
    """Both can't be true at the same time: another value of one key, or the opposite."""
    one, two = claim_of(a), claim_of(b)
    if (one.kind is Kind.INSTRUCTION) != (two.kind is Kind.INSTRUCTION):
        return False  # how somebody wants to be answered says nothing of how things are
    is_other = clash(one, two) and not are_of_two(a, b, (one.value, two.value))
    return is_other or _is_opposite(read(a), read(b))


def overtakes(newer: str, older: str, *, said: date, older_said: date | None) -> bool:
    """The newer statement, of the date `said`, makes the older one outdated. One that tells of a
    change long before either was said is history, not news."""
    if not contradicts(newer, older):
        return False
    dated = _DATED.findall(newer) if claim_of(newer).act is Act.CHANGES else []
    earliest = (older_said or said) - timedelta(days=NEWS_DAYS)
    return not dated or max(dated) >= earliest.isoformat()[: len(max(dated))]


def claim_in(text: str) -> str:
    """What a statement says apart from whether it affirms or denies it."""
    return " ".join(_undenied(read(text)))


def tells_value(fuller: str, shorter: str) -> bool:
    """Both give the same attribute the same value, and all else that the shorter one says stands
    in the fuller one, too."""
    one, two = claim_of(fuller), claim_of(shorter)
    if one.key is None or one.key != two.key or not _tells(one.value, two.value):
        return False
    if are_of_two(fuller, shorter, (one.value, two.value)):
        return False
    rest = read(_ADDS_NOTHING.sub("", shorter.partition(two.value)[2]))
    return rest.heavy | rest.numbers <= set(read(fuller).words) | read(fuller).numbers


def cited(message: str, said: str) -> tuple[int, int] | None:
    """The characters of a message that a statement was made of: the sentences, next to each other,
    that it says all of. None where it is in other words."""
    known, is_open = set(read(said).words), False
    runs: list[tuple[int, int]] = []
    for start, end in spans(message[:MAX_MESSAGE]):
        words = read(unopened(message[start:end].strip())).words
        if words and known.issuperset(words):
            runs.append((runs.pop()[0] if is_open else start, end))
            is_open = True
        elif message[start:end].strip():
            is_open = False
    first, last = max(runs, key=lambda run: run[1] - run[0], default=(0, 0))
    text = message[first:last]
    if not text or not covers(said, text):
        return None
    return last - len(text.lstrip()), first + len(text.rstrip())


class Lookup:
    """Statements that can be asked which of them a text has to do with, without comparing with
    each. What is found comes in the order in which it was added."""

    def __init__(self, texts: Iterable[str] = ()) -> None:
        self._order: dict[str, int] = {}
        self._by_word: dict[str, list[str]] = {}
        self._by_sign: dict[str, list[str]] = {}
        self._by_normal: dict[str, list[str]] = {}
        self._by_matter: dict[str, list[str]] = {}
        for text in texts:
            self.add(text)

    def add(self, text: str) -> None:
        if text in self._order:
            return
        self._order[text] = len(self._order)
        reading = read(text)
        self._by_normal.setdefault(reading.normal, []).append(text)
        for word in set(reading.words):
            self._by_word.setdefault(word, []).append(text)
        if reading.words:
            self._by_sign.setdefault(_sign(reading), []).append(text)
        for matter in matters(text):
            self._by_matter.setdefault(matter, []).append(text)

    def covering(self, text: str) -> Iterator[str]:
        """Each statement that says all that `text` does: equal ones, then fuller ones."""
        reading = read(text)
        yield from self._by_normal.get(reading.normal, ())
        for other in self.with_all(set(reading.words)):
            if read(other).normal != reading.normal and covers(other, text):
                yield other

    def restating(self, text: str) -> Iterator[str]:
        """Each that leaves nothing of `text` to be said, in other words or with more to it."""
        close = [*self.with_all(read(text).heavy), *self.opposing(text)]
        for other in self._sorted(close):
            longer = len(read(other).words) >= len(read(text).words)
            if restates(other, text) or (longer and tells_value(other, text)):
                yield other

    def within(self, text: str) -> Iterator[str]:
        """Each of which `text` says all."""
        reading = read(text)
        close = [*self._by_normal.get(reading.normal, ()), *self.opposing(text)]
        for word in set(reading.words):
            close += self._by_sign.get(word, ())
        yield from (other for other in self._sorted(close) if says_all_of(text, other))

    def opposing(self, text: str) -> Iterator[str]:
        """Each that speaks of the same matter, so that it may contradict `text`."""
        yield from self._sorted(
            other for matter in matters(text) for other in self._by_matter.get(matter, ())
        )

    def with_all(self, words: Collection[str]) -> list[str]:
        """Few statements, among them all that have each of these words."""
        return min((self._by_word.get(word, []) for word in words), key=len, default=[])

    def _sorted(self, texts: Iterable[str]) -> list[str]:
        return sorted(set(texts), key=self._order.__getitem__)


def matters(text: str) -> set[str]:
    """Two statements can only contradict each other when they share one of these."""
    key, one = claim_of(text).key, read_value(text)
    of_key = {": ".join(key)} if key else set()
    return {claim_in(text)} | of_key | ({f"{one[0]} …"} if one else set())


def says_all_of(text: str, other: str) -> bool:
    return covers(text, other) or restates(text, other) or tells_value(text, other)


def _tells(value: str, other: str) -> bool:
    """The same, and nothing of the other one is missing here."""
    one, two = when_in(value), when_in(other)
    if not (one.is_empty or two.is_empty):
        return one.tells(two)
    words = set(read(other).words)
    return bool(words) and words <= set(read(value).words)


def _sign(reading: Reading) -> str:
    """A word that a text which says all of this one has, too."""
    return max(reading.heavy or reading.words, key=lambda word: (len(word), word))


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
    is_close = _share(kept, set(two.words)) >= RESTATED_SHARE
    is_same_topic = len(two.heavy) >= TOPIC_WORDS and _share(one.heavy, two.heavy) >= TOPIC_SHARE
    return (is_close or is_same_topic) and _in_order(two.heavy, two, one)


def _share(one: Collection[str], two: Collection[str]) -> float:
    return len(set(one) & set(two)) / max(len(set(one) | set(two)), 1)


def _in_order(which: frozenset[str] | set[str], one: Reading, two: Reading) -> bool:
    ordered = [word for word in one.words if word in which - one.numbers]
    theirs = [word for word in two.words if word in which - one.numbers]
    return LCSseq.similarity(ordered, theirs) >= ORDER_SHARE * len(ordered)


def _is_opposite(one: Reading, two: Reading) -> bool:
    if one.negated == two.negated or one.moods != two.moods or one.numbers != two.numbers:
        return False
    denied, claimed = (one, two) if one.negated else (two, one)
    return len(claimed.words) > 1 and _undenied(denied) == claimed.words


def _undenied(reading: Reading) -> tuple[str, ...]:
    return tuple(word for word in reading.words if word not in _DENIALS)
