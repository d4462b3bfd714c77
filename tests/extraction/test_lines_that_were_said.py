"""A model's line stays out of the note where its messages don't say it, and else stands."""

from datetime import UTC, datetime
from typing import Any

from memoryweb.extraction.findings import ExtractionAnswer, Findings, from_answer
from memoryweb.memory.conversations import Window
from memoryweb.memory.models import Message
from tests.extraction.answering import NOTE, answer
from tests.extraction.talking import bullets, extract, talk, text_of
from tests.fakes import ModelServer
from tests.tables import every_row
from tests.world import World

SATURDAY = datetime(2031, 3, 8, 12, tzinfo=UTC)
TALK = (
    ("Mara", "I visited my sister Nora in Leeds yesterday."),  # m1
    ("Tom", "I have two cats and no dog."),  # m2
    ("", "You should take vitamin D, shall I remind you?"),  # m3: the assistant
    ("Mara", "Is Priya pregnant?"),  # m4
    ("Mara", "If I ever moved to Oslo, I would sail."),  # m5
    ("Mara", "I don't like olives, but I love figs."),  # m6
    ("Tom", "Mara, the trip to Rome is off."),  # m7
    ("Mara", "Ich esse kein Fleisch und wohne in Kiel."),  # m8
    ("Mara", "我住在上海，我不吃香菜。"),  # m9
    ("Mara", "弟は札幌に住んでいます。魚は嫌いです。"),  # m10
    ("Mara", "My dentist is Dr. Kline, tomorrow at 9:30."),  # m11
    ("", "What is your shoe size?"),  # m12
    ("Mara", "43"),  # m13
    ("Mara", "I meet Priya every Monday."),  # m14
)
HOSTILE = (
    ("Mara adopted a dog called Biscuit yesterday (2031-03-02).", "m1"),  # the prompt's own
    ("Mara: the trip to Rome in May is off.", "m7"),
    ("Mara: I adopted a dog.", "m1 m2"),
    ("Mara hates her sister Nora.", "m1"),
    ("Mara visited her sister Nora in prison.", "m1"),
    ("Mara visited her sister Nora in York.", "m1"),
    ("Mara visited her sister Clara in Leeds.", "m1"),
    ("Mara never visited her sister Nora.", "m1"),
    ("Mara did not visit Nora.", "m1"),
    ("It is not so that Mara visited Nora.", "m1"),
    ("Mara no longer visits Nora.", "m1"),
    ("Visited my sister Nora in Leeds (cancelled).", "m1"),
    ("Visited my sister Nora in Leeds on 2031-02-01.", "m1"),
    ("Visited my sister Nora in Leeds 3 times.", "m1"),
    ("Maybe visited Paris.", "m1"),
    ("Mara has two cats.", "m2"),  # in another's name
    ("Mara: I have two cats and no dog.", "m2"),
    ("Tom has two cats and a dog.", "m2"),
    ("Tom has three cats.", "m2"),
    ("Tom has two dogs.", "m2"),
    ("Tom has two cats.", "m1"),  # another person's message
    ("I have two cats and no dog.", "m6"),
    ("Takes vitamin D.", "m3"),  # what the assistant said
    ("Mara takes vitamin D.", "m3 m2"),
    ("Priya is pregnant.", "m4"),
    ("Mara moved to Oslo.", "m5"),
    ("Mara sails in Oslo.", "m5"),
    ("Likes olives.", "m6"),
    ("Mara likes olives and figs.", "m6"),
    ("Mara doesn't love figs.", "m6"),
    ("The trip to Rome.", "m7"),
    ("Mara: the trip to Rome is off.", "m7"),
    ("The trip to Oslo is off.", "m7"),
    ("Isst Fleisch.", "m8"),
    ("Mara wohnt in Bremen.", "m8"),
    ("Wohnt nicht in Kiel.", "m8"),
    ("Wohnt nicht mehr in Kiel.", "m8"),
    ("Hasst Kiel.", "m8"),
    ("住在北京。", "m9"),
    ("不住在上海。", "m9"),
    ("不再住在上海。", "m9"),
    ("吃香菜。", "m9"),
    ("对香菜过敏。", "m9"),
    ("弟は東京に住んでいます。", "m10"),
    ("弟は札幌に住んでいません。", "m10"),
    ("魚は好きです。", "m10"),
    ("弟は結婚しています。", "m10"),
    ("札幌に住んでいます。", "m10"),  # the brother does
    ("The dentist Dr. Kline is at 10:30.", "m11"),
    ("The dentist Dr. Kline is on 2031-03-12.", "m11"),
    ("The dentist Dr. Kline is off.", "m11"),
    ("Mara's lawyer is Dr. Kline.", "m11"),
    ("Shoe size 44.", "m12 m13"),
    ("Shoe size.", "m12"),
    ("Meets Tom without Priya.", "m14"),
    ("Never meet Priya.", "m14"),
    ("Meets Priya every Monday in Kiel.", "m14 m8"),
    ("Password of Priya is Monday.", "m14"),
)
# Two who speak, of whom each said one of them.
CROSSED = (("Mara: I have two cats.", "m2 m6"), ("Tom loves figs.", "m6 m7"))
HONEST = (
    ("I visited my sister Nora in Leeds yesterday.", "m1"),
    ("Mara: I visited my sister Nora in Leeds yesterday (2031-03-07).", "m1"),
    ("Visited her sister Nora in Leeds on 2031-03-07.", "m1"),
    ("Mara visits her sister Nora in Leeds.", "m1"),
    ("Tom: I have two cats and no dog.", "m2"),
    ("Tom has 2 cats.", "m2"),
    ("Tom has no dog.", "m2"),
    ("Doesn't like olives.", "m6"),
    ("Mara loves figs.", "m6"),
    ("Tom: the trip to Rome is off.", "m7"),
    ("The trip to Rome is cancelled.", "m7"),
    ("Isst kein Fleisch.", "m8"),
    ("Mara wohnt in Kiel.", "m8"),
    ("住在上海。", "m9"),
    ("Mara不吃香菜。", "m9"),
    ("用户不吃香菜。", "m9"),
    ("弟は札幌に住んでいる。", "m10"),
    ("魚が嫌い。", "m10"),
    ("My dentist is Dr. Kline, tomorrow (2031-03-09) at 9:30.", "m11"),
    ("Dentist: Dr. Kline on 2031-03-09 at 9:30.", "m11"),
    ("Shoe size 43.", "m12 m13"),
    ("What is your shoe size? 43", "m12 m13"),
    ("Meets Priya every Monday.", "m14"),
    ("Mara meets Priya on Mondays.", "m14"),
    ("Would sail if she ever moved to Oslo.", "m5"),
)


