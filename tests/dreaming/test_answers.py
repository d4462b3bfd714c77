import json
from typing import Any

import pytest

from memoryweb.dreaming.answers import Citation, Cited, DreamAnswer
from memoryweb.llm.exceptions import BadAnswer
from memoryweb.llm.parsing import parse

ANSWER: dict[str, Any] = {
    "should_update": True,
    "reason": "A dog came.",
    "memory_content": "# MEMORY\n\n- Mara has a dog.\n",
    "diary": "A quiet day.",
    "citations": [{"text": "Mara has a dog.", "source": "memory/2031-03-02.md#L4-L5"}],
}


def test_a_citation_leads_to_lines_of_a_note() -> None:
    assert _answer().citations[0].cited == Cited("memory/2031-03-02.md", 4, 5)


@pytest.mark.parametrize(
    ("source", "lines"),
    [("a.md#L3", (3, 3)), ("a.md#L3-5", (3, 5)), (" a.md#L3-L5 ", (3, 5))],
)
def test_citations_may_be_written_a_little_differently(source: str, lines: tuple[int, int]) -> None:
    cited = Citation(source=source).cited
    assert cited is not None
    assert (cited.first, cited.last) == lines


@pytest.mark.parametrize("source", ["", "a.md", "a.md#4", "a.md#L5-L3", "a.md#L0", "#L1", "a#L1x"])
def test_a_citation_that_leads_nowhere_proves_nothing(source: str) -> None:
    assert Citation(source=source).cited is None


@pytest.mark.parametrize(
    "change",
    [
        {"should_update": 1},
        {"memory_content": 5},
        {"memory_content": "x" * 200_001},
        {"diary": "x" * 8_001},
        {"citations": [{"text": "no source"}]},
        {"citations": [{"text": "a", "source": "a.md#L1"}] * 1_001},
    ],
)
def test_another_form_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(BadAnswer):
        _answer(**change)


def test_an_answer_without_the_memory_is_refused() -> None:
    with pytest.raises(BadAnswer):
        parse('{"should_update": true, "reason": "x"}', DreamAnswer)


def _answer(**change: Any) -> DreamAnswer:
    return parse(json.dumps(ANSWER | change), DreamAnswer)
