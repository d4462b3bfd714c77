"""How much a later sentence sounds like news of a clause of an older one."""

import pytest

from memoryweb.language.ending_signs import RIVAL, is_news, news_of

FLAT = "I rent a flat in Cork, and my sister Ana plays the cello in an orchestra."


@pytest.mark.parametrize(
    ("newer", "older", "clause"),
    [
        ("My flat is in Limerick now.", FLAT, "I rent a flat in Cork"),
        (
            "Our orchestra concert was cancelled.",
            FLAT,
            "my sister Ana plays the cello in an orchestra",
        ),
        (
            "The pottery class moved to Friday.",
            "Pottery class is on Tuesday, at seven.",
            "Pottery class is on Tuesday",
        ),
        (
            "Der Töpferkurs ist jetzt freitags.",
            "Mein Töpferkurs ist dienstags.",
            "Mein Töpferkurs ist dienstags",
        ),
        ("陶芸教室は金曜に変わりました。", "陶芸教室は火曜です。", "陶芸教室は火曜です"),
    ],
)
def test_a_person_is_asked_of_the_clause_that_it_is_news_of(
    newer: str, older: str, clause: str
) -> None:
    signs, found = news_of(newer, older)
    assert (signs >= RIVAL, found) == (True, clause)


@pytest.mark.parametrize(
    "newer",
    [
        "What is a good flat in Cork?",
        "Nice weather today.",
        "I might look for a flat some day.",
        "I bought carrots.",
        "",
    ],
)
def test_what_is_asked_wished_or_of_something_else_is_no_news(newer: str) -> None:
    assert not is_news(newer, FLAT)


def test_there_is_no_news_of_nothing() -> None:
    assert news_of("My flat is in Limerick now.", "") == (0, "")


@pytest.mark.parametrize(
    "newer",
    [
        "Mira's flat is in Limerick now.",
        "My orchestra has a second cellist now.",
        "Just kidding, my flat is on the moon now.",
    ],
)
def test_what_is_anothers_or_comes_beside_it_is_no_news(newer: str) -> None:
    assert not is_news(newer, FLAT)
