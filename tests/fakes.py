"""A model endpoint on loopback that speaks OpenAI's and Anthropic's formats and can misbehave.

In tests the fixture `model_server` is one, with the settings pointed at it. By hand:

    python -m tests.fakes --port 9009 --mode rules-like
"""

import argparse
import json
import re
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from memoryweb.llm import transport
from tests.fake_answers import NOTHING, echoed, noted, obeying
from tests.fake_formats import Answer, encoded
from tests.waiting import until

_LASTING = re.compile(r"^(\{.*\})\n\n", re.MULTILINE)
_DATA = re.compile(r"<data-(?P<mark>[0-9a-f]+)>\n(?P<data>.*)\n</data-(?P=mark)>", re.DOTALL)


@dataclass(frozen=True)
class Received:
    """One request, as the server understood it."""

    path: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]
    at: float = field(default_factory=time.monotonic)

    @property
    def provider(self) -> str:
        return "anthropic" if self.path.endswith("/messages") else "openai"

    @property
    def system(self) -> str:
        if self.provider == "anthropic":
            return str(self.body.get("system", ""))
        return "".join(m["content"] for m in self.body["messages"] if m["role"] == "system")

    @property
    def user(self) -> str:
        return "".join(m["content"] for m in self.body["messages"] if m["role"] == "user")

    @property
    def data(self) -> dict[str, Any]:
        """What stood before and between the marks; empty when there were none."""
        match, lasting = _DATA.search(self.user), _LASTING.search(self.user)
        before = json.loads(lasting[1]) if lasting else {}
        return before | json.loads(match["data"]) if match else {}

    @property
    def model(self) -> str:
        return str(self.body.get("model"))

    @property
    def form(self) -> str:
        return str(self.body.get("response_format", {}).get("type", "plain"))


@dataclass(frozen=True)
class Behaviour:
    """How one request is answered. `tokens` are (in, out), None leaves the usage away."""

    text: str = ""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    finish: str = ""
    tokens: tuple[Any, Any] | None = (100, 20)
    raw: bytes = b""  # sent as it is, whatever format was asked for
    pause: float = 0.0  # seconds between two bytes of the body
    reads: float = 0.0  # seconds before the headers
    thinks: float = 0.0  # seconds between the headers and the body
    streams: bool = True  # False: answers whole, though a stream was asked for
    cut: bool = False  # closes the connection in the middle of the body
    hang: bool = False  # sends nothing until the server stops
    held: threading.Event | None = None  # the second half of the body waits for it


