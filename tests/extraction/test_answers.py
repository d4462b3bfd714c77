import json
from typing import Any

import pytest

from memoryweb.extraction.findings import ExtractionAnswer
from memoryweb.llm.exceptions import BadAnswer
from memoryweb.llm.parsing import parse

LINE = {"text": "Mara has a dog.", "messageIds": ["m1"], "durable": True}
ANSWER: dict[str, Any] = {
    "should_update": True,
    "reason": "Mara spoke of her dog.",
    "lines": [LINE],
    "requests": [],
}


def test_null_means_nothing() -> None:
    asked = {"messageIds": ["m1"], "about": "the dog"}
    answer = _answer(reason=None, requests=[asked | {"kind": None}])
    assert (answer.reason, answer.requests[0].about) == ("", "the dog")


def test_a_numeric_message_id_is_read_as_text() -> None:
    line = _answer(lines=[LINE | {"messageIds": [12]}]).lines[0]
    assert line.message_ids == ("12",)


@pytest.mark.parametrize(
    "change",
    [
        {"should_update": "yes"},
        {"reason": 5},
        {"lines": [LINE | {"text": ""}]},
        {"lines": [LINE | {"text": "x" * 2_001}]},
        {"lines": [LINE | {"durable": "perhaps"}]},
        {"lines": [LINE | {"messageIds": "m1"}]},
        {"lines": [LINE] * 201},
        {"lines": {"text": "Mara"}},
        {"requests": [{"about": "", "messageIds": ["m1"]}]},
    ],
)
def test_another_form_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(BadAnswer):
        _answer(**change)


def _answer(**change: Any) -> ExtractionAnswer:
    return parse(json.dumps(ANSWER | change), ExtractionAnswer)
