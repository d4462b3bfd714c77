"""Forms of one text that mean the same must be found by each other."""

import string
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryweb.language.tokens import tokens
from memoryweb.memory.index.terms import MOST_TERMS, terms_of

TEXT = st.text(max_size=200)


@given(TEXT)
def test_composed_and_decomposed_text_have_the_same_tokens(text: str) -> None:
    composed = tokens(unicodedata.normalize("NFC", text))
    assert composed == tokens(unicodedata.normalize("NFD", text))


@given(TEXT)
def test_compatible_forms_have_the_same_tokens(text: str) -> None:
    assert tokens(unicodedata.normalize("NFKC", text)) == tokens(text)
    assert tokens(unicodedata.normalize("NFKD", text)) == tokens(text)


@given(st.text(st.characters(min_codepoint=0x21, max_codepoint=0x7E), max_size=100))
def test_full_width_letters_have_the_tokens_of_narrow_ones(text: str) -> None:
    assert tokens("".join(chr(ord(letter) + 0xFEE0) for letter in text)) == tokens(text)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("ｶﾞｿﾘﾝ", "ガソリン"),
        ("ＭＥＭＯＲＹ", "memory"),
        ("한국어", "한국어"),
        ("Ⅻ", "XII"),
        ("STRASSE", "straße"),
    ],
)
def test_known_pairs_have_the_same_tokens(one: str, other: str) -> None:
    assert tokens(one) == tokens(other) != []


@given(TEXT)
def test_tokens_hold_no_blank_and_nothing_that_an_index_would_read(text: str) -> None:
    read = set(string.punctuation + string.whitespace)
    assert all(token and read.isdisjoint(token) for token in tokens(text))


def test_runs_of_cjk_are_windows_of_two_characters() -> None:
    assert tokens("周报会议") == ["周报", "报会", "会议"]
    assert tokens("山") == ["山"]


def test_stop_words_are_dropped_only_beside_others() -> None:
    assert terms_of("where is the harbour") == [("harbour",)]
    assert terms_of("to be or not to be") != []


def test_an_irregular_form_is_looked_for_in_all_its_forms() -> None:
    assert set(terms_of("bought")[0]) == {"buy", "bought"}
    assert terms_of("buying") == terms_of("bought")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("what happened on 2026-11-20?", "20261120"),
        ("the trip of 3 March 2027", "20270303"),
        ("on March 3rd, 2027", "20270303"),
        ("2026年11月20日", "20261120"),
        ("in May 2023", "202305"),
        ("on June 5th", "x0605"),
    ],
)
def test_a_date_in_a_query_is_one_of_its_terms(text: str, name: str) -> None:
    assert (name,) in terms_of(text)


@given(st.text(max_size=2000))
def test_a_query_has_at_most_32_terms(text: str) -> None:
    assert len(terms_of(text)) <= MOST_TERMS
