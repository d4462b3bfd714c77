import re

import pytest

from memoryweb.language.extraction_rules.model import needed


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        (r"I moved to (\w+)", {"i moved to "}),
        (r"(?:we|they) (?:moved|went) \w+", {"moved", "went"}),
        (r"\w+ (?:lives|works)+ (?:now)?", {"lives", "works"}),
        (r"\w+ (?:in|at)? \w+", {" "}),
        (r"\w+|moved", set()),
        (r"(?:moved)?", set()),
        (r"(?=moved)\w+", set()),
    ],
)
def test_what_a_pattern_needs_is_told_where_it_is_certain(pattern: str, words: set[str]) -> None:
    assert needed(pattern) == words


def test_a_text_that_matches_has_one_of_them() -> None:
    pattern = r"\b(?:My|Our) (?P<what>\w+) (?:is|are|'s) (?P<value>[^,]+?)(?:,|$)"
    text = "our Office is in Kiel"
    assert re.search(pattern, text, re.IGNORECASE)
    assert any(word in text.lower() for word in needed(pattern))
