from hypothesis import given
from hypothesis import strategies as st

from memoryweb.llm.tokens import estimate, estimate_messages
from tests.tables import every_row


@every_row(
    [
        ("", 0),
        ("a", 1),
        ("abcd", 1),
        ("abcde", 2),
        ("昨天", 2),
        ("きのう、カフェ", 7),
        ("어제", 2),
        ("ＡＢ", 2),
        ("é", 1),
        ("éé", 2),
        ("ééé", 2),
        ("Мир", 2),
        ("𠮷野家", 3),
        ("Mara 昨天 café", 6),  # 9 ASCII → 3, 2 CJK → 2, 1 other → 1
    ]
)
def test_each_script_has_its_rate(text: str, tokens: int) -> None:
    assert estimate(text) == tokens


def test_a_message_costs_four_more() -> None:
    assert estimate_messages(["abcd", "昨天"]) == 11


@given(st.text(), st.text())
def test_more_text_is_never_fewer_tokens(first: str, second: str) -> None:
    assert estimate(first) <= estimate(first + second) <= estimate(first) + estimate(second)
