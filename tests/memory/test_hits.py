"""A hit is shown by the words around its match, wherever in a text that stands."""

import time
from random import Random
from string import ascii_lowercase

from django.utils.safestring import SafeString

from memoryweb.memory.finding.hits import excerpt
from memoryweb.web.marking import marked_html

LETTERS = Random(7).choices(ascii_lowercase, k=250_000)
LONG = " ".join("".join(LETTERS[at : at + 6]) for at in range(0, len(LETTERS), 6))


def test_a_message_of_the_greatest_length_is_shown_in_a_moment() -> None:
    began = time.process_time()
    excerpt(LONG, {"zebra", "quokka"})
    assert time.process_time() - began < 0.5


def test_a_long_message_on_a_page_is_shown_without_marks() -> None:
    began = time.process_time()
    assert marked_html(SafeString(LONG), {"zebra"}) == LONG
    assert time.process_time() - began < 0.5


def test_a_match_at_the_end_of_a_long_text_is_shown_and_marked() -> None:
    snippet, marks = excerpt(f"{LONG} Two Zebras slept there.", {"zebra"})
    assert [snippet[start:end] for start, end in marks] == ["Zebras"]
    assert "slept there" in snippet


def test_no_word_is_cut_in_two_at_either_end() -> None:
    text = f"{'wandering ' * 12}ferry{' wandering' * 12}"
    snippet, (mark,) = excerpt(text, {"ferri"})
    assert set(snippet.split()) == {"wandering", "ferry"}
    assert snippet[slice(*mark)] == "ferry"
