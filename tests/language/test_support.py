"""Whether a text stands in what was heard."""

import pytest

from memoryweb.language.support import Heard, is_said, says_ended


@pytest.mark.parametrize(
    ("text", "heard", "is_so"),
    [
        ("对花生过敏。", "我儿子对花生过敏。", False),
        ("儿子对花生过敏。", "我儿子对花生过敏。", True),
        ("对花生过敏。", "我对花生过敏。", True),
        ("ピーナッツアレルギーがある。", "息子はピーナッツアレルギーがある。", False),
        ("Uses insulin.", "I used insulin this morning.", True),
    ],
)
def test_a_relatives_fact_is_not_ones_own(text: str, heard: str, is_so: bool) -> None:
    assert is_said(text, [Heard(heard)]) is is_so


@pytest.mark.parametrize(
    ("said", "old", "is_so"),
    [
        ("I used insulin this morning.", "Takes insulin every morning.", False),
        ("I am used to cold mornings.", "Takes cold showers in the mornings.", False),
        ("I used to eat meat in Leeds.", "Eats meat in Leeds.", True),
        ("I stopped eating meat.", "Eats meat.", True),
    ],
)
def test_what_was_used_has_not_ended(said: str, old: str, is_so: bool) -> None:
    assert says_ended(said, old) is is_so
