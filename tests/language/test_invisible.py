import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryweb.language.invisible import has_invisible, pieces
from tests.tables import every_row

HIDDEN = {
    "bidi override": "pay \u202e0001 euros",
    "bidi isolate": "a\u2066b\u2069",
    "zero width space": "pass\u200bword",
    "zero width no-break space": "a\ufeffb",
    "word joiner": "a\u2060b",
    "soft hyphen": "a\xadb",
    "joiner between Latin letters": "a\u200db",
    "non-joiner between Latin letters": "a\u200cb",
    "Hangul filler": "a\u3164b",
    "tag characters": "hello\U000e0068\U000e0069",
    "a second variation selector": "a\ufe0f\ufe0e",
    "variation selector after nothing": "\ufe0f",
    "supplementary variation selector": "a\U000e0100",
    "escape": "a\x1b[31m",
    "line separator": "a\u2028b",
    "carriage return": "a\rb",
    "braille blank": "a\u2800b",
}
NEEDED = {
    "plain": "Zwölf Boxkämpfer, 北京, さようなら\tund tab\nund Zeile",
    "emoji family": "👨\u200d👩\u200d👧",
    "emoji with a skin": "👩🏽\u200d🚀",
    "heart on fire": "❤\ufe0f\u200d🔥",
    "emoji style": "❤\ufe0f ☎\ufe0e",
    "Persian half space": "می\u200cخواهم",
    "Hindi joiner": "क्\u200dष",
    "flag of Scotland": "\U0001f3f4\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f",
    "nothing": "",
}


@every_row(HIDDEN.values())
def test_what_nobody_sees_is_found(text: str) -> None:
    assert has_invisible(text)


@pytest.mark.parametrize("text", NEEDED.values(), ids=NEEDED)
def test_what_a_script_needs_is_left_alone(text: str) -> None:
    assert not has_invisible(text)


def test_a_character_has_a_code_and_a_name() -> None:
    found = [(piece.code, piece.name) for piece in pieces("a\u202eb\x1b")]
    assert found == [("", ""), ("U+202E", "RIGHT-TO-LEFT OVERRIDE"), ("", ""), ("U+001B", "ESCAPE")]


def test_the_same_one_again_and_again_is_one_piece() -> None:
    assert [piece.code for piece in pieces("\u200b\u200b\u200b\u200c")] == ["U+200B ×3", "U+200C"]


@given(st.text(alphabet="ab \n\u200b\u200d\u202e\ufe0f👩🚀\U000e0041\U0001f3f4\U000e007f"))
def test_the_pieces_are_the_text(text: str) -> None:
    assert "".join(piece.text for piece in pieces(text)) == text
