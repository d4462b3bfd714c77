"""What a query asks the index for: its words without the stop words, their irregular forms, and
the dates it names. Pure."""

import re
from collections.abc import Collection, Iterable, Sequence
from datetime import date
from functools import cache
from itertools import chain
from pathlib import Path

from memoryweb.language.sentences import split
from memoryweb.language.tokens import CJK, tokens
from memoryweb.search.relevance import Sentence

MOST_TERMS = 32

# One word of the query with the stems that say the same.
Term = tuple[str, ...]


def _words(name: str, language: str = "english") -> list[str]:
    """The lines of a word list."""
    path = Path(__file__).parent / language / f"{name}.txt"
    return path.read_text(encoding="utf-8").splitlines()


_MONTHS = {
    name: number for number, names in enumerate(_words("months"), start=1) for name in names.split()
}
_MONTH = rf"(?P<month>{'|'.join(_MONTHS)})\b\.?"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>(?:19|20)\d\d)"
_DATES = [
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"\b{_YEAR}-(?P<number>\d\d)(?:-(?P<day>\d\d))?(?!\d)",
        rf"{_YEAR}年(?P<number>\d{{1,2}})月(?:(?P<day>\d{{1,2}})日)?",
        rf"\b{_DAY}(?: of)? {_MONTH},?(?: {_YEAR})?",
        rf"\b{_MONTH} {_DAY}\b,?(?: {_YEAR})?",
        rf"\b{_MONTH},? {_YEAR}",
    )
]

# Quick to try: without a number no date is written out.
_MAYBE = re.compile(r"\d")


def terms_of(text: str) -> list[Term]:
    """At most 32: of a longer text those of its questions first, then of what comes last, where
    people ask below what they pasted."""
    found = _terms(text)
    if len(found) > MOST_TERMS:
        backwards = split(text)[::-1]
        telling = [*filter(is_question, backwards), *backwards]
        found = list(dict.fromkeys(chain.from_iterable(map(_terms, telling))))
    return found[:MOST_TERMS]


def _terms(text: str) -> list[Term]:
    """Stop words count only where there is nothing else."""
    return _telling(text) or [_forms().get(word, (word,)) for word in dict.fromkeys(tokens(text))]


def _telling(text: str) -> list[Term]:
    """A date is one term."""
    dates, rest = _taken_apart(text)
    words = list(dict.fromkeys(tokens(rest)))
    little = _little(words)
    telling = [_forms().get(word, (word,)) for word in words if word not in little]
    return list(dict.fromkeys([*((date,) for date in dates), *telling]))


def is_question(text: str) -> bool:
    return text.rstrip('"”』」)） ').endswith(("?", "？"))


def sentences_of(text: str, terms: Sequence[Term]) -> list[Sentence]:
    """Which of the terms each sentence asks for; one of stop words alone (“How are you?”) asks for
    none. One of which terms were left out, as there were too many, can't be judged; unless it is
    all there is."""
    numbers = {term: number for number, term in enumerate(terms)}
    whole: list[Sentence] = []
    cut: list[Sentence] = []
    for sentence in split(text):
        asked = _telling(sentence)
        kept = frozenset(numbers[term] for term in asked if term in numbers)
        if kept:
            judged = whole if len(kept) == len(asked) else cut
            judged.append(Sentence(kept, bool(CJK.search(sentence)), _is_known(sentence)))
    return whole or cut


def dates_in(text: str) -> list[str]:
    """Every name of the dates that a text writes out, as the index calls them."""
    if not _MAYBE.search(text):
        return []
    names = (name for found in _taken_apart(text)[0] for name in _wider(found))
    return list(dict.fromkeys(names))


def names_of(day: date) -> list[str]:
    """How the index calls a day, its month, and the day of any year."""
    return [f"{day:%Y%m%d}", f"{day:%Y%m}", f"{day:x%m%d}"]


def _little(words: Iterable[str]) -> Collection[str]:
    """The stop words among these: of the language that has more of them."""
    return max(({*words} & stops for stops in _stop_words()), key=len)


def _is_known(sentence: str) -> bool:
    """Of what people say in English or German, a quarter at least are stop words."""
    words = set(tokens(sentence))
    return not CJK.search(sentence) and len(_little(words)) * 4 >= len(words)


@cache
def _stop_words() -> tuple[frozenset[str], ...]:
    return tuple(
        frozenset(tokens(" ".join(_words("stop_words", name)))) for name in ("english", "german")
    )


@cache
def _forms() -> dict[str, Term]:
    """A stemmer follows rules; these forms follow none."""
    forms: dict[str, Term] = {}
    for line in _words("irregular_forms"):
        same = tuple(dict.fromkeys(tokens(line)))
        forms |= dict.fromkeys(same, same)
    return forms


def _taken_apart(text: str) -> tuple[list[str], str]:
    """The most exact names of the dates in a text, and the text without them."""
    found: dict[str, None] = {}

    def take(match: re.Match[str]) -> str:
        parts = match.groupdict()
        month = int(parts.get("number") or _MONTHS[parts["month"].casefold()])
        day = f"{int(parts['day']):02}" if parts.get("day") else ""
        found[f"{parts.get('year') or 'x'}{month:02}{day}"] = None
        return " "

    for pattern in _DATES:
        text = pattern.sub(take, text)
    return list(found), text


def _wider(name: str) -> list[str]:
    """A day is in its month, and is a day of any year."""
    return [name, name[:6], f"x{name[4:]}"] if len(name) == 8 else [name]