class ModelServer:
    """Answers from its queue, then by `default` for ever. Every request is kept in `requests`."""

    def __init__(self, port: int = 0) -> None:
        self.requests: list[Received] = []
        self.default: Callable[[Received], Behaviour] = lambda _: Behaviour(json.dumps(NOTHING))
        self.stopped = threading.Event()
        self.sent_whole = 0  # answers that the client waited for to their last byte
        self._queue: deque[Behaviour | Callable[[Received], Behaviour]] = deque()
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", port), self._handler())
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))

    def start(self) -> "ModelServer":
        self._thread.start()
        return self

    def stop(self) -> None:
        self.stopped.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def answer(self, value: object, **how: Any) -> None:
        """A well-formed answer whose text is the JSON of `value`."""
        self.text(json.dumps(value, ensure_ascii=False), **how)

    def text(self, text: str, **how: Any) -> None:
        self.then(Behaviour(text, **how))

    def status(self, code: int, message: str = "", retry_after: str | None = None) -> None:
        headers = {} if retry_after is None else {"Retry-After": retry_after}
        raw = json.dumps({"error": {"message": message}}).encode()
        self.then(Behaviour(status=code, headers=headers, raw=raw, streams=False))

    def raw(self, body: bytes, **how: Any) -> None:
        self.then(Behaviour(raw=body, streams=False, **how))

    def hang(self) -> None:
        self.then(Behaviour(hang=True))

    def drip(self, value: object, pause: float) -> None:
        self.then(Behaviour(json.dumps(value), pause=pause))

    def truncate(self, value: object) -> None:
        self.then(Behaviour(json.dumps(value), cut=True))

    def then(self, behaviour: Behaviour | Callable[[Received], Behaviour]) -> None:
        self._queue.append(behaviour)

    def echo(self) -> None:
        """From now on: everything it was given comes back as memory."""
        self.default = lambda received: Behaviour(json.dumps(echoed(received.data)))

    def rules_like(self) -> None:
        """From now on: plain, useful answers without any understanding."""
        self.default = lambda received: Behaviour(json.dumps(noted(received.data)))

    def obey(self) -> None:
        """From now on: it does and believes what the newest note says."""
        self.default = lambda received: Behaviour(json.dumps(obeying(received.data)))

    def _handler(self) -> "type[_Handler]":
        return type("Handler", (_Handler,), {"owner": self})

    def behaviour(self, received: Received) -> Behaviour:
        with self._lock:
            self.requests.append(received)
            wanted = self._queue.popleft() if self._queue else self.default
        return wanted if isinstance(wanted, Behaviour) else wanted(received)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    owner: ModelServer

    def do_POST(self) -> None:
        length = int(self.headers.get("Content-Length", 0))
        received = Received(
            self.path,
            {name.lower(): value for name, value in self.headers.items()},
            json.loads(self.rfile.read(length)),
        )
        behaviour = self.owner.behaviour(received)
        try:
            self._respond(received, behaviour)
        except OSError:  # the client has gone
            self.close_connection = True

    def _respond(self, received: Received, behaviour: Behaviour) -> None:
        if behaviour.hang:
            self.owner.stopped.wait()
            self.close_connection = True
            return
        self.owner.stopped.wait(behaviour.reads)
        streamed = bool(received.body.get("stream")) and behaviour.streams
        answer = Answer(received.model, behaviour.text, behaviour.finish, behaviour.tokens)
        body = behaviour.raw or encoded(received.provider, answer, streamed)
        kind = "text/event-stream" if streamed else "application/json"
        self.send_response(behaviour.status)
        for name, value in {"Content-Type": kind, **behaviour.headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.owner.stopped.wait(behaviour.thinks)
        half = len(body) // 2
        if behaviour.held:
            self.wfile.write(body[:half])
            self.wfile.flush()
            until(behaviour.held.is_set)
            body = body[half:]
        self._send(body[:half] if behaviour.cut else body, behaviour.pause)
        self.close_connection = self.close_connection or behaviour.cut

    def _send(self, body: bytes, pause: float) -> None:
        size = 1 if pause else len(body)
        for place in range(0, len(body), size):
            self.wfile.write(body[place : place + size])
            self.wfile.flush()
            if pause and self.owner.stopped.wait(pause):
                return
        self.owner.sent_whole += 1

    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture
def model_server(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    # An earlier server of the process may have had the same port.
    monkeypatch.setattr(transport, "_known", {})
    server = ModelServer().start()
    settings.MODEL_PROVIDER = "openai"
    settings.MODEL_BASE_URL = server.url
    settings.MODEL_KEY = "test-key-of-no-value"
    settings.MODELS = {"default": "fake-model"}
    settings.MODEL_BACKOFF_SECONDS = 0.001
    yield server
    server.stop()


MODES: dict[str, Callable[[Received], Behaviour]] = {
    "rules-like": lambda received: Behaviour(json.dumps(noted(received.data))),
    "echo": lambda received: Behaviour(json.dumps(echoed(received.data))),
    "nothing": lambda received: Behaviour(json.dumps(NOTHING)),
    "not-json": lambda received: Behaviour("I would rather talk about the weather."),
    "empty": lambda received: Behaviour("{}"),
    "busy": lambda received: Behaviour(
        status=429, raw=b"{}", headers={"Retry-After": "1"}, streams=False
    ),
    "hang": lambda received: Behaviour(hang=True),
}


def main() -> None:
    parser = argparse.ArgumentParser(description="A model endpoint on loopback, for trying out.")
    parser.add_argument("--port", type=int, default=9009)
    parser.add_argument("--mode", choices=MODES, default="rules-like")
    chosen = parser.parse_args()
    server = ModelServer(chosen.port)
    server.default = MODES[chosen.mode]
    server.start()
    print(f"Listening at {server.url} until Ctrl-C.", flush=True)
    try:
        threading.Event().wait()
    except KeyboardInterrupt:
        server.stop()


if __name__ == "__main__":
    main()
