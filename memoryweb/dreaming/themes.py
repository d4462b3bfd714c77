"""Which things come back on several days."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import date
from itertools import pairwise

from memoryweb.dreaming.candidates import Candidate
from memoryweb.language.normal_form import read
from memoryweb.language.statements import normalise
from memoryweb.language.words import EVERYDAY, FILLERS, MOODS, NEGATIONS, PAST

_WORD = re.compile(r"[^\W\d_]{4,}")
_VERB_FOLLOWS = re.compile(r"[A-Z]|team$|others$|who$")  # what comes after a name is no thing
_FEWEST_DAYS = 2
_VERB_LIKE = ("ed", "ing", "ly")


def themes(candidates: Sequence[Candidate], most: int = 4) -> list[str]:
    """Words that statements of at least two days share, the most frequent first, with days.

    Who is spoken of is no theme, so the first word of a statement and words with a capital
    are left out, and so are everyday words."""
    days: dict[str, set[date]] = defaultdict(set)
    counts: dict[str, int] = defaultdict(int)
    people = {next(iter(read(c.text).words), "") for c in candidates}
    for candidate in candidates:
        for word in _nouns(candidate.text, people):
            counts[word] += 1
            days[word] |= {mention.date for mention in candidate.mentions}
    found = [word for word in days if len(days[word]) >= _FEWEST_DAYS and counts[word] > 1]
    found.sort(key=lambda word: (-len(days[word]), -counts[word], word))
    return [f"{word} ({len(days[word])} days)" for word in found[:most]]


def _nouns(text: str, people: set[str]) -> set[str]:
    words = [word for before, word in _pairs(text) if not _VERB_FOLLOWS.match(before)]
    common = FILLERS | MOODS | NEGATIONS | PAST | EVERYDAY
    return {
        word
        for word in words
        if word.islower()
        and word.isascii()
        and normalise(word) not in common
        and not word.endswith(_VERB_LIKE)
        and word not in people
    }


def _pairs(text: str) -> Iterator[tuple[str, str]]:
    """Each word with what stands before it."""
    tokens = ["", *text.split()]
    for before, token in pairwise(tokens):
        for word in _WORD.findall(token):
            yield before, word
