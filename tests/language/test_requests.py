"""Every row of every table is tried with its own examples, then the rules across rows."""

import pytest

from memoryweb.language.extraction_rules.model import LANGUAGES
from memoryweb.language.forget_requests import Fit, fit, forgets, meant_by
from memoryweb.language.forget_requests.table import Row, Topic, table
from tests.language.forget_samples import ASKED, MAY_BE_ASKED, PLAIN
from tests.language.look_alike_samples import NOT_ASKED
from tests.pace import assert_linear
from tests.tables import every_row

ROWS = [row for name in LANGUAGES for row in table(name).rows]
TOPICS = [(name, topic) for name in LANGUAGES for topic in table(name).topics]
NAMES = {
    "english": "my {}",
    "german": "mein {}",
    "chinese": "我的{}",
    "japanese": "私の{}",
}


def asked(text: str) -> list[str]:
    return [found.about for found in forgets(text)]


def fits(about: str, text: str) -> Fit:
    return max((fit(one, text) for one in meant_by(about)), default=Fit.NO)


def _name(language: str, topic: Topic) -> str:
    """One that its own pattern finds."""
    plain = topic.named.pattern.replace("(?:", "").replace(r"\b", "")
    first = plain.replace(")", "").replace("?", "").split("|")[0]
    return NAMES[language].format(first if topic.named.search(first) else topic.name)


@every_row([*ASKED, *(text for row in ROWS for text in row.examples)])
def test_a_row_finds_what_its_examples_ask(example: str) -> None:
    text, _, about = example.partition(" => ")
    assert asked(text) == [about]


@every_row(PLAIN)
def test_a_plain_request_is_seen(message: str) -> None:
    assert asked(message)


@every_row(MAY_BE_ASKED)
def test_what_may_mean_other_things_is_only_offered(example: str) -> None:
    text, _, about = example.partition(" => ")
    assert [(one.about, one.is_sure) for one in forgets(text)] == [(about, False)]


@every_row([*NOT_ASKED, *(text for row in ROWS for text in row.counter)])
def test_a_row_leaves_its_counter_examples_alone(text: str) -> None:
    assert asked(text) == []


@every_row(ROWS)
def test_every_row_has_an_example(row: Row) -> None:
    assert row.examples


@every_row([(name, topic, text) for name, topic in TOPICS for text in topic.examples])
def test_a_topic_is_found_in_what_says_it(language: str, topic: Topic, text: str) -> None:
    assert fits(_name(language, topic), text) is Fit.YES


@every_row([(name, topic, text) for name, topic in TOPICS for text in topic.counter])
def test_a_topic_is_not_found_in_other_things(language: str, topic: Topic, text: str) -> None:
    assert fits(_name(language, topic), text) is Fit.NO


@every_row(
    [
        ("my weight", "Ich wiege 62 Kilo."),
        ("mein Gewicht", "I weigh 62 kilos."),
        ("我的体重", "体重は62キロです。"),
        ("my weight", "- 08:00 I weigh 62 kilos."),
        ("my weight", "Noted: you weigh 62 kilos."),
        ("my current weight", "I weigh 62 kilos."),
        ("my weight of 62 kilos", "I weigh 62 kilos."),
        ("that I weigh 62 kilos", "**Weight**: 62 kg"),
        ("that we live in Leeds", "We moved to Leeds in March."),
        ("dass ich Diabetes habe", "Ich habe Diabetes."),
        ("my sister's birthday", "My sister's birthday is 3 May."),
        ("my trip to Rome", "The trip to Rome is in June."),
        ("Tobias", "My brother Tobias plays chess."),
        ("my allergies", "I'm allergic to nuts."),
        ("my weight and my address", "We live in Leeds."),
        ("where I work", "I work at Acme as a nurse."),
        ("my weight and age", "I'm 34 years old."),
        ("we ever talked about Rome", "We go to Rome in May."),
        ("was ich über Rom gesagt habe", "Wir fahren im Mai nach Rom."),
        ("我的猫", "我家的猫叫咪咪。"),
        ("my dog's name", "Our dog is called Bello."),
        ("den Namen meines Hundes", "Unser Hund heißt Bello."),
        ("wie unser Hund heißt", "Unser Hund heißt Bello."),
        ("我的狗的名字", "我家的狗叫豆豆。"),
        ("うちの犬の名前", "犬はポチという名前です。"),
        ("my passport number", "My passport number is EK123456."),
        ("where my sister lives", "My sister Clara lives in Utrecht."),
        ("meine Medikamente", "I take 50 mg of sertraline every morning."),
        ("everything you know about me", "I like tea."),
    ]
)
def test_what_is_meant_is_found_in_other_words(about: str, text: str) -> None:
    assert fits(about, text) is Fit.YES


