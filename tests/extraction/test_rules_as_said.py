"""What would be a guess stays as it was said."""

from datetime import UTC, datetime

import pytest

from memoryweb.extraction.rules.cjk_dates import resolve_chinese, resolve_japanese
from memoryweb.extraction.rules.dates import resolve
from memoryweb.extraction.rules.verbs import UnknownVerb, third_person
from tests.extraction.rules_talk import said, texts

AT = datetime(2026, 11, 18, 14, 30, tzinfo=UTC)  # a Wednesday


@pytest.mark.parametrize(
    "text",
    [
        "The launch slipped to March 3rd",
        "They start on March 20",
        "My sister got married in June",
        "We close on 25 and 26 December",
        "I was ill from 29 December until 4 January",
        "The prices stay until June",
        "He came in late October",
    ],
)
def test_no_year_is_guessed(text: str) -> None:
    dated = resolve(text, AT)
    assert (dated.text, dated.exact) == (text, False)


@pytest.mark.parametrize("text", ["我12月1日出发", "12月25日和26日休息", "项目在3月开始"])
def test_nor_in_chinese(text: str) -> None:
    assert resolve_chinese(text, AT).text == text


@pytest.mark.parametrize("text", ["12月1日に買いました", "12月25日と26日は休みです", "3月に始まる"])
def test_nor_in_japanese(text: str) -> None:
    assert resolve_japanese(text, AT).text == text


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (
            "Please remember that I retook the driving test.",
            'Ada said: "I retook the driving test".',
        ),
        (
            "I been working as a nurse in Oslo for years.",
            'Ada said: "I been working as a nurse in Oslo for years".',
        ),
        ("My login for the shop is 'admin'.", "Ada's login for the shop is 'admin'."),
    ],
)
def test_no_word_is_made_up(text: str, line: str) -> None:
    assert said(text) == [line]


@pytest.mark.parametrize("word", ["retook", "been", "because", "blorp"])
def test_a_form_that_no_rule_knows_is_not_made(word: str) -> None:
    with pytest.raises(UnknownVerb):
        third_person(word)


@pytest.mark.parametrize(
    ("question", "reply"),
    [
        ("We have a baby now! What is his name?", "Thanks, Maria!"),
        ("How long have you been married?", "5 years already!"),
        ("Where are you from?", "From Lebanon."),
        ("Do you have any kids?", "Yes, two girls."),
    ],
)
def test_no_statement_is_made_of_two_persons_words(question: str, reply: str) -> None:
    assert not any(
        "Maria" in line or "Ada" in line for line in texts(("Ben", question), ("Ada", reply))
    )


def test_it_stands_for_nothing_that_somebody_else_spoke_of() -> None:
    lines = texts(
        ("Ben", "Running is a good way to relax."), ("Ada", "Yeah! It has been great for my sleep.")
    )
    assert not any("Running" in line for line in lines)
