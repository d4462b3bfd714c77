import json
from typing import Any

import pytest

from memoryweb.dreaming.operations import Does, DreamAnswer, Operation, Why
from memoryweb.llm.exceptions import BadAnswer
from memoryweb.llm.parsing import parse

ADD = {"op": "add", "text": "- Mara has  a dog.", "sources": ["n4", "n5"]}


def test_an_operation_reads_as_one_line_with_its_sources() -> None:
    assert _operation() == Operation(Does.ADD, "Mara has a dog.", sources=("n4", "n5"))


def test_one_id_alone_is_as_good_as_a_list() -> None:
    found = _operation(op="retire", old="s3", sources="n1", why="Cancelled")
    assert (found.old, found.sources, found.why) == (("s3",), ("n1",), Why.CANCELLED)


def test_a_reason_that_is_none_of_ours_is_no_reason() -> None:
    assert _operation(op="retire", old="s3", why="because I say so").why is Why.SUPERSEDED


def test_no_model_says_of_itself_that_it_was_masked() -> None:
    assert parse(json.dumps({"operations": [ADD]}), DreamAnswer).operations[0].had_secret is False


def test_nothing_to_change_is_an_answer() -> None:
    assert parse('{"operations": [], "reason": "x"}', DreamAnswer).operations == ()


@pytest.mark.parametrize(
    "change",
    [
        {"operations": "all"},
        {"operations": [{"op": "rewrite", "text": "x"}]},
        {"operations": [ADD | {"text": 5}]},
        {"operations": [ADD | {"text": "x" * 4_001}]},
        {"operations": [ADD | {"sources": ["n1"] * 101}]},
        {"operations": [ADD] * 1_001},
        {"diary": "x" * 8_001},
    ],
)
def test_another_form_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(BadAnswer):
        parse(json.dumps({"operations": [ADD], "reason": "x"} | change), DreamAnswer)


def test_an_answer_without_operations_is_refused() -> None:
    with pytest.raises(BadAnswer):
        parse('{"should_update": true, "reason": "x"}', DreamAnswer)


def _operation(**change: Any) -> Operation:
    answer = parse(json.dumps({"operations": [ADD | change]}), DreamAnswer)
    return answer.operations[0].operation


def test_no_field_of_ours_is_asked_of_a_model() -> None:
    assert "had_secret" not in json.dumps(DreamAnswer.model_json_schema())