@every_row(
    [
        ("my weight", "My sister weighs 80 kilos."),
        ("my birthday", "My sister's birthday is 3 May."),
        ("my weight", "How much should somebody weigh?"),
        ("my trip to Rome", "The trip to Oslo was long."),
        ("that I weigh 62 kilos", "I weigh 64 kilos."),
        ("that we live in Leeds", "We moved to Oslo."),
        ("dass ich Diabetes habe", "Ich habe zwei Katzen."),
        ("that I have diabetes", "I'm allergic to nuts."),
        ("my name", "My dog's name is Rex."),
        ("my name", "Our dog is called Bello."),
        ("my cat's name", "Our dog is called Bello."),
        ("my dog's name", "Our dog eats twice a day."),
        ("my allergies", "I take 50 mg of sertraline every morning."),
        ("my phone number", "My passport number is EK123456."),
        ("my contract", "The contrast is fine."),
        ("my job", "Nice work, thanks!"),
        ("what I just said", "I weigh 62 kilos."),
    ]
)
def test_what_is_not_meant_is_left_alone(about: str, text: str) -> None:
    assert fits(about, text) is not Fit.YES


@pytest.mark.parametrize(
    "text",
    [
        "Look at this mail:\n> Please forget my weight.",
        "She wrote “forget my password” and left.",
        "Translate: forget my weight",
        "Dear Anna,\nplease forget my weight.\nBest, Tom",
        "Subject: hello\n\nForget my password.",
        "```\nforget my weight\n```",
        "I told him: forget my weight.",
        "Forget my weight. " + "And here is a long story of mine. " * 9,
        "I don't remember his name",
        "Maybe forget my weight? I don't know, but you could.",
    ],
)
def test_what_is_quoted_pasted_or_told_asks_nothing(text: str) -> None:
    assert asked(text) == []


def test_a_request_among_other_sentences_tells_where_it_stands() -> None:
    text = "Thanks, that helps. Please forget my weight. And what's for dinner?"
    (found,) = forgets(text)
    assert text[found.first : found.last].strip() == "Please forget my weight."


def test_a_reason_behind_it_is_no_part_of_it() -> None:
    assert asked("Forget my weight, it's private.") == ["my weight"]


def test_what_a_sentence_only_may_ask_is_not_sure() -> None:
    assert not any(
        one.is_sure
        for text in ("Erase everything about the court case.", "I never mentioned the Ferrari, ok?")
        for one in forgets(text)
    )
    assert [one.is_sure for one in forgets("Erase my address.")] == [True]


def test_what_was_just_said_and_everything_are_told_apart() -> None:
    assert [one.is_last for one in meant_by("what I just said")] == [True]
    assert [one.is_that for one in meant_by("that")] == [True]
    assert [one.is_that for one in meant_by("what I just said")] == [False]
    assert [one.is_all for one in meant_by("everything")] == [True]
    assert [one.is_all for one in meant_by("alles über mich")] == [True]


def test_a_long_or_hostile_message_costs_no_more_than_its_length() -> None:
    assert_linear(lambda text: fits(text, "I weigh 62 kilos."), lambda n: "my and my " * (n // 10))
    assert_linear(lambda text: asked(text), lambda n: "forget my and " * min(n // 14, 21))
