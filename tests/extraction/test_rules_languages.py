import pytest

from tests.extraction.rules_talk import notes, texts


@pytest.mark.parametrize(
    ("said", "line"),
    [
        ("你好！我叫王芳，住在上海。", "小王叫王芳，住在上海。"),
        ("我不吃香菜。", "小王不吃香菜。"),
        ("我妻子是医生。", "小王的妻子是医生。"),
        ("我们决定下周五发布新版本！", "小王他们决定2024-05-17发布新版本。"),
        ("昨天我参加了摄影展。", "2024-05-07小王参加了摄影展。"),
        ("对了，我打算明年去日本学设计。", "小王打算2025年去日本学设计。"),
        ("喜欢爬山和摄影。", "小王喜欢爬山和摄影。"),
    ],
)
def test_chinese_statements_name_the_speaker(said: str, line: str) -> None:
    assert texts(("小王", said)) == [line]


@pytest.mark.parametrize(
    "said",
    ["谢谢你！", "今天天气怎么样？", "好的，没问题。", "加油！", "你喜欢什么颜色？", "哈哈哈"],
)
def test_chinese_small_talk_leaves_nothing(said: str) -> None:
    assert texts(("小王", said)) == []


def test_a_chinese_request_is_asked() -> None:
    (note,) = notes(("user", "请记住我的生日是6月3日。"))
    assert (note.text, note.asked) == ("用户的生日是6月3日。", True)


@pytest.mark.parametrize(
    ("said", "line"),
    [
        ("こんにちは！私は看護師です。", "田中は看護師です。"),
        ("大阪に住んでいます。", "田中は大阪に住んでいます。"),
        ("寿司が好きです。", "田中は寿司が好きです。"),
        ("私の妻は医者です。", "田中の妻は医者です。"),
        ("来週の金曜日に東京へ出張します。", "田中は2024-05-17に東京へ出張します。"),
        ("昨日、妻と映画を見ました。", "田中は2024-05-07、妻と映画を見ました。"),
        ("私たちは毎週木曜日にデプロイします。", "田中たちは毎週木曜日にデプロイします。"),
    ],
)
def test_japanese_statements_name_the_speaker(said: str, line: str) -> None:
    assert texts(("田中", said)) == [line]


@pytest.mark.parametrize(
    "said",
    [
        "ありがとうございます。",
        "今日の天気はどうですか？",
        "はい、わかりました。",
        "すごいですね！",
    ],
)
def test_japanese_small_talk_leaves_nothing(said: str) -> None:
    assert texts(("田中", said)) == []


def test_a_japanese_request_is_asked() -> None:
    (note,) = notes(("user", "エビアレルギーだと覚えておいてください。"))
    assert (note.text, note.asked) == ("ユーザーはエビアレルギー。", True)


def test_each_language_has_its_own_name_for_someone_unnamed() -> None:
    assert texts(("user", "I am a nurse. 我喜欢绿茶。京都に住んでいます。")) == [
        "The user is a nurse.",
        "用户喜欢绿茶。",
        "ユーザーは京都に住んでいます。",
    ]
