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
    "daily_entry": "- Mara has a dog.",
    "lines": [LINE],
    "requests": [],
}


def test_null_means_nothing() -> None:
    line = _answer(lines=[LINE | {"key": None, "valid": None}]).lines[0]
    assert (line.key, line.valid) == ("", "")


def test_a_numeric_message_id_is_read_as_text() -> None:
    line = _answer(lines=[LINE | {"messageIds": [12]}]).lines[0]
    assert line.message_ids == ("12",)


@pytest.mark.parametrize(
    "change",
    [
        {"should_update": "yes"},
        {"reason": 5},
        {"daily_entry": ["- Mara has a dog."]},
        {"daily_entry": "x" * 50_001},
        {"lines": [LINE | {"text": ""}]},
        {"lines": [LINE | {"text": "x" * 2_001}]},
        {"lines": [LINE | {"durable": "perhaps"}]},
        {"lines": [LINE | {"messageIds": "m1"}]},
        {"lines": [LINE] * 201},
        {"lines": {"text": "Mara"}},
        {"requests": [{"kind": "erase", "about": "the dog", "messageIds": ["m1"]}]},
        {"requests": [{"kind": "forget", "about": "", "messageIds": ["m1"]}]},
    ],
)
def test_another_form_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(BadAnswer):
        _answer(**change)


def _answer(**change: Any) -> ExtractionAnswer:
    return parse(json.dumps(ANSWER | change), ExtractionAnswer)
