"""What a query asks the index for: its words without the stop words, their irregular forms, and
the dates it names. Pure."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import date
from functools import cache, lru_cache
from itertools import chain
from pathlib import Path

from memoryweb.language.extraction_rules.relative_dates import resolved
from memoryweb.language.normal_form import read
from memoryweb.language.sentences import split
from memoryweb.language.tokens import CJK, tokens
from memoryweb.memory.index.relevance import Sentence

# The dates that texts name, as the index calls them: a day is `20231107`, its month `202311`, the
# day of any year `x1107`; and a month by its name, as people ask. Pure.

# That a passage tells some time, or some number.
TIME, NUMBER = 1, 2

_NAMES = (Path(__file__).parent / "english" / "months.txt").read_text(encoding="utf-8").splitlines()
_MONTHS = {name: number for number, names in enumerate(_NAMES, start=1) for name in names.split()}
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
_TIMES = re.compile(
    r"\b(?:(?:19|20)\d\d|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|(?:week|month|year|day)s? ago"
    r"|(?:last|next|this|past) (?:week(?:end)?|night|month|year|spring|summer|autumn|fall|winter)"
    r"|weekends?|since|recently|(?:mon|diens|donners|frei|sams|sonn)tags?|mittwochs?|seit"
    rf"|{'|'.join(name for name in _MONTHS if len(name) > 3)})\b"
    r"|\d[年月日号點点時时]|曜日|星期|周[一二三四五六日末]|去年|今年|明年|来年",
    re.IGNORECASE,
)
_NUMBERS = re.compile(
    r"\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|dozen|once|twice|couple|first|second"
    r"|third|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|einmal|zweimal)\b"
    r"|[一二三四五六七八九十百千两兩][个個只本人年月回次歳岁匹]|[一二三四五六七八九]つ",
    re.IGNORECASE,
)
# Quick to try: without a number no date is written out.
_DIGIT = re.compile(r"\d")
_READ = 8_000  # characters of a passage that are read for dates


def told(text: str, day: date, *, is_said: bool) -> tuple[list[str], int]:
    """What a passage of that day tells of times: its own, those written out, and, of what was said
    on that day, “yesterday” and “last Friday”; and that it tells some time or number at all."""
    text = text[:_READ]
    given = resolved(text, day) if is_said else text
    dates = taken_apart(given)[0]
    names = [name for one in (f"{day:%Y%m%d}", *dates) for name in _names(one)]
    time = TIME if dates or given != text or _TIMES.search(text) else 0
    return list(dict.fromkeys(names)), time | (NUMBER if _NUMBERS.search(text) else 0)


def taken_apart(text: str) -> tuple[list[str], str]:
    """The most exact names of the dates in a text, and the text without them."""
    found: dict[str, None] = {}

    def take(match: re.Match[str]) -> str:
        parts = match.groupdict()
        month = int(parts.get("number") or _MONTHS[parts["month"].casefold()])
        day = f"{int(parts['day']):02}" if parts.get("day") else ""
        found[f"{parts.get('year') or 'x'}{month:02}{day}"] = None
        return " "

    for pattern in _DATES if _DIGIT.search(text) else ():
        text = pattern.sub(take, text)
    return list(found), text


def _names(name: str) -> Iterator[str]:
    """A day is in its month, and is a day of any year."""
    yield name
    if len(name) == 8:
        yield name[:6]
        yield f"x{name[4:]}"
    yield from _month_names().get(name[-4:-2] if len(name) in {5, 8} else name[-2:], ())


@cache
def _month_names() -> dict[str, list[str]]:
    return {f"{at:02}": tokens(names)[:1] for at, names in enumerate(_NAMES, start=1)}


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


@lru_cache(maxsize=8)
def _telling(text: str) -> list[Term]:
    """A date is one term. A question is one sentence, and a prompt asks several rooms about it."""
    named, rest = taken_apart(text)
    words = list(dict.fromkeys(tokens(rest)))
    little = _little(words)
    telling = [_forms().get(word, (word,)) for word in words if word not in little]
    return list(dict.fromkeys([*((name,) for name in named), *telling]))


def is_question(text: str) -> bool:
    """Whether it ends with one; a picture may follow."""
    return bool(_ASKS.search(text[-_END:]))


def terms_in(text: str, terms: Sequence[Term]) -> frozenset[int]:
    """Their numbers."""
    words = set(tokens(text))
    return frozenset(number for number, term in enumerate(terms) if not words.isdisjoint(term))


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
            words = set(tokens(sentence))
            names = _named(sentence, words, asked)
            named = frozenset(numbers[term] for term in names if term in numbers)
            is_cjk = bool(CJK.search(sentence))
            # Of what people say in English or German, a quarter at least are stop words.
            is_known = not is_cjk and len(_little(words)) * 4 >= len(words)
            judged.append(Sentence(kept, is_cjk, is_known, named))
    return whole or cut


def _named(sentence: str, words: set[str], asked: Sequence[Term]) -> Collection[Term]:
    """The names and numbers in it. German writes all nouns like names."""
    english, german = _stop_words()
    names = read(sentence).names if len(words & english) > len(words & german) else ()
    return {term for term in asked if term[0][0].isdigit() or not {*term}.isdisjoint(names)}


def sought_in(text: str) -> int:
    """“When” asks for a passage that tells a time, “how many” for one that tells a number."""
    return sum(kind for kind, asks in _SOUGHT if asks.search(text))


def _little(words: Iterable[str]) -> Collection[str]:
    """The stop words among these: of the language that has more of them."""
    return max(({*words} & stops for stops in _stop_words()), key=len)


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
