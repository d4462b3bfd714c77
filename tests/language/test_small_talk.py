import pytest

from memoryweb.language.small_talk import is_courtesy, tells_nothing, without_courtesies


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
        "How are you today my friend, shall we go on?",
        "Hey mate, how's it going? So, shall we start?",
        "Hi again! Hope you're well.",
        "Let's continue where we left off.",
        "I'm fine, thanks for asking. And you?",
        "Nice to see you again, my dear friend!",
        "Guten Morgen mein Freund, sollen wir weitermachen?",
        "こんにちは。今日はお元気ですか？では始めましょう。",
        "好久不见，我的朋友，我们继续吧",
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
        ("Shall we go to Rome?", "Shall we go to Rome?"),
        ("Hello my friend, how is my friend Anna?", "Hello my friend, how is my friend Anna?"),
        ("Let's talk about Rome.", "Let's talk about Rome."),
        ("Sollen wir mit Rom weitermachen?", "Sollen wir mit Rom weitermachen?"),
    ],
)
def test_what_is_asked_stays(text: str, left: str) -> None:
    assert without_courtesies(text) == left


@pytest.mark.parametrize(
    "text",
    [
        "Noted.",
        "Understood.",
        "Got it!",
        "Okay, I've noted that down. Thanks for letting me know!",
        "Alright, noted. I'll keep that in mind.",
        "No worries, will do.",
        "Verstanden, das habe ich mir gemerkt.",
        "承知しました。覚えておきます。",
        "好的，记住了。",
    ],
)
def test_an_acknowledgement_tells_nothing(text: str) -> None:
    assert tells_nothing(text)


@pytest.mark.parametrize(
    "text",
    ["Yes.", "No, sorry.", "Nein!", "はい。", "是的。", "Noted: you have a red canoe.", "43"],
)
def test_a_yes_or_no_and_whatever_says_a_thing_tell_something(text: str) -> None:
    assert not tells_nothing(text)


def test_a_long_row_of_courtesies_takes_no_time() -> None:
    assert not is_courtesy("hi " * 26 + "x")
    assert not is_courtesy("hi there " * 10_000)
