"""Rows are found by words: the same as by looking for each of all words."""

import pytest

from memoryweb.language.extraction_rules.model import LANGUAGES, language

MORE = ("", "I’m", "12th", "İstanbul'da_x3", "Straße 7 in ﬁne shape", "e-mail")


@pytest.mark.parametrize("name", LANGUAGES)
def test_rows_that_may_match_are_those_whose_words_occur(name: str) -> None:
    rows = language(name).rows
    examples = [one for row in rows for one in (*row.examples, *row.counter)]
    for text in (*examples, *MORE):
        lowered = text.lower()
        may = [row for row in rows if not row.needs or any(one in lowered for one in row.needs)]
        assert language(name).rows_for(text) == may, text
