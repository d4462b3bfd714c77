"""How much of a query a hit answers: 0..1, comparable between agents and queries. Pure."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log

# A word that stands beside the hit says what the talk is about, not what the hit says of it.
AROUND = 0.5
# Who is asked about is one of a few who talk: nearly every message has some name of theirs. It
# counts a third of a rare word, however often it is said.
NAME = 1 / 3
# What a memory is about it says all the time, and that is no reason to count it for nothing: where
# we know the little words of a language, and left them out, each other word counts half at least.
LEAST = 0.5
# In a small memory every word seems common: rarity is judged as if so many passages about other
# things stood beside it.
OTHERS = 300
# Whoever asks about a name or a number that memory has never heard of asks about something else:
# it weighs half as much again as another word that was never said.
UNHEARD = 1.5
# Of windows of two characters some lie across two words, and are in no text that says the same.
CJK = 1.5
# The best hit for a message must say about a third of what one of its sentences asks for: where
# only less is found, memory holds words in common with it, and no answer. Fitted on one talk of
# two friends, so that of the questions about other people seven of ten find nothing.
ANSWERS = 0.34
# Beside an answer, what says a little may be a part of it.
FLOOR = 0.05


@dataclass(frozen=True)
class Sentence:
    """Of a query: the numbers of the terms it asks for, and which of them are `named`: names and
    numbers. `is_known`: it is in a language whose little words we know."""

    terms: frozenset[int]
    is_cjk: bool
    is_known: bool
    named: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Evidence:
    """The terms that a hit answers to, and those that it only asks or its neighbours have."""

    here: frozenset[int]
    around: frozenset[int]


def rarity(passages: int, having: int) -> float:
    """0..1: the idf of a term that so many passages have, as a share of one that was never said."""
    everything = passages + OTHERS
    return _idf(everything, having) / _idf(everything, 0)


def relevance(
    sentences: Sequence[Sentence],
    rarities: Sequence[float],
    evidence: Evidence,
    names: Collection[int],
) -> float:
    """For the sentence it answers best, the share found of all that its terms weigh.

    `names` are the terms that are a speaker's name.
    """
    return answered(with_weights(sentences, rarities, names), evidence)


def with_weights(
    sentences: Sequence[Sentence], rarities: Sequence[float], names: Collection[int]
) -> list[tuple[Sentence, dict[int, float]]]:
    """With what each of its terms weighs, whatever the hit."""
    return [(sentence, _weights(sentence, rarities, names)) for sentence in sentences]


def answered(asked: Iterable[tuple[Sentence, dict[int, float]]], evidence: Evidence) -> float:
    return max((_share(*one, evidence) for one in asked), default=0.0)


def _idf(passages: int, having: int) -> float:
    return log((passages - having + 0.5) / (having + 0.5) + 1)


def _weights(
    sentence: Sentence, rarities: Sequence[float], names: Collection[int]
) -> dict[int, float]:
    least = LEAST if sentence.is_known else 0.0

    def weight_of(term: int) -> float:
        if term in names:
            return NAME
        rare = rarities[term]
        return UNHEARD if rare == 1 and term in sentence.named else max(rare, least)

    return {term: weight_of(term) for term in sentence.terms}


def _share(sentence: Sentence, weights: Mapping[int, float], evidence: Evidence) -> float:
    all_of_it = sum(weights.values())
    if not all_of_it:
        return 0.0
    found = sum(map(weights.__getitem__, sentence.terms & evidence.here))
    found += AROUND * sum(map(weights.__getitem__, sentence.terms & evidence.around))
    share = min(1.0, found / all_of_it * (CJK if sentence.is_cjk else 1.0))
    # Of few words many are found by chance: what is missing counts as if a rare word were, too.
    return round(share * all_of_it / (all_of_it + 1 - share), 6)
