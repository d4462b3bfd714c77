"""Whether what a machine wrote was said: each word that carries something, each number and name
stands in what it cites, next to what it stands next to there, and is denied where that is. Pure.

Free are function words, the dates that a relative word can mean, and names that the caller gives.
"""

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import cached_property, lru_cache, partial

from memoryweb.language.comparison_words import FILLERS, NEGATIONS, NUMBERS
from memoryweb.language.extraction_rules import dates_in, resolved, without_dates
from memoryweb.language.habit_times import when_in
from memoryweb.language.normal_form import clean, normalise
from memoryweb.language.sentences import split
from memoryweb.language.stems import stem
from memoryweb.language.support_words import (
    CHANGED,
    CJK_DENIED,
    CJK_ENDED,
    CJK_FREE,
    CJK_HEDGED,
    DENIED,
    ENDED,
    FREE,
    HEDGED,
    LONGER,
    OWN,
    PRONOUNS,
    SAME,
    SOMEBODY,
)

_CJK = "\u3005\u30fc\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff"
_KANA = "\u3040-\u309f"
_RUN = re.compile(
    rf"[{_KANA}]+|(?:(?![{_KANA}])[{_CJK}])+|-?\d+(?:[.:/-]\d+)*"
    rf"|[^\W\d_{_CJK}][^\W_{_CJK}]*|[%€$£¥]"
)
_SCRIPT = re.compile(f"[{_CJK}]")
_HIRAGANA = re.compile(f"[{_KANA}]")
_CLAUSE = re.compile(
    r",(?!\d)|[()，（）–—]|\s-\s"
    r"|\b(?:and|but|so|because|though|although|while|und|aber|also|sondern|weil|obwohl)\b"
    r"|而且|但是?|所以|因为|けれ?ど|が、|ですが|だから|ので|で、",
    re.IGNORECASE,
)
_ENDS = re.compile(r"(?<=[;；])|(?<=[:：])(?!\d)")
_SINCE = re.compile(r"\b(?:since|from|as of|seit|ab|vom)\b(?=\s*(?:\d|\(|$))", re.IGNORECASE)
_OFF = re.compile(
    r"\bg[ai]ven? up\b"
    r"|(?<!\bam )(?<!\bim )(?<!\bis )(?<!\bare )(?<!\bget )(?<!\bgot )\bused to\b"
    r"|\b(?:is|are|was|were|its|called|calling) (?:all |now )?(?:off|over)\b(?! to\b)"
)
_DAY = re.compile(r"(?<![\d.:])(\d{1,2})(?:\.(?!\d)|st\b|nd\b|rd\b|th\b|日|号)")
_QUESTION = re.compile(r"[?？]\W*$|[吗呢か]\W*$")
_POSSESSIVE = re.compile(r"['’]s\b")
_ENDING = re.compile(r"(?<=\w{3})(?:est|en|st|et|er|es|em|ed|e|t|n|s)$")


@dataclass(frozen=True)
class Heard:
    """What somebody said, on which day. What is asked of them lends words to their answer."""

    text: str
    said: date | None = None
    is_asked: bool = False


@dataclass(frozen=True)
class _Clause:
    """`words` in their order, and whether they are denied, over, or only thought of."""

    words: tuple[str, ...]
    sense: frozenset[str]
    of: tuple[str, ...] = ()  # who it is said of, where that isn't the speaker
    script: str = ""  # of languages without spaces, where words are found by windows

    @cached_property
    def forms(self) -> frozenset[str]:
        return frozenset(form for word in self.words for form in _forms(word))

    def has(self, word: str) -> bool:
        return word in self.script if _is_script(word) else not _forms(word).isdisjoint(self.forms)


_Sentence = tuple[_Clause, ...]


def is_said(
    text: str, cited: Sequence[Heard], held: Iterable[str] = (), names: Iterable[str] = ()
) -> bool:
    """By `cited`, or by the statements `held` that it takes the place of. What turns a sentence
    into its opposite has to be said with all of it."""
    if any(normalise(clean(text)) == normalise(clean(one.text)) for one in cited):
        return True
    free = frozenset(word for name in names for word in _words(normalise(name)))
    said = [*_said(cited)]
    stood = [one for old in held for one in _sentences(old)]
    dates = frozenset(day for one in cited for day in _dates(one.text, one.said))
    said_on = max((one.said for one in cited if one.said), default=None)
    bare = _SINCE.sub(" ", without_dates(_SINCE.sub(" ", text), dates, said_on))
    told = [_without(one, free) for one in _sentences(bare)]
    words = {word for one in told for clause in one for word in clause.words}
    answered = [one for one, is_asked in said if not is_asked]
    own = {word for word in words if _has([*answered, *stood], word)}
    asked = {word for word in words if _has((one for one, is_asked in said if is_asked), word)}
    if not words:
        return bare != text  # nothing but a day that is meant
    if own != words and not own - asked:
        return False  # only asked
    of_same = partial(_of_same, words=(*words, *free))
    known, stood = of_same(one for one, _is_asked in said), of_same(stood)
    whole = of_same([part for it in _sentences(one.text, one.said) for part in it] for one in cited)
    return all(
        _holds(one, known, [*known, *whole])
        or _holds(one, stood, stood)
        or (not any(clause.sense for clause in one) and _holds(one, both := [*known, *stood], both))
        for one in told
    )


