"""What a request means: whether a statement is what somebody asked to forget."""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property

from memoryweb.language.comparison_words import NUMBERS
from memoryweb.language.extraction_rules import Claim, claim_of
from memoryweb.language.extraction_rules.model import LANGUAGES
from memoryweb.language.extraction_rules.reading import languages_of
from memoryweb.language.forget_requests.table import Table, Topic, table
from memoryweb.language.normal_form import clean, is_cjk, normalise, read
from memoryweb.language.tokens import tokens

# Whom a memory is about, as programs write of them.
_OWNERS = frozenset(["user", "customer", "client", "guest", "person", "owner", "he", "she", "they"])
_SHARED_START = 5  # letters; "allergy" means "allergic", too
_SHORTEST = 4  # letters of a word that has an ending: "Hunde", "cars"
_ENDINGS = frozenset(["s", "es", "e", "en", "n"])


class Fit(IntEnum):
    NO = 0
    MAYBE = 1
    YES = 2


@dataclass(frozen=True)
class Meaning:
    """`words` must all stand in a statement, and it must say one of the `topics`, if there are
    any, or their name as the request does (`named`); of a clause its `weighty` ones, numbers and
    names, will do. `is_last`: what was said just before, of which `is_that` means one sentence;
    `is_all`: everything."""

    about: str
    words: frozenset[str] = frozenset()
    topics: tuple[Topic, ...] = ()
    named: frozenset[str] = frozenset()
    weighty: frozenset[str] = frozenset()
    is_own: bool = False
    is_clause: bool = False
    is_last: bool = False
    is_that: bool = False
    is_all: bool = False

    @property
    def is_topic(self) -> bool:
        """It names no more than a topic: "my weight"."""
        return bool(self.topics) and not (self.words or self.weighty or self.is_clause)

    @cached_property
    def searched(self) -> frozenset[str]:
        """One of these tokens of search stands in what fits."""
        said = [word for topic in self.topics for word in topic.words]
        kept = (*self.words, *self.named, *said)
        return frozenset(token for text in kept for token in tokens(text))

    @cached_property
    def signs(self) -> frozenset[str]:
        """Those that no search finds within a text: one character of a script without spaces."""
        return frozenset(token for token in self.searched if len(token) == 1 and is_cjk(token))

    def may_be_in(self, text: str) -> bool:
        return bool(self.searched & {*tokens(text)}) or any(sign in text for sign in self.signs)

    @cached_property
    def stubs(self) -> frozenset[str] | None:
        """One of these stands in what fits, in capitals or not, as far as letters stay the same in
        all forms of a word; None where that can't be told."""
        found = {_stub(token) for token in self.searched}
        spelled = {_stub(word) for word, number in NUMBERS.items() if number in self.searched}
        return None if "" in found else frozenset(found | spelled)


def meant_by(about: str, language: str = "") -> tuple[Meaning, ...]:
    """What stands behind "forget"; several where it names several things."""
    found = table(language or _language_of(about))
    parts = [part.strip(" .!。！,，、") for part in found.parts.split(about)]
    return tuple(_meaning(part, found) for part in parts if part)


def fit(
    meaning: Meaning, text: str, *, claim: Claim | None = None, names: Collection[str] = ()
) -> Fit:
    """Whether a statement or sentence says what is meant; `claim` is what it claims, where that is
    known, and `names` are the speaker's own."""
    if meaning.is_all:
        return Fit.YES
    if meaning.is_last:
        return Fit.NO
    claim = claim or claim_of(clean(text))
    missing = [word for word in meaning.words if not _stands(word, f"{text} {claim.subject}")]
    if meaning.is_clause:
        return _fit_of_clause(meaning, text, claim, missing)
    if not meaning.topics:
        return _share(meaning, missing)
    if not _is_said(meaning, text, claim):
        return Fit.MAYBE if meaning.words and not missing else Fit.NO
    if missing or (text.rstrip().endswith(("?", "？")) and not read(text).numbers):
        return Fit.NO
    if meaning.words or any(topic.others for topic in meaning.topics):
        return Fit.YES
    is_anothers = claim.subject not in {"", *_OWNERS, *names}
    is_of_topic = any(topic.is_of(claim.attribute) for topic in meaning.topics)
    return Fit.MAYBE if is_anothers or not is_of_topic else Fit.YES


def _is_said(meaning: Meaning, text: str, claim: Claim) -> bool:
    if any(topic.is_said(text, claim) for topic in meaning.topics):
        return True
    if not meaning.words:  # a name or number of anything at all
        return False
    is_named = meaning.named and all(_stands(word, text) for word in meaning.named)
    return is_named or any(topic.whose.search(text) for topic in meaning.topics)


