"""How much of a query a hit answers: 0..1, comparable between agents and queries. Pure."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from math import log

# A word that stands beside the hit says what the talk is about, not what the hit says of it.
AROUND = 0.5
# Who is asked about is one of a few who talk: nearly every message has some name of theirs.
NAME = 0.5
# In a small memory every word seems common, and one that is its matter never counts: rarity is
# judged as if a thousand passages about other things stood beside it.
OTHERS = 1000
# Of windows of two characters some lie across two words, and are in no text that says the same.
CJK = 1.5
# The best hit for a message must say about a third of what one of its sentences asks for: where
# only less is found, memory holds words in common with it, and no answer. Fitted on one talk of
# two friends, so that of the questions about other people seven of ten find nothing.
ANSWERS = 0.325
# Beside an answer, what says a tenth may be a part of it; below that a hit shares a word by chance.
FLOOR = 0.1


@dataclass(frozen=True)
class Sentence:
    """Of a query: the numbers of the terms it asks for."""

    terms: frozenset[int]
    is_cjk: bool


@dataclass(frozen=True)
class Evidence:
    """The terms that a hit has itself, and those that only its neighbours have."""

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
    shares = (_share(sentence, rarities, evidence, names) for sentence in sentences)
    return max(shares, default=0.0)


def _idf(passages: int, having: int) -> float:
    return log((passages - having + 0.5) / (having + 0.5) + 1)


def _share(
    sentence: Sentence, rarities: Sequence[float], evidence: Evidence, names: Collection[int]
) -> float:
    def weight(terms: Collection[int]) -> float:
        return sum(rarities[at] * (NAME if at in names else 1.0) for at in terms)

    all_of_it = weight(sentence.terms)
    if not all_of_it:
        return 0.0
    found = weight(sentence.terms & evidence.here)
    found += AROUND * weight(sentence.terms & evidence.around)
    share = min(1.0, found / all_of_it * (CJK if sentence.is_cjk else 1.0))
    # Of few words many are found by chance: what is missing counts as if a rare word were, too.
    return round(share * all_of_it / (all_of_it + 1 - share), 6)
