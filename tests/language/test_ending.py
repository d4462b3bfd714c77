"""Which words of an older sentence a newer one ends."""

from datetime import date

import pytest

from memoryweb.language.ending import ended_in, on_day, parts_of, remains, tells_change

SAID, OLDER = date(2026, 6, 2), date(2026, 2, 3)


@pytest.mark.parametrize(
    ("older", "newer", "words"),
    [
        (
            "I live in Leeds and I play chess on Mondays",
            "moved to Porto last week",
            "I live in Leeds",
        ),
        (
            "We rent a flat in Hove, rent is 900",
            "new place at last, boxes everywhere",
            "We rent a flat in Hove",
        ),
    ],
)
def test_a_newer_word_ends_the_clause_that_it_contradicts(
    older: str, newer: str, words: str
) -> None:
    assert ended_in(newer, older, SAID, OLDER) == (words,)


def test_what_is_outside_the_ended_words_may_remain() -> None:
    assert remains("I live in Leeds and I play chess", ["I live in Leeds"])
    assert not remains("I live in Leeds, I think", ["I live in Leeds"])


def test_the_day_is_that_which_is_named_or_that_it_was_said() -> None:
    assert on_day("moved out on Saturday", SAID) == date(2026, 5, 30)
    assert on_day("moved out", SAID) == SAID


def test_a_sentence_tells_by_itself_that_something_changed() -> None:
    assert tells_change("we split up")
    assert not tells_change("should I move?")


def test_the_clauses_of_a_sentence() -> None:
    text = "I live in Leeds and I play chess"
    assert [text[a:b] for a, b in parts_of(text)] == ["I live in Leeds", "I play chess"]
