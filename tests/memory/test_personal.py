import time

import pytest

from memoryweb.memory.personal.sentences import plain


@pytest.mark.parametrize(
    "text", ["[" * 200_000, "**a " * 50_000, "`a " * 60_000, "[a](" * 50_000, "<!--" * 50_000]
)
def test_a_sentence_of_signs_without_an_end_is_read_in_one_pass(text: str) -> None:
    began = time.process_time()
    plain(text)
    assert time.process_time() - began < 2


def test_emphasis_and_links_are_read_as_people_say_them() -> None:
    said = plain("**Tea** at `five`, [the shop](https://tea.example) <!-- note -->[not a link]")
    assert said == "Tea at five, the shop (https://tea.example) [not a link]"
