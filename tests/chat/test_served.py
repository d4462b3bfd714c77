"""Chats through a real server: many open at once, a reader who hangs up, a client's whole day."""

import http.client
import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from django.conf import settings as installed

from memoryweb.llm.models import Usage
from memoryweb.memory.models import Conversation
from tests.chat.test_chat import said
from tests.commands.calling import run
from tests.fakes import Behaviour, ModelServer, Received
from tests.serving import answers, collect_static, serving
from tests.waiting import until
from tests.workers import database_url
from tests.world import World, integration_token

STREAMS = 64
ANSWER = " ".join(["The quiet one on the second floor, as last time."] * 20)
pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]


class Client:
    """What a program needs to know of us: an address, a token, the agent's id and its user's."""

    def __init__(self, port: int, token: str, **ids: str) -> None:
        self.port, self.ids = port, ids
        self.headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}

    def call(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        with closing(self.opened(method, path, body)) as answer:
            text = answer.read()
        is_json = "json" in answer.headers.get("Content-Type", "")
        return answer.status, json.loads(text) if is_json else text

    def opened(
        self, method: str, path: str, body: Any = None, **headers: str
    ) -> http.client.HTTPResponse:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        data = None if body is None else json.dumps(body)
        connection.request(method, f"/api/v1{path}", data, self.headers | headers)
        return connection.getresponse()

    def chat(self, message: str, **fields: str) -> tuple[int, Any]:
        return self.call("POST", "/chat", self.ids | fields | {"message": message})

    def streamed(self, message: str, **fields: str) -> http.client.HTTPResponse:
        return self.opened("POST", "/chat/stream", self.ids | fields | {"message": message})


def events(stream: http.client.HTTPResponse) -> Iterator[tuple[str, dict[str, Any]]]:
    """Server-sent events, as they come."""
    name = ""
    for raw in stream:
        key, _colon, value = raw.decode().rstrip("\n").partition(": ")
        if key == "event":
            name = value
        elif key == "data":
            yield name, json.loads(value)


@pytest.fixture
def port(tmp_path: Path, world: World, model_server: ModelServer) -> Iterator[int]:
    environment = {
        "DATABASE_URL": database_url(),
        "SECRET_KEY": installed.SECRET_KEY,
        "CHECKPOINT_SECRET": installed.CHECKPOINT_SECRET,
        "MODEL_PROVIDER": "openai",
        "MODEL_BASE_URL": model_server.url,
        "MODEL_KEY": "test-key-of-no-value",
        "MODEL": "fake-model",
    }
    collect_static(tmp_path)
    given = {f"MEMORYWEB_{name}": value for name, value in environment.items()}
    with serving(tmp_path, **given) as port:
        yield port


@pytest.fixture
def client(port: int, world: World) -> Client:
    token = integration_token(world.integration)
    return Client(port, token, agentId=str(world.agent.pk), endUserId="customer-1")


def usage() -> dict[str, int]:
    counted = ("reserved", "used_in", "used_out")
    values = Usage.objects.values_list("reserved", "used_in", "used_out").get()
    return dict(zip(counted, values, strict=True))


def test_sixty_four_open_streams_keep_no_page_waiting_and_count(
    world: World, client: Client, model_server: ModelServer
) -> None:
    more = Event()
    model_server.default = lambda _: Behaviour(ANSWER, held=more, tokens=(100, 20))
    with ThreadPoolExecutor(STREAMS) as threads:
        begun = threads.map(
            lambda at: client.streamed("Which room?", conversationId=f"c-{at}"), range(STREAMS)
        )
        streams = [(one, events(one)) for one in begun]
        for _one, told in streams:
            assert [next(told)[0] for _turn in range(2)] == ["start", "delta"]
        for path in ("/healthz", "/accounts/login/"):
            assert answers(client.port, path)
        assert client.call("GET", "/agents")[0] == 200
        assert usage()["reserved"] > STREAMS * 20
        more.set()
        ends = list(threads.map(lambda stream: list(stream[1])[-1], streams))
    assert all(name == "done" and done["kept"] for name, done in ends)
    assert usage() == {"reserved": 0, "used_in": STREAMS * 100, "used_out": STREAMS * 20}
    assert Conversation.objects.filter(message_count=2).count() == STREAMS


def test_who_hangs_up_leaves_no_half_of_a_turn_and_the_room_of_a_stream(
    world: World, client: Client, model_server: ModelServer
) -> None:
    more, turn = Event(), {"conversationId": "c-1"}
    model_server.then(Behaviour(ANSWER, held=more))
    body = client.ids | turn | {"message": "Which room?"}
    key = {"Idempotency-Key": "turn-1"}
    with closing(client.opened("POST", "/chat/stream", body, **key)) as stream:
        told = events(stream)
        assert [next(told)[0] for _turn in range(2)] == ["start", "delta"]
    more.set()
    until(lambda: usage()["used_out"])
    assert not Conversation.objects.exists()
    model_server.text(ANSWER)
    for _time in range(2):
        with closing(client.opened("POST", "/chat/stream", body, **key)) as stream:
            name, done = list(events(stream))[-1]
        assert (name, done["answer"]) == ("done", ANSWER)
    assert said(world) == [("user", "Which room?"), ("assistant", ANSWER)]


def mebibytes(port: int) -> float:
    """Of the server's processes together."""
    found = 0
    for process in Path("/proc").iterdir():
        with suppress(OSError):
            if f"--port\0{port}\0".encode() in (process / "cmdline").read_bytes():
                rollup = (process / "smaps_rollup").read_text()
                found += int(rollup.split("Pss:")[1].split()[0])
    return found / 1024


def _always(behaviour: Behaviour, _received: Received) -> Behaviour:
    return behaviour


def test_what_many_open_streams_had_in_hand_is_given_back(
    client: Client, model_server: ModelServer
) -> None:
    model_server.default = lambda _: Behaviour(ANSWER, tokens=(100, 20))
    for at in range(8):  # whatever a process keeps for good
        assert client.chat("Which room?", conversationId=f"first-{at}")[0] == 200
    before = mebibytes(client.port)
    for turn in range(2):
        more = Event()
        behaviour = Behaviour(ANSWER, held=more, tokens=(100, 20))
        model_server.default = partial(_always, behaviour)
        with ThreadPoolExecutor(2 * STREAMS) as threads:
            names = [f"c-{turn}-{at}" for at in range(2 * STREAMS)]
            begun = threads.map(
                lambda name: client.streamed("Which room?", conversationId=name), names
            )
            streams = [one for one in begun if one.status == 200]
            more.set()
            assert all(list(events(one))[-1][0] == "done" for one in streams)
    assert len(streams) == 2 * STREAMS
    assert until(lambda: mebibytes(client.port) < before + 110), mebibytes(client.port) - before


RUN = {
    *("id", "kind", "agentId", "owner", "status", "reason", "phase", "attempts", "trigger"),
    *("night", "startedAt", "finishedAt", "tokensIn", "tokensOut", "error"),
}
STATUS = {
    *("dreamingEnabled", "schedule", "timeZone", "lastRun", "nextRunAt", "running"),
    *("pendingCandidates", "latestDiaryEntry", "warnings"),
}


def test_a_client_that_knows_an_address_a_token_and_ids_lives_a_day(
    world: World, client: Client, model_server: ModelServer
) -> None:
    agent, owner = f"/memory/{world.agent.pk}", f"owner=api:{world.integration.name}/customer-1"
    files = f"/agents/{world.agent.pk}/workspace"
    turn = {"conversationId": "c-1"}
    model_server.text("I will remember the nuts.")
    status, told = client.chat("I'm allergic to peanuts, and so is my son Rui.", **turn)
    assert status == 200
    assert {"conversationId", "answer", "kept", "silent", "hits"} <= told.keys()
    model_server.text("A table for two, then.")
    with closing(client.streamed("We come on Friday at eight, two of us.", **turn)) as stream:
        assert [name for name, _data in events(stream)] == ["start", "delta", "done"]
    said_by = {"endUserId": "customer-1"}
    model_server.rules_like()
    status, extraction = client.call("POST", f"{agent}/summarize/c-1", said_by)
    assert (status, extraction["skipped"]) == (202, None)
    assert extraction["run"].keys() >= RUN
    run("run_pending", "--until-idle")
    _status, ended = client.call("GET", f"/runs/{extraction['run']['id']}")
    assert ended["status"] == "succeeded"
    _status, listed = client.call("GET", f"{files}/files?{owner}")
    assert any(one["filename"].startswith("memory/2") for one in listed["items"])
    status, dreamt = client.call("POST", f"{agent}/emergence", said_by)
    assert (status, len(dreamt["runs"])) == (202, 1)
    run("run_pending", "--until-idle")
    _status, dreaming = client.call("GET", f"{agent}/dreaming/status?{owner}")
    assert dreaming.keys() >= STATUS
    _status, found = client.call("GET", f"{files}/search?q=peanuts&{owner}")
    assert found["hits"]
    assert client.call("GET", f"{files}/memory/export?{owner}")[1].startswith(b"PK")
    model_server.text("How would I know?")
    _status, other = client.chat("Am I allergic to peanuts?", endUserId="customer-2")
    assert other["hits"] == []
    assert "Rui" not in str(model_server.requests[-1].body)
    model_server.text("To peanuts.")
    _status, mine = client.chat("What am I allergic to?")
    assert any("peanuts" in hit["text"] for hit in mine["hits"])
