"""A conversation that the model will not answer: it holds up nothing, and a person is told."""

import json
from datetime import timedelta

import pytest
from django.utils import timezone
from pytest_django import Settings

from memoryweb.extraction import requests
from memoryweb.extraction.models import Extraction
from memoryweb.llm import usage
from memoryweb.llm.models import Breaker
from memoryweb.memory.lines.flags import print_of
from memoryweb.memory.models import Conversation, File
from memoryweb.memory.models.review import flagged_rows
from memoryweb.memory.models.writer import write_transaction
from memoryweb.memory.review import decisions
from memoryweb.runs.models import Run
from tests.clock import Clock
from tests.extraction.answering import CARLA, NOTE, answer
from tests.extraction.talking import NOON, TALK, bullets, extract, talk, text_of
from tests.fakes import Behaviour, ModelServer, Received
from tests.soaking import first_in_gate
from tests.world import World

pytestmark = pytest.mark.django_db
HISTORY = "HISTORY-2026-03.md"


@pytest.fixture
def clock(world: World, monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(timezone.now(), monkeypatch)


@pytest.mark.parametrize(
    "said",
    first_in_gate(
        1,
        [
            Behaviour("I would rather not."),
            Behaviour('{"should_update": true', finish="length"),
            Behaviour(status=400, raw=b'{"error": "content policy"}', streams=False),
            Behaviour(status=413, raw=b"{}", streams=False),
        ],
    ),
    ids=["bad answer", "cut off", "refused", "too long"],
)
def test_it_is_asked_a_few_times_in_a_day_and_then_set_aside(
    world: World, clock: Clock, model_server: ModelServer, said: Behaviour
) -> None:
    model_server.default = lambda _: said
    began = clock.now
    extract(world, talk(world))
    clock.run_until(began + timedelta(hours=20))
    assert Conversation.objects.get().waiting
    clock.run_until(began + timedelta(days=30))
    tries = Extraction.objects.order_by("created_at")
    assert [row.status for row in tries] == ["failed"] * 4 + ["aside"]
    assert Run.objects.filter(status="failed").count() == 4
    assert Run.objects.get(status="needs_review").reason == "set_aside"
    assert not Run.objects.active().exists()
    assert text_of(world, HISTORY).count("Carla plays the cello") == 1
    conversation = Conversation.objects.get()
    assert (conversation.waiting, conversation.extracted_upto) == (False, len(TALK))


def test_a_person_sees_it_in_review_and_takes_note(
    world: World, clock: Clock, model_server: ModelServer
) -> None:
    model_server.default = lambda _: Behaviour("No.")
    extract(world, talk(world))
    clock.run_until(clock.now + timedelta(days=3))
    [waiting] = flagged_rows().filter(file__owner=world.customer)
    file = File.objects.get(path=HISTORY)
    line = file.raw_content.split("\n")[waiting.line - 1]
    assert "[raw-fallback] The model could not read these messages." in line
    assert (waiting.marks, waiting.message is not None) == ("unread", True)
    with write_transaction(world.team) as tx:
        decisions.keep_flagged(tx, file, print_of(line), by=world.alice)
    assert not flagged_rows().filter(file__owner=world.customer).exists()


def test_what_is_said_after_it_is_read(
    world: World, clock: Clock, model_server: ModelServer, settings: Settings
) -> None:
    settings.EXTRACTION_WINDOW_MESSAGES = 2
    model_server.default = lambda asked: _unless("Hello there!", asked)
    extract(world, talk(world))
    clock.run_until(clock.now + timedelta(days=3))
    assert bullets(text_of(world, NOTE)) == [f"- 12:03 {CARLA}"]
    assert Run.objects.order_by("created_at").last().status == "needs_review"  # type: ignore[union-attr]


def test_meanwhile_other_conversations_are_read_and_it_is_not_asked_again(
    world: World, clock: Clock, model_server: ModelServer
) -> None:
    model_server.default = lambda asked: _unless("Hello there!", asked)
    extract(world, talk(world))
    clock.run_until(clock.now + timedelta(minutes=30))
    asked = len(model_server.requests)
    other = talk(world, [*TALK[1:], TALK[3]], conversation="d", at=NOON)
    assert extract(world, other).status == "succeeded"
    assert len(model_server.requests) == asked + 1


def test_who_asks_in_person_has_it_asked_again_at_once(
    world: World, clock: Clock, model_server: ModelServer
) -> None:
    model_server.text("No.")
    model_server.answer(answer())
    conversation = talk(world)
    extract(world, conversation)
    run = extract(world, conversation, trigger=Run.Trigger.PERSON)
    assert run.status == "succeeded"
    assert bullets(text_of(world, NOTE)) == [f"- 12:03 {CARLA}"]


def test_working_the_queue_by_hand_does_not_rush_it(
    world: World, clock: Clock, model_server: ModelServer
) -> None:
    model_server.text("No.")
    extract(world, talk(world))
    assert requests.hurry(clock.now) == 0
    talk(world, conversation="d")
    assert requests.hurry(clock.now) == 1


def test_it_never_closes_the_endpoint_to_the_team(
    world: World, clock: Clock, model_server: ModelServer
) -> None:
    model_server.default = lambda _: Behaviour("No.")
    extract(world, talk(world))
    for number in range(9):
        extract(world, talk(world, conversation=f"d{number}"))
    assert usage.open_until(world.team.pk) is None
    assert not Breaker.objects.filter(failures__gt=0).exists()


def test_an_outage_sets_nothing_aside(
    world: World, clock: Clock, model_server: ModelServer
) -> None:
    model_server.default = lambda _: Behaviour(status=500, raw=b"{}", streams=False)
    run = extract(world, talk(world))
    clock.run_until(clock.now + timedelta(hours=3))
    assert Run.objects.get() == run
    model_server.rules_like()
    clock.run_until(clock.now + timedelta(hours=1))
    assert Run.objects.get().status == "succeeded"
    assert text_of(world, HISTORY).count("[raw-fallback]") == 1
    assert not flagged_rows().filter(file__owner=world.customer).exists()


def _unless(words: str, asked: Received) -> Behaviour:
    if words in asked.user:
        return Behaviour("No.")
    ids = [message["id"] for message in asked.data["messages"]][-1:]
    return Behaviour(_json(ids))


def _json(ids: list[str]) -> str:
    lines = [{"text": CARLA, "messageIds": ids, "durable": True}]
    return json.dumps(answer(lines=lines))
