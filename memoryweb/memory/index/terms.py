"""What a query asks the index for: its words without the stop words, their irregular forms, and
the dates it names. Pure."""

import re
from collections.abc import Collection, Iterable, Sequence
from functools import cache
from itertools import chain
from pathlib import Path

from memoryweb.language.normal_form import read
from memoryweb.language.sentences import split
from memoryweb.language.tokens import CJK, tokens
from memoryweb.memory.index import dates
from memoryweb.memory.index.dates import NUMBER, TIME
from memoryweb.memory.index.relevance import Sentence

MOST_TERMS = 32

_END = 400  # characters that are looked at for a question's mark
_ASKS = re.compile(r"[?？][^\w\[\]?？]*(?:\[[^\[\]]*\]\s*)?$")

# One word of the query with the stems that say the same.
Term = tuple[str, ...]


def _words(name: str, language: str = "english") -> list[str]:
    """The lines of a word list."""
    path = Path(__file__).parent / language / f"{name}.txt"
    return path.read_text(encoding="utf-8").splitlines()


# What the words of a question ask for, beside what they say: any passage that tells it.
_SOUGHT = (
    (
        TIME,
        re.compile(
            r"(?:^|[.!?。！？])\W*(?:and |so )?(?:when|what (?:date|day|year|month|time)"
            r"|(?:in )?(?:which|what) (?:year|month)|which day|how long)\b|\b(?:seit )?wann\b"
            r"|什么时候|什麼時候|何时|哪[天年]|几[月号点]|いつ|何[月日時曜]|언제|며칠",
            re.IGNORECASE,
        ),
    ),
    (
        NUMBER,
        re.compile(
            r"\b(?:how (?:many|much|long|often|old)|what (?:number|age)|wie ?viele?"
            r"|wie (?:oft|alt))\b|多少|几[个個次年岁人]|何[人個回年歳]|いくつ|いくら|몇|얼마",
            re.IGNORECASE,
        ),
    ),
)


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
    named, rest = dates.taken_apart(text)
    words = list(dict.fromkeys(tokens(rest)))
    little = _little(words)
    telling = [_forms().get(word, (word,)) for word in words if word not in little]
    return list(dict.fromkeys([*((name,) for name in named), *telling]))


def is_question(text: str) -> bool:
    """Whether it ends with one; a picture may follow."""
    return bool(_ASKS.search(text[-_END:]))


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
            named = frozenset(numbers[term] for term in _named(sentence, asked) if term in numbers)
            is_cjk, is_known = bool(CJK.search(sentence)), _is_known(sentence)
            judged.append(Sentence(kept, is_cjk, is_known, named))
    return whole or cut


def _named(sentence: str, asked: Sequence[Term]) -> Collection[Term]:
    """The names and numbers in it. German writes all nouns like names."""
    english, german = _stop_words()
    words = set(tokens(sentence))
    names = read(sentence).names if len(words & english) > len(words & german) else ()
    return {term for term in asked if term[0][0].isdigit() or not {*term}.isdisjoint(names)}


def sought_in(text: str) -> int:
    """“When” asks for a passage that tells a time, “how many” for one that tells a number."""
    return sum(kind for kind, asks in _SOUGHT if asks.search(text))


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