def says_ended(text: str, older: str) -> bool:
    """A clause says that something is over, of which the older statement has each word; or that
    a number of it is wrong ("74, not 68")."""
    there = _sentences(older)
    return any(
        (clause.sense == {"ended"} and len(clause.words) > 1)
        or (clause.sense == {"denied"} and any(word[-1].isdigit() for word in clause.words))
        for sentence in _sentences(text)
        for clause in sentence
        if shares_word(text, older) and all(_has(there, word) for word in clause.words)
    )


def renews(text: str, cited: Iterable[str], older: str) -> bool:
    """It says all of the older statement but for numbers, days and times, of which it is told that
    they have changed."""
    there, words = (
        _sentences(text),
        (word for it in _sentences(older) for c in it for word in c.words),
    )
    lost = [word for word in words if not _has(there, word)]
    are_values = all(word[-1].isdigit() or when_in(word).days for word in lost)
    return bool(lost) and are_values and any(CHANGED.search(normalise(one)) for one in cited)


def shares_word(one: str, other: str) -> bool:
    """They may speak of the same thing."""
    words = [word for it in _sentences(one) for clause in it for word in clause.words]
    return any(_has(_sentences(other), word) for word in words)


def _holds(told: _Sentence, given: Sequence[_Sentence], around: Sequence[_Sentence]) -> bool:
    """Words that stand together stand together in one of the given; a clause may begin anew with
    what the sentence is about, where `around` has both."""
    before = first = next((word for clause in told for word in clause.words), "")
    for clause in told:
        for n, word in enumerate(clause.words):
            anew = n == 0 and any(_tells(one, word) and _tells(one, first) for one in around)
            if not anew and not any(_tells(one, word) and _tells(one, before) for one in given):
                return False
            before = word
    return all(_agrees(clause, given) for clause in told)


def _of_same(given: Iterable[Iterable[_Clause]], words: tuple[str, ...]) -> list[_Sentence]:
    """Without what is said of somebody or something that the words leave out."""
    told = _Clause(words, frozenset(), script=" ".join(words))
    return [tuple(one for one in it if not one.of or any(map(told.has, one.of))) for it in given]


def _agrees(clause: _Clause, given: Sequence[_Sentence]) -> bool:
    """Where most of it is said, it is denied, over or thought of just the same."""
    whole = [one for one in given if all(_tells(one, word) for word in clause.words)]
    among = [[part] for part in whole] or [list(given)]
    return not clause.words or any(_agrees_with(clause, parts) for parts in among)


def _agrees_with(clause: _Clause, given: Iterable[_Sentence]) -> bool:
    counted = [(sum(map(one.has, clause.words)), one.sense) for it in given for one in it]
    most = max((count for count, _sense in counted), default=0)
    senses = (sense for count, sense in counted if count == most)
    return all(clause.sense - {"hedged"} <= one <= clause.sense for one in senses)


def _has(given: Iterable[_Sentence], word: str) -> bool:
    return any(_tells(one, word) for one in given)


def _tells(sentence: _Sentence, word: str) -> bool:
    return any(clause.has(word) for clause in sentence)


def _said(cited: Iterable[Heard]) -> Iterator[tuple[_Sentence, bool]]:
    """Each sentence; one that leans on those before, or answers one, is one with it."""
    was_asked: _Sentence = ()
    for one in cited:
        before: list[_Sentence] = []
        for text, sentence in _read(one.text, one.said):
            is_asked = one.is_asked or bool(_QUESTION.search(text))
            yield sentence, is_asked
            if is_asked and not one.is_asked and len(sentence) > 1:
                yield sentence[:-1], False  # "I moved to Leeds, do you know it?"
            if was_asked and not is_asked:
                yield (*was_asked, *sentence), False
            leans = normalise(text).split(" ")[0] in PRONOUNS or bool(_SCRIPT.search(text))
            yield from (((*it, *sentence), is_asked) for it in before if leans)
            before.append(sentence)
            was_asked = sentence if is_asked else ()


