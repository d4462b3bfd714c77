"""How much of a query a hit answers: 0..1, comparable between agents and queries. Pure."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

# A word that stands beside the hit says what the talk is about, not what the hit says of it.
AROUND = 0.5
# Who is asked about is one of a few who talk: nearly every message has some name of theirs.
NAME = 0.25
# Of windows of two characters some lie across two words, and are in no text that says the same.
CJK = 1.5


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


def relevance(
    sentences: Sequence[Sentence],
    rarities: Sequence[float],
    evidence: Evidence,
    names: Collection[int],
) -> float:
    """For the sentence it answers best, the share found of all that its terms weigh.

    `rarities` are the idf of the terms among all that the reader sees: a word that was never said
    weighs most. `names` are the terms that are a speaker's name.
    """

    def weight(terms: Collection[int]) -> float:
        return sum(rarities[term] * (NAME if term in names else 1.0) for term in terms)

    best = 0.0
    for sentence in sentences:
        all_of_it = weight(sentence.terms)
        found = weight(sentence.terms & evidence.here)
        found += AROUND * weight(sentence.terms & evidence.around)
        share = found / all_of_it if all_of_it else 0.0
        best = max(best, min(1.0, share * (CJK if sentence.is_cjk else 1.0)))
    return best
