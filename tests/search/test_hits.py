"""A hit is shown by the words around its match, wherever in a text that stands."""

from random import Random
from string import ascii_lowercase

from django.utils.safestring import SafeString

from memoryweb.memory.index.hits import _known_stems, excerpt
from memoryweb.web.markdown import LONGEST, marked_html
from tests.pace import assert_linear

LETTERS = Random(7).choices(ascii_lowercase, k=250_000)
WORDS = ["".join(LETTERS[at : at + 6]) for at in range(0, len(LETTERS), 6)]
LONG = " ".join(WORDS)


def test_a_long_text_is_not_read_word_by_word_for_its_hit() -> None:
    """Read so, the words of the end would be remembered after it."""
    _known_stems.cache_clear()
    excerpt(LONG, {"zebra", "quokka"})
    assert _known_stems.cache_info().misses < len(WORDS) / 10


def test_a_hit_is_shown_in_the_time_of_its_text() -> None:
    assert_linear(lambda text: excerpt(text, {"zebra", "quokka"}), lambda n: "wander " * n)


def test_a_long_message_on_a_page_is_shown_without_marks() -> None:
    short, long = SafeString("zebra " * 10), SafeString("zebra " * (LONGEST // 6 + 1))
    assert "<mark>" in marked_html(short, {"zebra"})
    assert marked_html(long, {"zebra"}) == long


def test_a_match_at_the_end_of_a_long_text_is_shown_and_marked() -> None:
    snippet, marks = excerpt(f"{LONG} Two Zebras slept there.", {"zebra"})
    assert [snippet[start:end] for start, end in marks] == ["Zebras"]
    assert "slept there" in snippet


def test_no_word_is_cut_in_two_at_either_end() -> None:
    text = f"{'wandering ' * 12}ferry{' wandering' * 12}"
    snippet, (mark,) = excerpt(text, {"ferri"})
    assert set(snippet.split()) == {"wandering", "ferry"}
    assert snippet[slice(*mark)] == "ferry"
