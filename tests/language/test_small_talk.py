import pytest

from memoryweb.language.small_talk import is_courtesy, without_courtesies


@pytest.mark.parametrize(
    "text",
    [
        "Hello!",
        "Good morning! How are you today?",
        "Thanks, that was really helpful.",
        "Okay, sounds good.",
        "Hey, what’s up?",
        "Guten Morgen, wie geht's dir?",
        "Danke, das hat mir sehr geholfen.",
        "おはようございます。お元気ですか？",
        "ありがとう、とても助かりました。",
        "早上好，你今天怎么样？",
        "好的，回头见。",
    ],
)
def test_nothing_is_left_of_what_is_only_polite(text: str) -> None:
    assert without_courtesies(text) == ""


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Good morning! Where is my red canoe?", "Where is my red canoe?"),
        ("Danke! Wo wohnt Anna?", "Wo wohnt Anna?"),
        ("谢谢。我的猫叫什么？", "我的猫叫什么？"),
        ("How are you related to Anna?", "How are you related to Anna?"),
        ("What's new in the garden?", "What's new in the garden?"),
    ],
)
def test_what_is_asked_stays(text: str, left: str) -> None:
    assert without_courtesies(text) == left


def test_a_long_row_of_courtesies_takes_no_time() -> None:
    assert not is_courtesy("hi " * 26 + "x")
    assert not is_courtesy("hi there " * 10_000)