def _stub(token: str) -> str:
    """Databases fold no other letters than a to z; "ss" may be written as one, and stems change
    their last letter."""
    if is_cjk(token):
        return token
    longest = max(re.findall(r"(?:(?!ss)[a-z0-9])+", token), key=len, default="")
    stub = longest[: max(3, min(len(longest) - 1, _SHARED_START))]
    return longest if longest.isdigit() else stub if len(stub) > 1 else ""


def _meaning(about: str, found: Table) -> Meaning:
    if found.last.fullmatch(about):
        return Meaning(about, is_last=True)
    if found.that.fullmatch(about):
        return Meaning(about, is_last=True, is_that=True)
    if found.all.fullmatch(about):
        return Meaning(about, is_all=True)
    bare = found.light.sub("", about)
    is_clause = bare != about and bool(claim_of(bare).durable)
    named = None if is_clause else max(_named(bare, found), key=_length, default=None)
    topics = _every(named[1].name) if named else _said(bare) if is_clause else ()
    rest = bare.replace(named[0], " ", 1) if named else bare
    rest = found.small.sub(" ", found.own.sub(" ", rest))
    words = _words(rest)
    return Meaning(
        about,
        frozenset(word for word in words if not (named and word in named[1].words)),
        topics,
        _words(named[0]) if named else frozenset(),
        read(f"x {rest}").names | read(rest).numbers,
        bool(found.own.search(about)),
        is_clause,
    )


def _named(about: str, found: Table) -> Iterator[tuple[str, Topic]]:
    for topic in found.topics:
        if name := topic.named.search(about):
            yield name[0], topic


def _length(named: tuple[str, Topic]) -> int:
    return len(named[0])


def _every(name: str) -> tuple[Topic, ...]:
    """The topic in all languages: what was said in one may be forgotten in another."""
    found = (topic for language in LANGUAGES for topic in table(language).topics)
    return tuple(topic for topic in found if topic.name == name)


def _said(clause: str) -> tuple[Topic, ...]:
    claim = claim_of(clause)
    found = (topic for language in LANGUAGES for topic in table(language).topics)
    names = {topic.name for topic in found if topic.is_said(clause, claim)}
    return tuple(topic for name in sorted(names) for topic in _every(name))


def _words(text: str) -> frozenset[str]:
    """Of weight; what is written without spaces stands as one piece."""
    if is_cjk(text):
        return frozenset(part for part in normalise(text).split() if part)
    reading = read(text)
    return (reading.heavy or frozenset(reading.words)) | reading.numbers


def _stands(word: str, text: str) -> bool:
    reading = read(text)
    if is_cjk(word):
        return word in normalise(text).replace(" ", "")
    if word in reading.numbers:
        return True
    return any(_is_form(word, other) for other in reading.words)


def _is_form(word: str, other: str) -> bool:
    shorter, longer = sorted((word, other), key=len)
    if word == other or not longer.startswith(shorter):
        return word == other
    is_ending = longer[len(shorter) :] in _ENDINGS and len(shorter) >= _SHORTEST
    return is_ending or len(shorter) >= _SHARED_START


def _share(meaning: Meaning, missing: Collection[str]) -> Fit:
    if not meaning.words:
        return Fit.NO
    if not missing:
        return Fit.YES
    return Fit.MAYBE if 2 * len(missing) <= len(meaning.words) else Fit.NO


def _fit_of_clause(meaning: Meaning, text: str, claim: Claim, missing: Collection[str]) -> Fit:
    """ "that we live in Leeds" means "We moved to Leeds", too: the same topic and name."""
    if not missing:
        return Fit.YES if meaning.words else Fit.NO
    is_told = meaning.weighty and all(_stands(word, text) for word in meaning.weighty)
    is_same = any(topic.is_said(text, claim) for topic in meaning.topics)
    return Fit.YES if is_told and is_same else _share(meaning, missing)


def _language_of(about: str) -> str:
    """Of a few words: the one whose topics name them, else the one that they look like."""
    likely = [one for one in LANGUAGES if is_cjk(about) == (one in {"chinese", "japanese"})]
    named = (one for one in likely if any(t.named.search(about) for t in table(one).topics))
    asked = languages_of(about)
    looks = next((one for one in likely if table(one).own.search(about)), "")
    return looks or next(named, likely[0]) if asked else likely[0]