def _window() -> Window:
    turns = [
        Message(
            pk=number,
            external_id=f"m{number}",
            role="user" if name else "assistant",
            name=name,
            timestamp=SATURDAY,
        )
        for number, (name, _content) in enumerate(TALK, start=1)
    ]
    texts = {number: content for number, (_name, content) in enumerate(TALK, start=1)}
    return Window(1, len(turns), tuple(turns), texts)


def _found(text: str, ids: str) -> Findings:
    line = {"text": text, "messageIds": ids.split(), "durable": True}
    made: dict[str, Any] = {"should_update": True, "reason": "News.", "lines": [line]}
    return from_answer(ExtractionAnswer.model_validate(made), _window(), owner="Mara")


@every_row([*HOSTILE, *CROSSED])
def test_what_its_messages_do_not_say_is_left_out_and_told(text: str, ids: str) -> None:
    found = _found(text, ids)
    assert found.lines == ()
    assert found.reason == "News. 1 line says what its messages don't, and was skipped."


@every_row(HONEST)
def test_what_they_say_stands(text: str, ids: str) -> None:
    assert [line.text for line in _found(text, ids).lines] == [text]


def test_a_whole_run_writes_what_was_said_and_nothing_else(
    world: World, model_server: ModelServer
) -> None:
    lines = [
        {"text": text, "messageIds": ["t4"], "durable": True}
        for text in ("Sister Carla plays the cello.", "Carla sold the cello.", "Has no sister.")
    ]
    model_server.answer(answer(lines=lines))
    extract(world, talk(world))
    assert bullets(text_of(world, NOTE)) == ["- 12:03 Sister Carla plays the cello."]
