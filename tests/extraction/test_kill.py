"""A worker is killed in the middle of an extraction; the next one finishes it, once."""

import json
import os
import signal
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from threading import Event

import pytest

from memoryweb.audit.models import Event as AuditEvent
from memoryweb.extraction.models import Extraction
from memoryweb.memory.models import Conversation, File, LineOrigin, Revision
from memoryweb.runs.models import Run
from tests.extraction.talking import NOON, TALK, ask, bullets, talk, text_of
from tests.fake_answers import noted
from tests.fakes import Behaviour, ModelServer, Received
from tests.snapshot import restored_world
from tests.soaking import first_in_gate
from tests.waiting import SECONDS, until
from tests.workers import Workers
from tests.world import World

pytestmark = [pytest.mark.kill, pytest.mark.django_db(transaction=True)]

STATEMENTS = {
    "before the watermark": r'UPDATE "conversations_conversation" SET "extracted_upto"',
    "before the answer is stored": r'INSERT INTO "extraction_extraction"',
    "before anything is written": r'FROM "workspace_file".*folded_path',
    "before the line origins": r'INSERT INTO "workspace_lineorigin"',
    "before the events": r'INSERT INTO "audit_event"',
    "before the end": r'UPDATE "runs_run" SET.*"finished_at"',
}


@pytest.fixture
def workers(tmp_path: Path, model_server: ModelServer) -> Iterator[Workers]:
    model_server.rules_like()
    environment = {
        "MEMORYWEB_MODEL_PROVIDER": "openai",
        "MEMORYWEB_MODEL_BASE_URL": model_server.url,
        "MEMORYWEB_MODEL": "fake-model",
        "MEMORYWEB_MODEL_KEY": "test-key-of-no-value",
        "PROBE_ROOM": str(tmp_path),
    }
    workers = Workers(tmp_path, "tests.extraction.probe.settings", environment)
    yield workers
    workers.end()


@pytest.mark.parametrize("moment", first_in_gate(1, list(STATEMENTS)))
def test_wherever_it_is_killed_there_is_one_result_and_nothing_is_lost(
    workers: Workers, model_server: ModelServer, moment: str
) -> None:
    world = two_conversations()
    workers.environment["PROBE_STOP"] = STATEMENTS[moment]
    worker = workers.start("run_pending")
    stopped = workers.room / "stopped"
    until(lambda: stopped.exists() or workers.exit_code(0) is not None)
    assert stopped.exists(), workers.output()
    os.kill(worker, signal.SIGKILL)
    workers.exit_code(10)
    workers.go_on()
    assert_whole(world)
    lost = 1 if moment == "before the answer is stored" else 0
    assert len(model_server.requests) == 2 + lost


@pytest.mark.parametrize("number", first_in_gate(1, [2, 1]))
def test_only_an_answer_that_never_arrived_is_asked_for_again(
    workers: Workers, model_server: ModelServer, number: int
) -> None:
    world = two_conversations()
    asked, over = Event(), Event()

    def wait(received: Received) -> Behaviour:
        asked.set()
        over.wait(SECONDS)
        return Behaviour(json.dumps(noted(received.data)))

    for _turn in range(number - 1):
        model_server.then(lambda received: Behaviour(json.dumps(noted(received.data))))
    model_server.then(wait)
    worker = workers.start("run_pending")
    until(asked.is_set)
    os.kill(worker, signal.SIGKILL)
    workers.exit_code(10)
    over.set()
    workers.go_on()
    assert_whole(world)
    assert len(model_server.requests) == 3


def two_conversations() -> World:
    world = restored_world()
    talk(world)
    later = [*TALK[:2], ("user", "I adopted a dog called Mole."), ("user", "He is two years old.")]
    conversation = talk(world, later, conversation="d", at=NOON + timedelta(days=1))
    ask(world, conversation, immediate=True)
    return world


def assert_whole(world: World) -> None:
    assert Run.objects.get().status == "succeeded"
    for day in ("2026-03-01", "2026-03-02"):
        assert len(bullets(text_of(world, f"memory/{day}.md"))) == 3
    notes = File.objects.filter(owner=world.customer)
    assert Revision.objects.filter(file__in=notes).count() == 2
    assert LineOrigin.objects.filter(file__in=notes).count() == 6
    assert Extraction.objects.filter(status="applied").count() == Extraction.objects.count() == 2
    assert not Conversation.objects.filter(waiting=True).exists()
    assert AuditEvent.objects.filter(action="run.finished").count() == 1
    written = AuditEvent.objects.filter(action="file.written", on_behalf_of=world.customer.pk)
    assert written.count() == 2
