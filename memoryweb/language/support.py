"""Whether what a machine wrote was said: each word that carries something, each number and name
stands in what it cites, next to what it stands next to there, and is denied where that is. Pure.

Free are function words, the dates that a relative word can mean, and names that the caller gives.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from enum import Enum, auto
from functools import partial
from itertools import chain, pairwise, takewhile, zip_longest

from memoryweb.language import support_words
from memoryweb.language.clauses import (
    CLAUSE,
    QUESTION,
    SCRIPT,
    Clause,
    Sentence,
    clause_of,
    dates_meant,
    normal_of,
    read_sentences,
    sense_of,
    sentences_of,
    takes_back,
    turned,
    words_of,
)
from memoryweb.language.extraction_rules import answered, dates_in, without_dates
from memoryweb.language.habit_times import when_in
from memoryweb.language.normal_form import clean, normalise
from memoryweb.language.sentences import split, without_voices

_HALF = re.compile(r"(\d) ?([ap])m\b", re.IGNORECASE)
_SINCE = re.compile(r"\b(?:since|from|as of|seit|ab|vom)\b(?=\s*(?:\d|\(|$))", re.IGNORECASE)
_UNREAL = frozenset({"dreamt", "joked", "claimed", "untrue", "almost", "quoted"})
_ASKING = re.compile(f"(?:{support_words.ASKS.pattern})|(?:{support_words.ASKS_WHAT.pattern})")


@dataclass(frozen=True)
class Citation:
    """What somebody said, on which day. What is asked of them lends words to their answer."""

    text: str
    said: date | None = None
    is_asked: bool = False


class _By(Enum):
    THEM = auto()
    ASKED = auto()
    BOTH = auto()  # a question and what was answered


def is_said(
    text: str, cited: Sequence[Citation], held: Iterable[str] = (), names: Iterable[str] = ()
) -> bool:
    """By `cited`, or by the statements `held` that it takes the place of. What turns a sentence
    into its opposite has to be said with all of it."""
    if _is_one_of(text, (one.text for one in cited if not one.is_asked)) or _answers(text, cited):
        return True
    if not _names_a_voice(text, names):
        cited = [replace(one, text=without_voices(one.text)) for one in cited]
    if any(_begins(text, one.text) for one in cited if not one.is_asked):
        return True
    if _halves([text]) - (halves := _halves([*(one.text for one in cited), *held])) and halves:
        return False
    free = frozenset(word for name in names for word in words_of(normalise(name)))
    said = [*_said(cited)]
    stood = [one for old in held for one in sentences_of(old)]
    dates = frozenset(day for one in cited for day in dates_meant(one.text, one.said))
    said_on = max((one.said for one in cited if one.said), default=None)
    bare = _SINCE.sub(" ", without_dates(_SINCE.sub(" ", text), dates, said_on))
    until = sense_of(normalise(text)) & {"limited"} if bare != text else frozenset[str]()
    told = [_without(one, free, until) for one in sentences_of(bare)]
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
    whole = of_same(chain.from_iterable(sentences_of(one.text, one.said)) for one in cited)
    if bare == text and any(_widens(clause, known) for one in told for clause in one):
        return False
    return all(
        _holds(one, known, [*known, *whole])
        or _holds(one, stood, stood)
        or (not any(clause.sense for clause in one) and _holds(one, both := [*known, *stood], both))
        for one in told
    )


def _is_one_of(text: str, heard: Iterable[str]) -> bool:
    return normalise(clean(text)) in {normalise(clean(one)) for one in heard}


def _answers(text: str, cited: Sequence[Citation]) -> bool:
    """It is a short answer with its question."""
    pairs = ((a, b) for a, b in pairwise(cited) if a.is_asked and not b.is_asked)
    return _is_one_of(text, (line for a, b in pairs if (line := answered(a.text, b.text))))


def _begins(text: str, heard: str) -> bool:
    """Letter for letter a sentence of it up to a clause after which nothing turns it."""
    normal, sentences = normalise(clean(text)), split(clean(heard))
    return any(
        normal == normalise(one[:end]) and words_of(normal) and not sense_of(normal_of(one[end:]))
        for one, after in zip_longest(sentences, sentences[1:], fillvalue="")
        if not QUESTION.search(one) and not takes_back(clause_of(after, None))
        for end in (*(it.start() for it in CLAUSE.finditer(one)), len(one))
    )


def _names_a_voice(text: str, names: Iterable[str]) -> bool:
    """It tells who says it, and that isn't one of those who speak."""
    who, colon, _said = text.partition(":")
    is_named = bool(colon and words_of(normalise(who)))
    return is_named and not any(name in who for name in names if name)


