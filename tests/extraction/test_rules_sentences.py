"""How a sentence is taken apart: greetings, introductions, requests, and several statements."""

import pytest

from memoryweb.language.categories import Category
from tests.extraction.rules_talk import notes, texts


def told(text: str, speaker: str = "Rosa") -> list[str]:
    """What is noted when a person tells one thing to an assistant."""
    return texts(("assistant", "Good morning."), (speaker, text))


@pytest.mark.parametrize(
    "text",
    [
        "Hello Otto, I live in Leeds.",
        "Good morning Nova Prime, I live in Leeds.",
        "Thanks Otto! I live in Leeds.",
        "Otto, I live in Leeds.",
        "Yes Otto, I live in Leeds.",
    ],
)
def test_whoever_is_called_is_no_part_of_the_statement(text: str) -> None:
    assert told(text) == ["Rosa lives in Leeds."]


@pytest.mark.parametrize("word", ["Sometimes", "Usually", "On Sundays"])
def test_a_word_of_time_before_a_comma_is_nobody(word: str) -> None:
    assert told(f"{word}, I play the organ in our church.") == [
        f"{word}, Rosa plays the organ in their church."
    ]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("I'm Rosa and I work in the archive.", ["Rosa works in the archive."]),
        ("Hello Otto, I'm Rosa, I work in the archive.", ["Rosa works in the archive."]),
        ("My name is Rosa.", []),
        ("I'm Rosa Lindgren.", ["Rosa's full name is Rosa Lindgren."]),
        (
            "I'm Rosa Lindgren and I lead the archive of Uppsala.",
            ["Rosa's full name is Rosa Lindgren.", "Rosa leads the archive of Uppsala."],
        ),
        ("I'm Rosa, a nurse at Saint Mary's.", ["Rosa is a nurse at Saint Mary's."]),
        ("I'm Norwegian and I live in Leeds.", ["Rosa is Norwegian.", "Rosa lives in Leeds."]),
    ],
)
def test_an_introduction_is_a_name_and_never_says_the_same_twice(
    text: str, lines: list[str]
) -> None:
    assert told(text) == lines


def test_someone_unnamed_gets_a_name() -> None:
    (name, owns) = notes(
        ("user", "Hello, I'm Rosa and I own a bakery in York."), ("assistant", "Hi")
    )
    assert (name.text, name.category) == ("The user's name is Rosa.", Category.IDENTITY)
    assert owns.text == "The user owns a bakery in York."


@pytest.mark.parametrize(
    ("text", "line", "category"),
    [
        ("私は高橋美咲です。", "Misakiの名前は高橋美咲です。", Category.IDENTITY),
        ("高橋と申します。", "Misakiの名前は高橋です。", Category.IDENTITY),
        ("私は看護師です。", "Misakiは看護師です。", Category.WORK),
    ],
)
def test_a_japanese_introduction_is_a_name(text: str, line: str, category: Category) -> None:
    (note,) = notes(("assistant", "こんにちは"), ("Misaki", text))
    assert (note.text, note.category) == (line, category)


def test_a_chinese_introduction_that_says_nothing_new_is_dropped() -> None:
    assert told("我是李雷。", "李雷") == []


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("We ship on Mondays, please tell the trainee.", ["Rosa's team ships on Mondays."]),
        ("I use a standing desk, please order one for Jo.", ["Rosa uses a standing desk."]),
        ("Please send the box to the York shop.", []),
        ("Can you book a table for four", []),
        (
            "We bake at night, so please call only after two.",
            ["Rosa's business bakes at night.", "Rosa asked to call only after two."],
        ),
        (
            "We ship on Mondays, so please never plan a call with me on a Monday.",
            [
                "Rosa's team ships on Mondays.",
                "Rosa asked to never plan a call with them on a Monday.",
            ],
        ),
    ],
)
def test_a_request_is_cut_off_unless_it_holds_for_ever(text: str, lines: list[str]) -> None:
    assert told(text) == lines


def test_keep_that_in_mind_asks_for_what_stands_before_it() -> None:
    (note,) = notes(
        ("assistant", "Hi"), ("Rosa", "Omar is allergic to milk, so please keep that in mind.")
    )
    assert (note.text, note.asked, note.durable) == ("Omar is allergic to milk.", True, True)


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (
            "I live in Kobe and I commute by bicycle.",
            ["Rosa lives in Kobe.", "Rosa commutes by bicycle."],
        ),
        (
            "I work as a nurse, and my husband Tom runs a farm.",
            ["Rosa works as a nurse.", "Rosa's husband Tom runs a farm."],
        ),
        (
            "I booked a flight to Porto for next month, I leave on 7 June.",
            ["Rosa booked a flight to Porto for June 2024, they leave on 7 June."],
        ),
        ("My husband Tom and I have two sons.", ["Rosa and their husband Tom have two sons."]),
    ],
)
def test_statements_are_parted_where_each_stands_alone(text: str, lines: list[str]) -> None:
    assert told(text) == lines


@pytest.mark.parametrize(
    ("first", "second", "line"),
    [
        (
            "I own a small bakery in Hull.",
            "We open at six every morning.",
            "Rosa's bakery opens at six every morning.",
        ),
        ("I lead the support team.", "We are seven people.", "Rosa's team is seven people."),
        ("My wife Ines is a vet.", "We adopted a dog.", "Rosa and their wife Ines adopted a dog."),
        ("I like tea.", "We open at six every day.", "Rosa's business opens at six every day."),
        (
            "I own a bakery.",
            "We took our kids to the sea yesterday.",
            "Rosa and others took their kids to the sea on 2024-05-07.",
        ),
    ],
)
def test_we_is_the_house_the_speaker_told_of(first: str, second: str, line: str) -> None:
    assert texts(("Rosa", first), ("assistant", "OK."), ("Rosa", second))[-1] == line


def test_us_without_a_group_is_the_speaker() -> None:
    assert told("Marco visits us on 8 June.") == ["Marco visits Rosa on 8 June."]
