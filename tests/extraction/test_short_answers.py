"""A short answer is kept with its question, and says what a sentence would."""

import pytest

from memoryweb.language.extraction_rules import claim_of
from memoryweb.language.support import Citation, is_said
from tests.extraction.rules_talk import notes
from tests.tables import every_row

KEPT = [
    ("What shoe size?", "43", "Shoe size? 43", "43"),
    (
        "Happy to help. What's your head circumference in cm?",
        "57",
        "Head circumference in cm? 57",
        "57",
    ),
    ("Before we start, what is your shoe size?", "43, thanks!", "Shoe size? 43", "43"),
    ("When is your birthday?", "3 March", "When is your birthday? 3 March", "3 March"),
    (
        "Are you allergic to anything?",
        "peanuts",
        "Are you allergic to anything? peanuts",
        "peanuts",
    ),
    (
        "Do you have any allergies?",
        "Yes, peanuts.",
        "Do you have any allergies? peanuts",
        "peanuts",
    ),
    ("What's your dog's name?", "Rufus", "Dog's name? Rufus", "Rufus"),
    ("Where do you live?", "in Leeds", "Where do you live? in Leeds", "Leeds"),
    (
        "What medication are you on?",
        "lisinopril 20 mg",
        "What medication are you on? lisinopril 20 mg",
        "lisinopril 20 mg",
    ),
    (
        "How often do you run?",
        "twice a week",
        "How often do you run? twice a week",
        "run twice a week",
    ),
    ("In welcher Stadt wohnst du?", "Bremen", "In welcher Stadt wohnst du? Bremen", "Bremen"),
    ("你在哪里工作？", "华为", "你在哪里工作? 华为", "华为"),
    ("Welche Schuhgröße hast du?", "43", "Schuhgröße? 43", "43"),
    ("Wann hast du Geburtstag?", "3. März", "Wann hast du Geburtstag? 3. März", "3. März"),
    ("Bist du gegen etwas allergisch?", "Nüsse", "Bist du gegen etwas allergisch? Nüsse", "Nüsse"),
    ("Wie heißt dein Hund?", "Rufus", "Wie heißt dein Hund? Rufus", "Rufus"),
    ("靴のサイズは何センチですか？", "26", "靴のサイズ? 26", "26"),
    ("お誕生日はいつですか？", "3月3日", "誕生日? 3月3日", "3月3日"),
    ("アレルギーはありますか？", "ピーナッツ", "アレルギーはありますか? ピーナッツ", "ピーナッツ"),
    ("你的鞋码是多少？", "43", "鞋码? 43", "43"),
    ("你对什么过敏吗？", "花生", "你对什么过敏吗? 花生", "花生"),
    ("你的狗叫什么名字？", "旺财", "你的狗叫什么名字? 旺财", "旺财"),
]


@every_row(KEPT)
def test_a_short_answer_is_durable_with_its_question(
    question: str, answer: str, line: str, value: str
) -> None:
    [found] = notes(("assistant", question), ("user", answer))
    assert (found.text, found.durable, found.message_ids) == (line, True, ("m2",))
    assert claim_of(line).value == value


@every_row([row[:3] for row in KEPT])
def test_a_line_of_a_model_may_say_so_too(question: str, answer: str, line: str) -> None:
    assert is_said(line, [Citation(question, is_asked=True), Citation(answer)])


def test_a_line_of_a_model_says_no_other_answer() -> None:
    said = [Citation("What shoe size?", is_asked=True), Citation("43")]
    assert not is_said("Shoe size? 44", said)


@every_row(
    [
        ("How are you?", "fine"),
        ("Anything else?", "no thanks"),
        ("How about a dal?", "Dal it is"),
        ("Want a checklist?", "yes pls, short one"),
        ("Is this right?", "ok"),
        ("Are you diabetic?", "yes"),
        ("Is your name Bob?", "Yes."),
        ("Do you earn more than 50k?", "no"),
        ("Do you prefer tea or coffee?", "tea"),
        ("What's your name and your age?", "Bob 43"),
        ("What's your name? And your age?", "Bob 43"),
        ("What's your shoe size?", "no idea"),
        ("What's your shoe size?", "why do you ask?"),
        ("What's your shoe size?", "just tell me"),
        ("What's your shoe size?", "it depends on the brand and on the last, mostly"),
        ("What's your PIN?", "4821"),
        ("Wie ist dein Passwort?", "Sommer1990"),
        ("Wie geht es dir?", "gut"),
        ("Noch etwas?", "nein danke"),
        ("お元気ですか？", "元気です"),
        ("他に何かありますか？", "特にない"),
        ("你好吗？", "很好"),
        ("还有别的吗？", "没有了"),
        ("你的密码是多少？", "4821"),
    ]
)
def test_nothing_is_made_of(question: str, answer: str) -> None:
    assert notes(("assistant", question), ("user", answer)) == []


def test_only_the_very_next_message_answers() -> None:
    asked = ("assistant", "What shoe size?")
    assert notes(asked, ("user", "Wait a second."), ("user", "43")) == []
    assert notes(asked, ("assistant", "No hurry."), ("user", "43")) == []


def test_what_is_no_claim_is_for_the_note_alone() -> None:
    [found] = notes(("assistant", "What are you baking?"), ("user", "cinnamon buns"))
    assert (found.text, found.durable) == ("What are you baking? cinnamon buns", False)


def test_in_rooms_somebody_else_asks() -> None:
    asked = ("Ann", "Ben, what's your shoe size?")
    [found] = notes(asked, ("Ben", "43"))
    assert (found.text, found.durable) == ("Ben: Shoe size? 43", True)
    assert claim_of(found.text).key == ("ben", "shoe size")
    assert notes(asked, ("Ann", "43"), ("Ben", "hm")) == []


def test_a_later_sentence_is_of_the_same_key() -> None:
    assert claim_of("Shoe size? 43").key == claim_of("My shoe size is 44.").key


@pytest.mark.parametrize(
    "line", ["What now? Nothing. It rains.", "Shoe size? 43 or 44? Who knows."]
)
def test_other_lines_are_read_as_ever(line: str) -> None:
    assert not claim_of(line).durable


def test_a_question_may_hold_anything() -> None:
    [found] = notes(("assistant", "When is your {0} {day}?"), ("user", "3 March"))
    assert found.text == "When is your {0} {day}? 3 March"