def _halves(texts: Iterable[str]) -> set[tuple[str, ...]]:
    return {half for one in texts for half in _HALF.findall(one.lower())}


def says_ended(text: str, older: str, said: date | None = None) -> bool:
    """A clause says that something is over, of which the older statement has each word, or that
    day; or that a number of it is wrong ("74, not 68")."""
    there = sentences_of(older)
    text = without_dates(text, frozenset(dates_in(older)), said)
    return any(
        (clause.sense == {"ended"} and len(clause.words) > 1)
        or (clause.sense == {"denied"} and all(word[-1].isdigit() for word in clause.words))
        for part, sentence in read_sentences(text, None)
        for clause in sentence
        if not QUESTION.search(part)
        and shares_word(text, older)
        and all(_has(there, word) for word in clause.words)
    )


def is_earnest(text: str, older: str) -> bool:
    """Of what the older statement speaks of it says something that is no dream, joke or rumour."""
    clauses = [clause for sentence in sentences_of(text) for clause in sentence]
    there, earnest = sentences_of(older), [one for one in clauses if not one.sense & _UNREAL]
    return len(earnest) == len(clauses) or any(_has(there, w) for it in earnest for w in it.words)


def renews(text: str, cited: Iterable[str], older: str) -> bool:
    """It says all of the older statement but for numbers, days and times, of which it is told that
    they have changed."""
    there, words = (
        sentences_of(text),
        (word for it in sentences_of(older) for c in it for word in c.words),
    )
    lost = [word for word in words if not _has(there, word)]
    are_values = all(word[-1].isdigit() or when_in(word).days for word in lost)
    return (
        bool(lost)
        and are_values
        and any(support_words.CHANGED.search(normalise(one)) for one in cited)
    )


def shares_word(one: str, other: str) -> bool:
    """They may speak of the same thing."""
    words = [word for it in sentences_of(one) for clause in it for word in clause.words]
    return any(_has(sentences_of(other), word) for word in words)


def _holds(told: Sentence, given: Sequence[Sentence], around: Sequence[Sentence]) -> bool:
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


def _of_doer(clause: Clause, given: Iterable[Sentence]) -> list[Sentence]:
    """Without what the speaker says of themselves, where the clause is of somebody else, and
    without sentences in which another does it."""
    is_done = clause.is_own and not support_words.DONE_TO.search(clause.script)
    straight = (
        one
        for one in given
        if not any(map(clause.turns, one)) and not (is_done and any(map(clause.suffers, one)))
    )
    return [
        tuple(it for it in one if not (it.is_own and clause.of) or any(map(it.has, clause.of)))
        for one in straight
    ]


def _widens(clause: Clause, given: Iterable[Sentence]) -> bool:
    """It denies for always what is denied of a day or a time."""
    parts = (one for it in given for one in it if clause.sense & one.sense & {"denied"})
    whole = [one.when for one in parts if all(map(one.has, clause.words))]
    return bool(whole) and not any(map(clause.when.tells, whole))


def _of_same(given: Iterable[Iterable[Clause]], words: tuple[str, ...]) -> list[Sentence]:
    """Without what is said of somebody or something that the words leave out; with a mark where
    they leave out what is done."""
    told = Clause(words, frozenset(), script=" ".join(words))
    lost = frozenset({"lost"})
    return [
        tuple(
            one if all(map(told.has, one.does)) else turned(one, lost)
            for one in it
            if _is_of(one, told)
        )
        for it in given
    ]


