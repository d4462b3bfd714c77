"""What later notes say against a statement: another value, or that a person takes it back."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from memoryweb.dreaming.candidates import Candidate, Mention
from memoryweb.dreaming.operations import is_later
from memoryweb.language.normal_form import read
from memoryweb.language.statements import (
    clean,
    contradicts,
    covers,
    matters,
    overtakes,
    says_the_same,
)

_MARK = re.compile(
    r"^(?:correction|correcting myself|to correct (?:myself|that)|i was wrong|i misspoke"
    r"|更正|纠正|糾正|訂正)(?:\s*[:：,，.。]\s*|\s+)(?P<rest>.+)$",
    re.IGNORECASE,
)
_INSTEAD: tuple[re.Pattern[str], ...] = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"不是(?P<dropped>[^，,。]+?)[，,]?\s*(?:而是|是)(?P<kept>[^。]+)",
        r"(?:^|[はが、])(?P<dropped>[^はが、。]+?)(?:では|じゃ)なくて?[、,]?(?P<kept>[^。]+)",
        r"\bnot (?P<dropped>[^,;.]+?),? but (?P<kept>[^;.]+)",
        r"\bactually,? (?P<kept>[^;]+?),? (?:and )?not (?P<dropped>[^,;.]+)",
        r"(?P<kept>[^;]+?), not (?P<dropped>[^,;.]+)",
        r"(?P<kept>[^;]+?),? (?:and )?never (?P<dropped>(?:on|at|in) [^,;.]+)",
        r"(?P<kept>[^;]+?) instead of (?P<dropped>[^,;.]+)",
    )
)
_HINT = re.compile(r"\bnot\b|n't\b|\bnever\b|instead of|不是|では|じゃ", re.IGNORECASE)
_DENIED = re.compile(r"\bactually,?\b.*\b(?:not|never|n't)\b", re.IGNORECASE)
_LIKENESS = 0.5  # of all words of both, for a marked correction that names no old value
_ALIKE = 0.75  # of the earlier statement's other words, where nothing marks the correction


@dataclass(frozen=True)
class Correction:
    """`dropped` is empty where the sentence only gives the new wording."""

    kept: str
    dropped: str
    marked: bool


@lru_cache(maxsize=8_192)
def correction_in(text: str) -> Correction | None:
    line = clean(text)
    marked = _MARK.match(line)
    rest = marked["rest"] if marked else line
    if marked is None and not _HINT.search(rest):
        return None
    for pattern in _INSTEAD:
        found = pattern.search(rest)
        if found is not None and read(found["dropped"]).words:
            return Correction(found["kept"], found["dropped"], marked is not None)
    if marked is not None or _DENIED.search(rest):
        return Correction(rest, "", marked is not None)
    return None


def corrects(later: str, earlier: str) -> bool:
    """The later statement takes the earlier one back."""
    correction = correction_in(later)
    if correction is None or not _speaks_of(later, correction, earlier):
        return False
    return not says_the_same(later, earlier) and not covers(earlier, later)


class Corrections:
    """Sentences that may take something back, so that a text is compared with few of them."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._order: dict[str, int] = {}
        self._by_sign: dict[str, list[str]] = {}
        for text in texts:
            correction = correction_in(text)
            if correction is None or text in self._order:
                continue
            self._order[text] = len(self._order)
            for sign in _signs(correction):
                self._by_sign.setdefault(sign, []).append(text)

    def near(self, earlier: str) -> list[str]:
        """Few, among them all that may take `earlier` back, in the order they were given."""
        near = {
            text
            for sign in matters(earlier) | set(read(earlier).words)
            for text in self._by_sign.get(sign, ())
        }
        return sorted(near, key=self._order.__getitem__)


def _signs(correction: Correction) -> set[str]:
    """Each statement that it takes back has one of these words or matters."""
    dropped = read(correction.dropped).words
    if dropped:
        return {max(dropped, key=lambda word: (len(word), word))}
    return matters(correction.kept) | set(read(correction.kept).words)


def _speaks_of(later: str, correction: Correction, earlier: str) -> bool:
    if correction.dropped:
        return _names_what_it_drops(later, correction, earlier)
    if contradicts(correction.kept, earlier):
        return True
    return correction.marked and _likeness(correction.kept, earlier) >= _LIKENESS


def _names_what_it_drops(later: str, correction: Correction, earlier: str) -> bool:
    dropped, kept = set(read(correction.dropped).words), set(read(correction.kept).words)
    held, said = set(read(earlier).words), set(read(later).words)
    if not dropped <= held or (kept and kept <= held):
        return False
    numbers = read(earlier).numbers - read(correction.dropped).numbers
    if not numbers <= read(later).numbers:
        return False  # the same thing at another time
    rest = held - dropped
    share = _LIKENESS if correction.marked else _ALIKE
    return len(rest & said) >= share * len(rest)


def _likeness(one: str, two: str) -> float:
    if covers(one, two) or covers(two, one):
        return 0.0
    first, second = set(read(one).words), set(read(two).words)
    return len(first & second) / max(len(first | second), 1)


class Conflicts:
    """The candidates of one night, grouped so that each is compared with few."""

    def __init__(self, candidates: Sequence[Candidate]) -> None:
        self._groups: dict[str, list[Candidate]] = {}
        self._places: dict[str, list[Mention]] = {}
        for candidate in candidates:
            for group in matters(candidate.text):
                self._groups.setdefault(group, []).append(candidate)
            for mention in candidate.mentions:
                self._places.setdefault(mention.text, []).append(mention)
        self._corrections = Corrections(self._places)

    def newer(self, candidate: Candidate) -> Mention | None:
        """The place of a later statement that can't be true together with this one."""
        for group in sorted(matters(candidate.text)):
            for other in self._groups.get(group, ()):
                newest = other.mentions[-1]
                if _is_later(newest, candidate) and overtakes(
                    other.text, candidate.text, said=newest.date, older_said=candidate.last_date
                ):
                    return newest
        return None

    def correction(self, candidate: Candidate) -> Mention | None:
        """The place where it was taken back after it was last said."""
        for text in self._corrections.near(candidate.text):
            later = [m for m in self._places[text] if _is_later(m, candidate)]
            if later and corrects(text, candidate.text):
                return later[0]
        return None


def _is_later(one: Mention, other: Candidate) -> bool:
    return is_later(one.by.said_at, other.mentions[-1].by.said_at)
