"""Whether what a machine wrote was said: each word that carries something, each number and name
stands in what it cites, next to what it stands next to there, and is denied where that is. Pure.

Free are function words, the dates that a relative word can mean, and names that the caller gives.
"""

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from enum import Enum, auto
from functools import cached_property, lru_cache, partial
from itertools import takewhile

from memoryweb.language.comparison_words import FILLERS, NEGATIONS
from memoryweb.language.extraction_rules import dates_in, resolved, without_dates
from memoryweb.language.habit_times import When, when_in
from memoryweb.language.normal_form import clean, normalise
from memoryweb.language.sentences import split
from memoryweb.language.stems import stem
from memoryweb.language.support_words import (
    ASKS,
    ASKS_WHAT,
    CHANGED,
    CJK_DENIED,
    CJK_DOER,
    CJK_ENDED,
    CJK_FREE,
    CJK_HEDGED,
    CJK_OWN,
    CONDITION,
    DENIED,
    ENDED,
    FREE,
    HEDGED,
    LONGER,
    NUMERALS,
    OWN,
    OWNS,
    PRONOUNS,
    REPLY,
    SAME,
    SOMEBODY,
    THIRD,
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
    r"|而且|但是?|所以|因为|けれ?ど|が、|ですが|(?<=[だたいる])から|ので|で、",
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


_ASKING = re.compile(f"(?:{ASKS.pattern})|(?:{ASKS_WHAT.pattern})")
_AT_NO_TIME = When(frozenset(), frozenset())


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
    is_own: bool = False  # the speaker's, by its first word
    script: str = ""  # of languages without spaces, where words are found by windows
    when: When = _AT_NO_TIME
    whose: tuple[
        tuple[tuple[str, ...], tuple[str, ...]], ...
    ] = ()  # possessors, and what is theirs

    @cached_property
    def forms(self) -> frozenset[str]:
        return frozenset(form for word in self.words for form in _forms(word))

    @cached_property
    def doing(self) -> tuple[str, ...]:
        """Who it is said of, and the word after: what they do."""
        at = self.words.index(self.of[-1]) if self.of and self.of[-1] in self.words else None
        found = () if at is None else self.words[at : at + 2]
        return found if len(found) > 1 else ()

    def has(self, word: str) -> bool:
        return word in self.script if _is_script(word) else not _forms(word).isdisjoint(self.forms)

    def turns(self, other: "_Clause") -> bool:
        """Who does it in one of them has it done to them in the other."""
        if _SCRIPT.search(self.script) and not (self.of and other.of):
            return False  # は tells what it is about, which may do nothing
        pairs = (it for it in (self.doing, other.doing) if it)
        both = ((self._order(*it), other._order(*it)) for it in pairs)
        return any(one and two and one != two for one, two in both)

    def _order(self, one: str, other: str) -> int:
        at = [self._position(it) for it in (one, other)]
        return 0 if None in at else 1 if at == sorted(at) else -1  # type: ignore[type-var]

    def _position(self, word: str) -> int | None:
        same = (n for n, it in enumerate(self.words) if not _forms(it).isdisjoint(_forms(word)))
        return next(same, None)


_Sentence = tuple[_Clause, ...]


class _By(Enum):
    THEM = auto()
    ASKED = auto()
    BOTH = auto()  # a question and what was answered


def is_said(
    text: str, cited: Sequence[Heard], held: Iterable[str] = (), names: Iterable[str] = ()
) -> bool:
    """By `cited`, or by the statements `held` that it takes the place of. What turns a sentence
    into its opposite has to be said with all of it."""
    if any(_begins(text, one.text) for one in cited if not one.is_asked):
        return True
    free = frozenset(word for name in names for word in _words(normalise(name)))
    said = [*_said(cited)]
    stood = [one for old in held for one in _sentences(old)]
    dates = frozenset(day for one in cited for day in _dates(one.text, one.said))
    said_on = max((one.said for one in cited if one.said), default=None)
    bare = _SINCE.sub(" ", without_dates(_SINCE.sub(" ", text), dates, said_on))
    told = [_without(one, free) for one in _sentences(bare)]
    words = {word for one in told for clause in one for word in clause.words}
    answered = [one for one, by in said if by is _By.THEM]
    own = {word for word in words if _has([*answered, *stood], word)}
    asked = {word for word in words if _has((one for one, by in said if by is _By.ASKED), word)}
    if not words:
        return bare != text  # nothing but a day that is meant
    if own != words and not own - asked:
        return False  # only asked
    of_same = partial(_of_same, words=(*words, *free))
    known, stood = of_same(one for one, by in said if by is not _By.ASKED), of_same(stood)
    whole = of_same([part for it in _sentences(one.text, one.said) for part in it] for one in cited)
    if bare == text and any(_widens(clause, known) for one in told for clause in one):
        return False
    return all(
        _holds(one, known, [*known, *whole])
        or _holds(one, stood, stood)
        or (not any(clause.sense for clause in one) and _holds(one, both := [*known, *stood], both))
        for one in told
    )


def _begins(text: str, heard: str) -> bool:
    """Letter for letter all of it, or a sentence of it up to a clause after which nothing is
    denied, over or doubted."""
    normal = normalise(clean(text))
    if normal == normalise(clean(heard)):
        return True
    return any(
        normal == normalise(one[:end]) and _words(normal) and not _sense(_normal(one[end:]))
        for one in split(clean(heard))
        if not _QUESTION.search(one)
        for end in (*(it.start() for it in _CLAUSE.finditer(one)), len(one))
    )


def says_ended(text: str, older: str) -> bool:
    """A clause says that something is over, of which the older statement has each word; or that
    a number of it is wrong ("74, not 68")."""
    there = _sentences(older)
    return any(
        (clause.sense == {"ended"} and len(clause.words) > 1)
        or (clause.sense == {"denied"} and all(word[-1].isdigit() for word in clause.words))
        for part, sentence in _read(text, None)
        for clause in sentence
        if not _QUESTION.search(part)
        and shares_word(text, older)
        and all(_has(there, word) for word in clause.words)
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
        said = _of_doer(clause, given)
        for n, word in enumerate(clause.words):
            anew = n == 0 and any(_tells(one, word) and _tells(one, first) for one in around)
            near = said if n else given
            if not anew and not any(_tells(one, word) and _tells(one, before) for one in near):
                return False
            before = word
        if not _agrees(clause, said):
            return False
    return True


def _of_doer(clause: _Clause, given: Iterable[_Sentence]) -> list[_Sentence]:
    """Without what the speaker says of themselves, where the clause is of somebody else, and
    without sentences in which another does it."""
    straight = (one for one in given if not any(map(clause.turns, one)))
    return [
        tuple(it for it in one if not (it.is_own and clause.of) or any(map(it.has, clause.of)))
        for one in straight
    ]


def _widens(clause: _Clause, given: Iterable[_Sentence]) -> bool:
    """It denies for always what is denied of a day or a time."""
    parts = (one for it in given for one in it if clause.sense & one.sense & {"denied"})
    whole = [one.when for one in parts if all(map(one.has, clause.words))]
    return bool(whole) and not any(map(clause.when.tells, whole))


def _of_same(given: Iterable[Iterable[_Clause]], words: tuple[str, ...]) -> list[_Sentence]:
    """Without what is said of somebody or something that the words leave out."""
    told = _Clause(words, frozenset(), script=" ".join(words))
    return [tuple(one for one in it if _is_of(one, told)) for it in given]


def _is_of(one: _Clause, told: _Clause) -> bool:
    is_same = not one.of or any(map(told.has, one.of))
    taken = (any(map(told.has, its)) and not any(map(told.has, who)) for who, its in one.whose)
    return is_same and not any(taken)


def _agrees(clause: _Clause, given: Sequence[_Sentence]) -> bool:
    """Where most of it is said, it is denied, over or thought of just the same."""
    whole = [one for one in given if all(_tells(one, word) for word in clause.words)]
    among = [[part] for part in whole] or [list(given)]
    return not clause.words or any(_agrees_with(clause, parts) for parts in among)


def _agrees_with(clause: _Clause, given: Sequence[_Sentence]) -> bool:
    around = [one for it in given for one in it]
    kept = [one for one in around if one.sense <= clause.sense]
    words = [word for word in clause.words if word not in clause.of] or clause.words
    if not all(any(one.has(word) for one in kept) for word in words):
        return False  # a word of it stands only where it is denied, over or thought of
    counted = [(sum(map(one.has, words)), one.sense) for one in around]
    most = max((count for count, _sense in counted), default=0)
    senses = (sense for count, sense in counted if count == most)
    return all(clause.sense - {"hedged"} <= one <= clause.sense for one in senses)


def _has(given: Iterable[_Sentence], word: str) -> bool:
    return any(_tells(one, word) for one in given)


def _tells(sentence: _Sentence, word: str) -> bool:
    return any(clause.has(word) for clause in sentence)


def _said(cited: Iterable[Heard]) -> Iterator[tuple[_Sentence, _By]]:
    """Each sentence; one that leans on those before, or answers one, is one with it."""
    was_asked: _Sentence = ()
    for one in cited:
        before: list[_Sentence] = []
        for text, sentence in _read(one.text, one.said):
            is_asked = one.is_asked or bool(_QUESTION.search(text))
            by = _By.ASKED if is_asked else _By.THEM
            yield sentence, by
            if is_asked and not one.is_asked:
                yield from _told_in(text, sentence)
            if was_asked and not is_asked:
                yield _answered(was_asked, text, sentence)
            leans = normalise(text).split(" ")[0] in PRONOUNS or bool(_SCRIPT.search(text))
            yield from (((*it, *sentence), by) for it in before if leans)
            before.append(sentence)
            was_asked = sentence if is_asked else () if sentence else was_asked


def _told_in(text: str, question: _Sentence) -> Iterator[tuple[_Sentence, _By]]:
    """What comes before the question ("I moved to Leeds, do you know it?") or its tag ("right?");
    who asks what to do in a case tells of the case."""
    is_tag = len(re.split("[,，、]", text)[-1].split()) == 1 and not _SCRIPT.search(text)
    before = question[: -2 if is_tag else -1]
    told = tuple(takewhile(lambda one: not _ASKING.match(one.script), before))
    if told:
        yield told, _By.THEM
    if ASKS_WHAT.match(normalise(text)):
        yield question, _By.BOTH


def _answered(asked: _Sentence, text: str, answer: _Sentence) -> tuple[_Sentence, _By]:
    """A yes makes the question theirs, a no denies it; else it lends words to the answer."""
    reply = REPLY.match(text)
    if reply and reply["no"]:
        asked = tuple(replace(one, sense=one.sense ^ {"denied"}) for one in asked)
    return (*asked, *answer), _By.THEM if reply else _By.BOTH


def _sentences(text: str, said: date | None = None) -> list[_Sentence]:
    return [sentence for _text, sentence in _read(text, said)]


@lru_cache(maxsize=8_192)
def _read(text: str, said: date | None) -> tuple[tuple[str, _Sentence], ...]:
    parts = (part for one in split(clean(text)) for part in _ENDS.split(one))
    who: tuple[str, ...] = ()
    read = []
    for part in parts:
        sentence = []
        for clause in _clauses(part, said):
            if THIRD.match(clause.script) and not clause.of:
                clause = replace(clause, of=who)
            elif clause.of or not who:
                who = (*clause.of, *clause.words)
            sentence.append(clause)
        read.append((part, tuple(sentence)))
    return tuple((part, sentence) for part, sentence in read if sentence or REPLY.match(part))


def _clauses(sentence: str, said: date | None) -> Iterator[_Clause]:
    """What has no word of its own belongs to the clause before, or else to the next."""
    found: list[str] = []
    hedged = {"hedged"} if CONDITION.search(sentence) else set()
    for part in _CLAUSE.split(REPLY.sub("", sentence)):
        if found and not (_words(_normal(part)) and _words(_normal(found[-1]))):
            found[-1] += f" {part}"
        elif part.strip():
            found.append(part)
    for part in found:
        clause = _clause(part.strip(), said)
        yield replace(clause, sense=clause.sense | hedged)


def _clause(part: str, said: date | None) -> _Clause:
    normal = _normal(part)
    own, of = OWN.search(normal), SOMEBODY.match(part)
    of = of if of and (of["name"] or not own) and not when_in(of[of.lastgroup or 0]).days else None
    is_own = bool(own and not own.start()) or bool(CJK_OWN.match(part) and not of)
    if of is None and not CJK_OWN.search(part):
        of = CJK_DOER.match(part)
    return _Clause(
        (*_words(normal), *(_words(_meant(part, said)) if said else ())),
        _sense(normal),
        _words(normalise(of[of.lastgroup or 0])) if of else (),
        is_own,
        f"{CJK_FREE[0].sub('', normal)} {normal}",
        when_in(part),
        tuple((who, its) for who, its in _owned(part) if who),
    )


def _owned(part: str) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
    return ((_words(normalise(it[1])), _words(normalise(it[2]))) for it in OWNS.finditer(part))


def _normal(part: str) -> str:
    return normalise(_POSSESSIVE.sub("", part))


def _without(sentence: _Sentence, free: Collection[str]) -> _Sentence:
    def bare(words: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(word for word in words if word not in free)

    return tuple(replace(one, words=bare(one.words), of=bare(one.of)) for one in sentence)


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
                yield NUMERALS.get(run, run)
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
