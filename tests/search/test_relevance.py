"""Relevance: of what a sentence asks for, by weight, the share that a hit and those beside say."""

import pytest

from memoryweb.language.tokens import tokens
from memoryweb.memory.index import relevance
from memoryweb.memory.index.relevance import Evidence, Sentence
from memoryweb.memory.index.terms import sentences_of, terms_of

RARE, COMMON = 1.0, 0.2


def of(
    *sentences: str, here: str = "", around: str = "", names: str = "", common: str = ""
) -> float:
    text = " ".join(sentences)
    terms = terms_of(text)

    def those(words: str) -> frozenset[int]:
        said = set(tokens(words))
        return frozenset(at for at, term in enumerate(terms) if not said.isdisjoint(term))

    rarities = [COMMON if at in those(common) else RARE for at in range(len(terms))]
    evidence = Evidence(those(here), those(around) - those(here))
    asked = sentences_of(text, terms)
    return relevance.relevance(asked, rarities, evidence, those(names))


@pytest.mark.parametrize(
    ("more", "less"),
    [
        ({"here": "ferry noon"}, {"here": "ferry"}),
        ({"here": "ferry"}, {"around": "ferry"}),
        ({"here": "ferry", "around": "noon"}, {"here": "ferry"}),
        ({"here": "ferry", "common": "noon"}, {"here": "noon", "common": "noon"}),
        ({"here": "ferry", "names": "noon"}, {"here": "noon", "names": "noon"}),
    ],
)
def test_more_of_the_question_is_more_relevant(more: dict[str, str], less: dict[str, str]) -> None:
    assert of("Does the ferry leave at noon?", **more) > of("Does the ferry leave at noon?", **less)


def test_all_of_a_question_is_one_and_nothing_of_it_none() -> None:
    assert of("When does the ferry leave?", here="the ferry leaves") == 1
    assert of("When does the ferry leave?", here="lamp") == 0
    assert of("", here="lamp") == of("?!", here="lamp") == 0


@pytest.mark.parametrize(
    ("named", "other"),
    [
        ("Who took the ferry to Toronto?", "Who took the ferry to shops?"),
        ("Who took the ferry in May 2023?", "Who took the ferry in winter?"),
    ],
)
def test_a_name_or_number_nobody_ever_said_is_no_small_thing(named: str, other: str) -> None:
    assert of(named, here="ferry take") < of(other, here="ferry take")


def test_german_writes_all_nouns_like_names() -> None:
    asked = "Wer hat die Fähre vom {} genommen?"
    assert of(asked.format("Bahnhof"), here="fähre") == of(asked.format("bahnhof"), here="fähre")


def test_the_sentence_that_is_answered_best_counts() -> None:
    alone = of("When does the ferry leave?", here="ferry")
    among = of("Rain fell on Monday.", "When does the ferry leave?", "Bye now!", here="ferry")
    assert among == alone


def test_terms_of_two_sentences_do_not_add_up() -> None:
    both = of("The ferry left.", "The lamp fell.", here="ferry lamp")
    assert both == of("The ferry left.", here="ferry") < 0.5


def test_words_of_no_weight_are_no_relevance() -> None:
    assert relevance.relevance([Sentence(frozenset({0}), False, False)], [0.0], _all(), ()) == 0


def test_a_sentence_in_cjk_needs_fewer_of_its_windows() -> None:
    half = Evidence(frozenset({0}), frozenset())
    plain, cjk = (Sentence(frozenset({0, 1}), is_cjk, False) for is_cjk in (False, True))
    weights = [RARE, RARE]
    latin = relevance.relevance([plain], weights, half, ())
    assert latin < relevance.relevance([cjk], weights, half, ()) <= 1
    assert relevance.relevance([cjk], weights, _all(), ()) == 1


def _all() -> Evidence:
    return Evidence(frozenset({0, 1}), frozenset())
