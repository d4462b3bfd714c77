"""Small chats of one owner share a call of the model; all else of them stays apart."""

import json
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from memoryweb.extraction import pipeline
from memoryweb.extraction.models import Extraction
from memoryweb.memory.models import Conversation, LineOrigin, Message
from memoryweb.runs.models import Run
from tests.extraction.answering import NOTE
from tests.extraction.talking import (
    NOON,
    again,
    ask,
    bullets,
    extract,
    go_on,
    soon,
    talk,
    text_of,
)
from tests.fakes import Behaviour, ModelServer, Received
from tests.world import World

pytestmark = pytest.mark.django_db
KITE = [("user", "My kite is orange.")]
BOAT = [("user", "My boat is called Selma.")]


def two(world: World) -> tuple[Conversation, Conversation]:
    later = NOON + timedelta(hours=1)
    return talk(world, KITE), talk(world, BOAT, conversation="d", at=later)


def line(text: str, *ids: str) -> dict[str, Any]:
    return {"text": text, "messageIds": list(ids), "durable": True}


def answer(*lines: dict[str, Any]) -> dict[str, Any]:
    return {"should_update": True, "reason": "A kite and a boat.", "lines": list(lines)}


BOTH = answer(line(KITE[0][1], "1:t1"), line(BOAT[0][1], "2:t1"))


def test_two_chats_are_asked_about_once_and_stay_apart(
    world: World, model_server: ModelServer
) -> None:
    model_server.answer(BOTH)
    chats = two(world)
    run = extract(world)
    given = model_server.requests[0].data["messages"]
    assert [one["id"] for one in given] == ["1:t1", "2:t1"]
    assert len(model_server.requests) == 1
    assert bullets(text_of(world, NOTE)) == [f"- 12:00 {KITE[0][1]}", f"- 13:00 {BOAT[0][1]}"]
    rows = Extraction.objects.order_by("pk")
    assert [(row.conversation, row.status, row.tokens_in) for row in rows] == [
        (chats[0], "applied", 100),
        (chats[1], "applied", 0),
    ]
    assert (run.status, run.tokens_in, run.result["lines"]) == ("succeeded", 100, 2)
    cited = LineOrigin.objects.filter(message__conversation=chats[1])
    assert [one.line for one in cited] == [4]


def test_no_chat_keeps_a_word_of_another(world: World, model_server: ModelServer) -> None:
    model_server.answer(answer(line(BOAT[0][1], "1:t1"), line(KITE[0][1], "1:t1", "2:t1")))
    _kites, boats = two(world)
    extract(world)
    assert bullets(text_of(world, NOTE)) == [f"- 12:00 {KITE[0][1]}"]
    assert "ite" not in json.dumps(Extraction.objects.get(conversation=boats).answer["lines"])
    assert not Extraction.objects.filter(reason__contains="boat").exists()


def test_what_is_long_of_another_day_or_failed_before_is_asked_alone(
    world: World, model_server: ModelServer, settings: Any
) -> None:
    settings.EXTRACTION_WINDOW_MESSAGES = 3
    talk(world, KITE * 2)
    talk(world, BOAT * 2, conversation="d")
    talk(world, BOAT, conversation="e", at=NOON + timedelta(days=1))
    extract(world)
    sent = [[one["id"] for one in asked.data["messages"]] for asked in model_server.requests]
    assert sent == [["t1", "t2"], ["t1", "t2"], ["t1"]]


def test_a_crash_after_the_answer_was_stored_asks_nobody_again(
    world: World, model_server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    model_server.answer(BOTH)
    two(world)
    run = ask(world, finished=True)
    assert run is not None
    with monkeypatch.context() as patched:
        patched.setattr(pipeline, "apply", _dies)
        soon(run)
    assert set(Extraction.objects.values_list("status", flat=True)) == {"answered"}
    assert soon(run).status == "succeeded"
    assert len(model_server.requests) == 1
    assert len(bullets(text_of(world, NOTE))) == 2
    assert Run.objects.get(pk=run.pk).tokens_in == 100


def _dies(*_args: object) -> bool:
    raise RuntimeError("killed")


def test_one_that_the_model_cannot_read_holds_up_no_other(
    world: World, model_server: ModelServer
) -> None:
    model_server.default = _unless_kite
    chats = two(world)
    run = extract(world)
    assert (run.status, run.reason) == ("failed", "bad_answer")
    sent = [[one["id"] for one in asked.data["messages"]] for asked in model_server.requests]
    assert sent == [["1:t1", "2:t1"], ["t1"], ["t1"]]
    assert bullets(text_of(world, NOTE)) == [f"- 13:00 {BOAT[0][1]}"]
    failed = Extraction.objects.get(status="failed")
    assert failed.conversation == chats[0]
    third = talk(world, [("user", "My tent is blue.")], conversation="e")
    ask(world, third)
    again(run)
    assert [
        [one["id"] for one in asked.data["messages"]] for asked in model_server.requests[3:]
    ] == [["t1"], ["t1"]]


def _unless_kite(asked: Received) -> Behaviour:
    said = asked.data["messages"]
    if any("kite" in one["content"] for one in said):
        return Behaviour("No.")
    lines = [line(one["content"], one["id"]) for one in said]
    return Behaviour(json.dumps(answer(*lines)))


def test_what_is_forgotten_between_answer_and_use_is_asked_again_alone(
    world: World, model_server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    model_server.answer(BOTH)
    _kites, boats = two(world)
    run = ask(world, finished=True)
    assert run is not None
    with monkeypatch.context() as patched:
        patched.setattr(pipeline, "apply", _dies)
        soon(run)
    Message.objects.filter(conversation=boats).update(reverted_at=timezone.now())
    Conversation.objects.filter(pk=boats.pk).update(ephemeral=True)
    assert soon(run).status == "succeeded"
    assert bullets(text_of(world, NOTE)) == [f"- 12:00 {KITE[0][1]}"]
    assert not Extraction.objects.filter(conversation=boats).exists()


def test_a_short_answer_may_stand_on_a_question_that_was_read_before(
    world: World, model_server: ModelServer
) -> None:
    model_server.answer({"should_update": False, "reason": "Nothing."})
    extract(world, talk(world, [("user", "Find me shoes."), ("assistant", "What shoe size?")]))
    model_server.answer(answer(line("Shoe size? 43", "t2", "m3")))
    extract(world, go_on(world, [("user", "43")], at=NOON + timedelta(minutes=2)))
    assert bullets(text_of(world, NOTE)) == ["- 12:02 Shoe size? 43"]
    origin = LineOrigin.objects.get(durable=True)
    assert origin.message is not None
    assert origin.message.raw_content == "43"


@pytest.mark.parametrize(
    ("asked", "text", "kept"),
    [
        ("Are you diabetic?", "I am diabetic.", False),
        ("Is your name Bob?", "My name is Bob.", False),
        ("Do you earn 50,000 euros?", "I earn 50,000 euros.", False),
        ("Is the kitchen green?", "The kitchen is green.", True),
    ],
)
def test_a_bare_yes_says_nothing_of_who_one_is_of_health_and_of_money(
    world: World, model_server: ModelServer, asked: str, text: str, kept: bool
) -> None:
    model_server.answer(answer(line(text, "t2", "t3")))
    extract(world, talk(world, [("user", "Hi."), ("assistant", asked), ("user", "Yes.")]))
    assert (text in text_of(world, NOTE)) is kept