def _is_of(one: Clause, told: Clause) -> bool:
    is_same = all(any(map(told.has, who)) for who in (one.of, one.head) if who)
    taken = (any(map(told.has, its)) and not any(map(told.has, who)) for who, its in one.whose)
    return is_same and not any(taken)


def _agrees(clause: Clause, given: Sequence[Sentence]) -> bool:
    """Where most of it is said, it is denied, over or thought of just the same."""
    whole = [one for one in given if all(_tells(one, word) for word in clause.words)]
    among = [[part] for part in whole] or [list(given)]
    return not clause.words or any(_agrees_with(clause, parts) for parts in among)


def _agrees_with(clause: Clause, given: Sequence[Sentence]) -> bool:
    around = [one for it in given for one in it]
    if any("denied" in one.sense - clause.sense and one.is_only(clause.of) for one in around):
        return False  # "Tom, not Ruth, has it"
    kept = [one for one in around if one.sense <= clause.sense]
    words = [word for word in clause.words if word not in clause.of] or clause.words
    if not all(any(one.has(word) for one in kept) for word in words):
        return False  # a word of it stands only where it is denied, over or thought of
    counted = [(sum(map(one.has, words)), one.sense) for one in around]
    most = max((count for count, sense_of in counted), default=0)
    senses = (sense for count, sense in counted if count == most)
    return all(clause.sense - {"hedged", "limited"} <= one <= clause.sense for one in senses)


def _has(given: Iterable[Sentence], word: str) -> bool:
    return any(_tells(one, word) for one in given)


def _tells(sentence: Sentence, word: str) -> bool:
    return any(clause.has(word) for clause in sentence)


def _said(cited: Iterable[Citation]) -> Iterator[tuple[Sentence, _By]]:
    """Each sentence; one that leans on those before, or answers one, is one with it."""
    was_asked: Sentence = ()
    for one in cited:
        before: list[Sentence] = []
        for text, sentence in read_sentences(one.text, one.said):
            is_asked = one.is_asked or bool(QUESTION.search(text))
            by = _By.ASKED if is_asked else _By.THEM
            yield sentence, by
            if is_asked and not one.is_asked:
                yield from _told_in(text, sentence)
            if was_asked and not is_asked:
                yield _answered(was_asked, text, sentence)
            leans = normalise(text).split(" ")[0] in support_words.PRONOUNS or bool(
                SCRIPT.search(text)
            )
            yield from (((*it, *sentence), by) for it in before if leans)
            before.append(sentence)
            was_asked = sentence if is_asked else () if sentence else was_asked


def _told_in(text: str, question: Sentence) -> Iterator[tuple[Sentence, _By]]:
    """What comes before the question ("I moved to Leeds, do you know it?") or its tag ("right?");
    who asks what to do in a case tells of the case."""
    is_tag = len(re.split("[,，、]", text)[-1].split()) == 1 and not SCRIPT.search(text)
    before = question[: -2 if is_tag else -1]
    told = tuple(takewhile(lambda one: not _ASKING.match(one.script), before))
    if told:
        yield told, _By.THEM
    if support_words.ASKS_WHAT.match(normalise(text)):
        yield question, _By.BOTH


def _answered(asked: Sentence, text: str, answer: Sentence) -> tuple[Sentence, _By]:
    """A yes makes the question theirs, a no denies it; else it lends words to the answer."""
    reply = support_words.REPLY.match(text)
    if reply and reply["no"]:
        asked = tuple(replace(one, sense=one.sense ^ {"denied"}) for one in asked)
    return (*asked, *answer), _By.THEM if reply else _By.BOTH


def _without(sentence: Sentence, free: Collection[str], sense: frozenset[str]) -> Sentence:
    def bare(words: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(word for word in words if word not in free)

    kept = (turned(one, sense) for one in sentence)
    return tuple(replace(one, words=bare(one.words), of=bare(one.of)) for one in kept)
