import pytest

from memoryweb.language.small_talk import asks_about_past


@pytest.mark.parametrize(
    "text",
    [
        "Where did I live before?",
        "What was my old job?",
        "Where did I use to work?",
        "Where did we live in 2024?",
        "Wo habe ich früher gewohnt?",
        "Wo haben wir gewohnt?",
        "Was war mein alter Beruf?",
        "以前はどこに住んでいましたか？",
        "前の仕事は何でしたか？",
        "我以前住在哪里？",
        "我原来做什么工作？",
    ],
)
def test_a_question_about_what_was(text: str) -> None:
    assert asks_about_past(text)


@pytest.mark.parametrize(
    "text",
    [
        "Where do I live?",
        "What is my job?",
        "Which tea do I like?",
        "Wo wohne ich?",
        "Was arbeite ich?",
        "どこに住んでいますか？",
        "仕事は何ですか？",
        "我住在哪里？",
        "我做什么工作？",
    ],
)
def test_a_question_about_now(text: str) -> None:
    assert not asks_about_past(text)
