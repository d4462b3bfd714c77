import contextlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from memoryweb.llm.exceptions import BadAnswer
from memoryweb.llm.parsing import clean, parse
from tests.llm.asking import Note
from tests.tables import every_row

ANSWER = '{"text": "Mara has a dog.", "durable": true}'
EXPECTED = Note(text="Mara has a dog.", durable=True)


@pytest.mark.parametrize(
    "text",
    [
        ANSWER,
        f"\ufeff  {ANSWER}\n",
        f"```json\n{ANSWER}\n```",
        f"Here it is:\n\n```\n{ANSWER}\n```\nAnything else?",
        f"Sure! {ANSWER} I hope that {{helps}}.",
        f"Given {{}} and {{this}}, the answer is {ANSWER}",
        f'<think>Perhaps {{"text": "a draft"}}?</think>\n{ANSWER}',
        "{'text': 'Mara has a dog.', 'durable': True}",
        '{"text": "Mara has a dog.", "durable": true,}',
        '{"text": "Mara has a dog." "durable": true}',
        '{text: "Mara has a dog.", durable: true}',
        '```json\n{"text": "Mara has a dog.", // note\n "durable": true}\n```',
    ],
    ids=lambda text: text[:20],
)
def test_untidy_json_is_understood(text: str) -> None:
    assert parse(text, Note) == EXPECTED


@every_row(
    [
        "",
        "I would rather not.",
        "null",
        "[1, 2]",
        '"text"',
        "{}",
        '{"durable": true}',
        '{"text": 5}',
        '{"text": ["Mara"]}',
        '{"text": "a", "text": "b"}',
        '{"text": "a", "durable": NaN}',
        '{"text": "a", "durable": 1e999}',
        f'{{"text": "{"x" * 2001}"}}',
        '{"text": "a", "durable": ' + "9" * 5000 + "}",
    ]
)
def test_what_does_not_fit_is_refused(text: str) -> None:
    with pytest.raises(BadAnswer):
        parse(text, Note)


@pytest.mark.parametrize("cut", [12, 20, 30])
def test_an_answer_that_was_cut_off_is_not_completed(cut: int) -> None:
    with pytest.raises(BadAnswer):
        parse(ANSWER[:cut], Note)


@pytest.mark.parametrize(
    "text",
    [
        "[" * 900_000,
        '{"a":' * 200_000,
        '"' * 1_000_000,
        "{" + '"\\"' * 300_000,
        "```json\n" * 120_000,
        "<think>" * 140_000,
        "{" * 15 + "x" * 20_000 + "}" * 15,
        " " * 1_000_001,
        pytest.param("{" * 15 + "x" * 59_000 + "}" * 15, marks=pytest.mark.slow),
    ],
    ids=["lists", "objects", "quotes", "escapes", "fences", "thoughts", "braces", "blank", "most"],
)
def test_hostile_text_is_refused(text: str) -> None:
    with pytest.raises(BadAnswer):
        parse(text, Note)


def test_what_cannot_be_stored_is_cleaned_away() -> None:
    answer = parse('{"text": "a\\u0000b\\ud800c\\u0007d\\r\\ne"}', Note)
    assert answer.text == "ab\ufffdcd\ne"


def test_a_whole_character_outside_the_basic_plane_stays() -> None:
    assert parse('{"text": "\\ud83d\\udc36"}', Note).text == "🐶"


def test_the_error_names_the_field_and_not_what_it_holds() -> None:
    with pytest.raises(BadAnswer) as raised:
        parse('{"text": "Mara", "durable": "Mara has a dog."}', Note)
    assert "durable" in str(raised.value)
    assert "Mara" not in str(raised.value)


@given(st.text())
def test_any_text_is_an_answer_or_a_bad_one(text: str) -> None:
    with contextlib.suppress(BadAnswer):
        assert isinstance(parse(text, Note), Note)


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)


@given(_JSON)
def test_cleaning_twice_is_cleaning_once(value: Any) -> None:
    assert clean(clean(value)) == clean(value)


@given(st.text(max_size=200).map(clean), st.booleans())
def test_an_answer_survives_its_own_json(text: str, durable: bool) -> None:
    wrapped = f"Here:\n```json\n{json.dumps({'text': text, 'durable': durable})}\n```"
    assert parse(wrapped, Note) == Note(text=text, durable=durable)


class Line(BaseModel):
    text: str
    ids: list[str]


class Lines(BaseModel):
    should_update: bool
    lines: list[Line]
    reason: str


def test_an_answer_that_breaks_off_is_told_as_that_wherever_it_does() -> None:
    lines = [{"text": 'She said: "No [more] {of} it"', "ids": ["a", "b"]}] * 2
    whole = json.dumps({"should_update": True, "lines": lines, "reason": "Done."})
    for length in range(2, len(whole)):
        with pytest.raises(BadAnswer) as raised:
            parse(whole[:length], Lines)
        assert "missing" not in str(raised.value), whole[:length]