def _sentences(text: str, said: date | None = None) -> list[_Sentence]:
    return [sentence for _text, sentence in _read(text, said)]


@lru_cache(maxsize=8_192)
def _read(text: str, said: date | None) -> tuple[tuple[str, _Sentence], ...]:
    parts = (part for one in split(clean(text)) for part in _ENDS.split(one))
    read = ((part, tuple(_clauses(part, said))) for part in parts)
    return tuple((part, sentence) for part, sentence in read if sentence)


def _clauses(sentence: str, said: date | None) -> Iterator[_Clause]:
    """What has no word of its own belongs to the clause before, or else to the next."""
    found: list[str] = []
    for part in _CLAUSE.split(_POSSESSIVE.sub("", sentence)):
        if found and not (_words(normalise(part)) and _words(normalise(found[-1]))):
            found[-1] += f" {part}"
        elif part.strip():
            found.append(part)
    for part in found:
        normal = normalise(part)
        words = *_words(normal), *(_words(_meant(part, said)) if said else ())
        of = None if OWN.search(normal) else SOMEBODY.match(part.strip())
        whose = _words(normalise(of[of.lastgroup or 0])) if of else ()
        yield _Clause(words, _sense(normal), whose, f"{CJK_FREE[0].sub('', normal)} {normal}")


def _without(sentence: _Sentence, free: Collection[str]) -> _Sentence:
    kept = (tuple(word for word in clause.words if word not in free) for clause in sentence)
    return tuple(replace(one, words=words) for one, words in zip(sentence, kept, strict=True))


def _meant(text: str, said: date) -> str:
    """Each day that a relative word of it can mean, and each time as it may be written."""
    days = (f"{day} {day.year} {day:%B %A}" for day in _dates(text, said))
    hours = (divmod(minutes, 60) for minutes in when_in(text).times)
    times = (f"{hour}:{minute:02} {hour:02}:{minute:02} {hour}" for hour, minute in hours)
    either = (resolved(text, said, ahead=ahead) for ahead in (True, False))
    return normalise(" ".join([*days, *times, *either]))


@lru_cache(maxsize=8_192)
def _dates(text: str, said: date | None) -> frozenset[date]:
    if said is None:
        return frozenset(dates_in(text))
    either = (resolved(it, said, ahead=n) for it in (text, text.lower()) for n in (True, False))
    given = (day for one in (text, *either) for day in dates_in(one, said))
    days, numbers = when_in(text).days, set(map(int, _DAY.findall(text)))
    near = [said + timedelta(days=n) for n in range(-31, 62)]
    named = (day for day in near[17:46] if day.weekday() in days)
    return frozenset((said, *given, *named, *(day for day in near if day.day in numbers)))


def _sense(normal: str) -> frozenset[str]:
    tokens = set(normal.split(" "))
    denied = bool(tokens & DENIED) or bool(CJK_DENIED.search(normal))
    ended = bool(tokens & ENDED) or bool(CJK_ENDED.search(normal)) or bool(_OFF.search(normal))
    if (denied and tokens & LONGER) or "不再" in normal or ("もう" in normal and denied):
        denied, ended = False, True
    hedged = bool(tokens & HEDGED) or bool(CJK_HEDGED.search(normal))
    marks = {"denied": denied, "ended": ended, "hedged": hedged}
    return frozenset(name for name, holds in marks.items() if holds)


_NO_WORDS = FREE | FILLERS | DENIED | NEGATIONS | ENDED | HEDGED | LONGER


def _words(normal: str) -> tuple[str, ...]:
    return tuple(_each_word(normal))


def _each_word(normal: str) -> Iterator[str]:
    for turn in (_OFF, CJK_DENIED, CJK_ENDED, CJK_HEDGED):
        normal = turn.sub(" ", normal)
    for run in _RUN.findall(normal):
        if not _is_script(run):
            if run not in _NO_WORDS:
                yield NUMBERS.get(run, run)
            continue
        for part in CJK_FREE[0].sub(" ", run).split():
            if len(part) > 1:
                yield from (part[at : at + 2] for at in range(len(part) - 1))
            elif not _HIRAGANA.match(part):
                yield part


def _is_script(word: str) -> bool:
    return bool(_SCRIPT.match(word))


@lru_cache(maxsize=65_536)
def _forms(word: str) -> frozenset[str]:
    """However it is bent: by English stems, else without its ending and its accents."""
    if word[-1].isdigit():
        return frozenset({word.removeprefix("0").removesuffix(":00")})
    plain = "".join(c for c in unicodedata.normalize("NFD", word) if not unicodedata.combining(c))
    stems = {stem(plain), _ENDING.sub("", plain)}
    return frozenset(SAME.get(one, one) for one in stems)
