"""Whether a text stands in what was heard."""

import json
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest

from memoryweb.language.support import Citation, is_said, says_ended
from tests.tables import every_row


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
    assert is_said(text, [Citation(heard)]) is is_so


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


@every_row(
    [
        # who does it to whom
        ("Marek pays Jonas 300 euros.", "Jonas pays Marek 300 euros."),
        ("I owe Jonas money.", "Jonas owes me money."),
        ("Ewa's boyfriend hit Marek.", "Marek hit Ewa's boyfriend."),
        ("Holger zahlt Sabine Miete.", "Sabine zahlt Holger Miete."),
        ("健太は美咲に本を貸した。", "美咲は健太に本を貸した。"),
        # of somebody else
        ("My sister lives in Delhi.", "My sister lives in Goa, and I live in Delhi."),
        ("I was fired.", "A colleague was fired."),
        ("The rent is 950 euros.", "The rent of the garage is 950 euros."),
        ("My doctor is Dr. Rao.", "Arjun's doctor is Dr. Rao."),
        ("Sana is my wife.", "Sana is my brother's wife."),
        ("Has a cold.", "Ruth stays at home, she has a cold."),
        ("我弟弟在广州工作。", "我弟弟在深圳工作，我在广州工作。"),
        ("我在阿里上班。", "王伟在阿里上班。"),
        ("魚が好きです。", "田中さんは魚が好きです。"),
        # turned by what is left out of it
        ("We will buy a boat.", "If the weather is good, we will buy a boat."),
        ("I work on Sundays.", "I work on all days except Sundays."),
        ("Never call me.", "Please don't call me on Sundays."),
        ("Heike hat drei Hunde.", "Heike hat drei Katzen, aber keinen Hund."),
        ("I don't eat fish.", "No, I eat fish."),
        ("We will sell the house.", "We will sell the house, unless Tom pays."),
        # of whom it goes on
        ("Has a cold.", "I saw Ruth. It rained. She has a cold."),
        ("I live in Kiel.", "My sister, who lives in Kiel, came by."),
        # only asked
        ("Ruth was in Rome.", "Ruth, were you in Rome, with Tina?"),
        ("Ewa smokes.", "Does Ewa smoke, and does Lech? I don't know."),
        ("Tom is a thief.", "Who says that Tom is a thief? I like Tom."),
    ]
)
def test_what_is_turned_round_or_of_another_was_not_said(text: str, heard: str) -> None:
    assert is_said(text, [Citation(heard)]) is False


@every_row(
    [
        ("I eat fish.", "No, I eat fish."),
        ("Jonas owes me money.", "Jonas owes me money."),
        ("Meets Tom on Mondays.", "On Mondays I meet Tom."),
        ("My sister lives in Goa.", "My sister lives in Goa, and I live in Delhi."),
        ("Ruth has a cold.", "Ruth isn't coming on Friday, she has a cold."),
        ("Hat 3 Katzen.", "Ich habe drei Katzen, aber keinen Hund."),
        (
            "We have a Netflix and a Spotify subscription.",
            "We have a Netflix and a Spotify subscription!",
        ),
        ("大阪に行く。", "明日は大阪に行きます。"),
        # a beginning, word for word
        ("Ich habe drei Katzen", "Hallo. Ich habe drei Katzen, und Tom hat Fische."),
        ("She's on fire.", "The boiler is out. She's on fire, by the way."),
        (
            "実は三浦のハーフに申し込んだんですよ",
            "実は三浦のハーフに申し込んだんですよ、5月17日。人生初",
        ),
        # no possessor, no doer
        ("Gareth has broken his ankle.", "Gareth's broken his ankle, fell off a kerb."),
        ("Green tea in the mornings.", "It's green tea in the mornings for me now."),
        ("Fährt am Sonntag nach Ulm.", "Sonntag fahr ich nach Ulm, Montag bin ich zurück."),
        (
            "Hat einen Kater, der die Transportbox hasst.",
            "Unser Kater Rufus hasst die Transportbox.",
        ),
        ("英会話は毎週火曜19時。", "毎週火曜19時から英会話に通ってる。"),
        (
            "英会話は毎週木曜20時になった。",
            "会社が変わったから英会話は毎週木曜の20時になりました。",
        ),
        ("来週引っ越します。", "実は来週引っ越します。"),
        # of whom it goes on
        ("Dog Monty is 5.", "Our dog Monty ate a box and some tape. He's 5."),
        # said before it is asked, or taken for so
        ("Probezeit bis September.", "Probezeit geht bis September, ich kann kündigen, oder?"),
        ("幅は64cm。", "幅が64cmしかないんだけどドラム式って入る？"),
        ("Gareth is ill, six weeks at home.", "Gareth is ill. What helps with six weeks at home?"),
    ]
)
def test_what_was_said_of_whom_it_is_about_stands(text: str, heard: str) -> None:
    assert is_said(text, [Citation(heard)]) is True


@every_row(
    [
        ("Tom from work: I'm moving to Oslo.", True),
        ("Tom from work wrote: I'm moving to Oslo.", True),
        ("User: I'm moving to Oslo.", False),
        ("Mara: I'm moving to Oslo.", False),
        ("I'm moving to Oslo.", False),
    ]
)
def test_what_is_quoted_is_said_by_whom_it_is_quoted_of(text: str, is_so: bool) -> None:
    heard = Citation('Tom from work wrote: "I\'m moving to Oslo, I will miss you."')
    assert is_said(text, [heard], names=["Mara"]) is is_so


@pytest.mark.parametrize(
    ("text", "answer", "is_so"),
    [
        ("Vegetarian.", "I bought a car.", False),
        ("Vegetarian.", "No, I eat fish.", False),
        ("Not vegetarian.", "No.", True),
        ("Vegetarian.", "Yes.", True),
    ],
)
def test_a_question_is_what_was_answered(text: str, answer: str, is_so: bool) -> None:
    asked = Citation("Are you vegetarian?", is_asked=True)
    assert is_said(text, [asked, Citation(answer)]) is is_so


@pytest.mark.parametrize(
    "said",
    ["Is the flight to Madrid cancelled?", "I didn't run 5 km on Sunday."],
)
def test_a_question_or_one_time_ends_nothing(said: str) -> None:
    assert not says_ended(said, "The flight to Madrid leaves on 2031-04-14.")
    assert not says_ended(said, "I run 5 km on Sundays.")


PEOPLE = Path(__file__).parents[2] / "scripts" / "people"


def _taken() -> Iterator[tuple[str, bool]]:
    """What a good model takes of three people's months of talk, and whether it stands in that."""
    for script in sorted(PEOPLE.glob("*.script.json")):
        messages = script.with_name(script.name.replace("script.json", "messages.jsonl"))
        lines = map(json.loads, messages.read_text(encoding="utf-8").splitlines())
        turns = {turn["id"]: turn for turn in lines}
        for it in json.loads(script.read_text(encoding="utf-8")):
            if "text" in it and "said" in it:
                heard = [_heard(turns[id]) for id in it["said"]]
                yield it["text"], is_said(it["text"], heard, it.get("old", ()))


def _heard(turn: dict[str, str]) -> Citation:
    day = datetime.fromisoformat(turn["timestamp"].replace("Z", "+00:00")).date()
    return Citation(turn["content"], day, is_asked=turn["role"] != "user")


def test_what_a_good_model_takes_of_months_of_talk_stands() -> None:
    taken = [*_taken()]
    refused = [text for text, stands in taken if not stands]
    assert len(taken) > 150
    assert len(refused) <= 1, refused
