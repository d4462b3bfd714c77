"""Who sends or reads slowly keeps nobody else waiting: a real server, and what it calls."""

import asyncio
import json
import socket
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from typing import Any

import pytest
from django.http import HttpResponse, StreamingHttpResponse

from memoryweb import asgi
from memoryweb.core import slots
from tests.serving import answers, serving
from tests.soaking import first_in_gate
from tests.waiting import SECONDS

HEAD = (
    b"POST /accounts/login/ HTTP/1.1\r\nHost: localhost\r\nCookie: csrftoken=" + b"a" * 32 + b"\r\n"
    b"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 1000\r\n\r\n"
)


@pytest.fixture(scope="module", params=first_in_gate(1, [1, 2]))
def server(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[int]:
    """Of one worker, which slow clients would sooner keep from others; and of two."""
    home = tmp_path_factory.mktemp("server")
    with serving(home, request.param, MEMORYWEB_BODY_SECONDS="5") as port:
        yield port


def test_fifty_connections_that_send_slowly_keep_nobody_waiting(server: int) -> None:
    with ExitStack() as opened:
        slow = [
            opened.enter_context(socket.create_connection(("127.0.0.1", server)))
            for _number in range(50)
        ]
        for byte in range(3):
            for connection in slow:
                with suppress(OSError):  # ended already, where the machine is slow
                    connection.sendall(b"a" if byte else HEAD)
            assert answers(server)


def test_the_chat_answers_through_the_real_server(server: int) -> None:
    address = f"http://127.0.0.1:{server}/api/v1/chat/stream"
    request = urllib.request.Request(address, b"{}", {"Content-Type": "application/json"})
    with pytest.raises(urllib.error.HTTPError, match="401") as refused:
        urllib.request.urlopen(request, timeout=SECONDS)
    assert json.loads(refused.value.read())["code"] == "unauthorized"


def test_a_connection_that_sends_nothing_more_is_ended(server: int) -> None:
    with socket.create_connection(("127.0.0.1", server), timeout=SECONDS) as slow:
        slow.sendall(HEAD)
        assert b" 408 " in slow.recv(4096)
        assert slow.recv(4096) == b""


class _Client:
    """The other end of one request."""

    def __init__(self, *pieces: bytes, path: str = "/healthz", method: str = "GET") -> None:
        self.pieces = list(pieces)
        self.sent: list[dict[str, Any]] = []
        self.scope = {
            "type": "http",
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": path,
            "raw_path": path.encode(),
            "query_string": b"",
            "headers": [(b"host", b"localhost")],
            "client": ("192.0.2.1", 5000),
            "server": ("127.0.0.1", 8000),
        }

    async def receive(self) -> dict[str, Any]:
        if not self.pieces:
            await asyncio.Event().wait()
        piece = self.pieces.pop(0)
        is_last = piece == b""
        return {"type": "http.request", "body": piece, "more_body": not is_last}

    async def send(self, message: dict[str, Any]) -> None:
        self.sent.append(message)

    def call(self) -> int:
        asyncio.run(asgi.application(self.scope, self.receive, self.send))
        status: int = self.sent[0]["status"]
        return status

    @property
    def body(self) -> bytes:
        return b"".join(message["body"] for message in self.sent[1:])


def test_a_page_is_answered_whole() -> None:
    client = _Client(b"")
    assert client.call() == 200
    assert json.loads(client.body) == {"status": "ok"}
    assert not client.sent[-1]["more_body"]


def test_a_body_that_stops_coming_is_refused(settings: Any) -> None:
    settings.BODY_SECONDS = 0.05
    assert _Client(b"half", path="/accounts/login/", method="POST").call() == 408


def test_the_api_refuses_it_as_it_refuses_all(settings: Any) -> None:
    settings.BODY_SECONDS = 0.05
    client = _Client(b"half", path="/api/v1/agents", method="POST")
    assert client.call() == 408
    assert json.loads(client.body)["code"] == "too_slow"


def test_what_comes_steadily_may_take_longer(settings: Any) -> None:
    settings.BODY_SECONDS, settings.BODY_BYTES_PER_SECOND = 0.0001, 1
    client = _Client(b"a" * 3600, b"", method="POST")
    assert client.call() != 408


def test_a_body_larger_than_any_address_takes_is_not_kept(settings: Any) -> None:
    settings.BODY_BYTES = 10
    assert _Client(b"a" * 6, b"a" * 6, b"", method="POST").call() == 413


def test_who_hangs_up_is_not_answered() -> None:
    client = _Client()

    async def hung_up() -> dict[str, Any]:
        return {"type": "http.disconnect"}

    client.receive = hung_up  # type: ignore[method-assign]
    asyncio.run(asgi.application(client.scope, client.receive, client.send))
    assert client.sent == []


def test_what_django_sees_is_what_was_sent() -> None:
    scope = _Client(path="/a%2Fb/%C3%BC%FF").scope | {
        "query_string": b"q=%C3%BC",
        "headers": [
            (b"host", b"localhost"),
            (b"content-type", b"text/plain"),
            (b"cookie", b"a=1"),
            (b"cookie", b"b=2"),
            (b"x-forwarded-for", b"192.0.2.7"),
            (b"x-forwarded-for", b"192.0.2.8"),
            (b"x_forwarded_for", b"192.0.2.9"),
        ],
    }
    with asgi.Spool() as body:
        body.write(b"chunked")
        environ = asgi._environ(scope, body)
    assert environ["PATH_INFO"] == "/a/b/\u00c3\u00bc\u00ff"  # bytes, as PEP 3333 wants them
    assert (environ["QUERY_STRING"], environ["CONTENT_LENGTH"]) == ("q=%C3%BC", "7")
    assert (environ["CONTENT_TYPE"], environ["HTTP_COOKIE"]) == ("text/plain", "a=1; b=2")
    assert environ["HTTP_X_FORWARDED_FOR"] == "192.0.2.7,192.0.2.8"
    assert environ["REMOTE_ADDR"] == "192.0.2.1"


def test_a_long_answer_comes_in_pieces_and_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    closed = []

    def long(environ: dict[str, Any], start: Any) -> HttpResponse:
        parts = (b"a" * 1000 for _part in range(3000))
        response = StreamingHttpResponse(parts)
        start("200 OK", [("Content-Type", "text/plain")])
        response.close = lambda: closed.append(True)  # type: ignore[method-assign]
        return response  # type: ignore[return-value]

    monkeypatch.setattr(asgi, "_django", long)
    client = _Client(b"")
    client.call()
    assert client.body == b"a" * 3_000_000
    assert len(client.sent) > 10
    assert closed == [True]


def _chatting(monkeypatch: pytest.MonkeyPatch, pieces: Any) -> list[bool]:
    """Chats answer with these pieces, all else at once. Returns what is filled at each `close`."""
    closed: list[bool] = []

    def django(environ: dict[str, Any], start: Any) -> StreamingHttpResponse:
        is_chat = "/v1/chat" in environ["PATH_INFO"]
        response = StreamingHttpResponse(pieces() if is_chat else iter([b"ok"]))
        start("200 OK", [("Content-Type", "text/event-stream")])
        response.close = lambda: closed.append(is_chat)  # type: ignore[method-assign]
        return response

    monkeypatch.setattr(asgi, "_django", django)
    return closed


def test_a_chat_is_sent_as_it_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    closed = _chatting(monkeypatch, lambda: iter([b"a", b"b"]))
    client = _Client(b"", path="/api/v1/chat/stream", method="POST")
    assert client.call() == 200
    assert [message["body"] for message in client.sent[1:]] == [b"a", b"b", b""]
    assert closed == [True]


def test_open_chats_keep_no_page_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    go_on = threading.Event()

    def slow() -> Iterator[bytes]:
        yield b"a"
        with slots.left():  # as whoever waits for a model
            go_on.wait(SECONDS)
        yield b"b"

    _chatting(monkeypatch, slow)
    chats = [_Client(b"", path="/api/v1/chat/stream", method="POST") for _number in range(64)]

    async def talk() -> list[dict[str, Any]]:
        open_ = [
            asyncio.create_task(asgi.application(chat.scope, chat.receive, chat.send))
            for chat in chats
        ]
        while not all(len(chat.sent) == 2 for chat in chats):
            await asyncio.sleep(0.01)  # and leave the processor to them
        page = _Client(b"")
        await asgi.application(page.scope, page.receive, page.send)
        go_on.set()
        await asyncio.gather(*open_)
        return page.sent

    sent = asyncio.run(talk())
    assert sent[1]["body"] == b"ok"
    assert all(chat.body == b"ab" for chat in chats)


@pytest.mark.parametrize("path", ["/api/v1/chat", "/v1/chat/completions"])
def test_one_chat_too_many_is_refused(monkeypatch: pytest.MonkeyPatch, path: str) -> None:
    monkeypatch.setattr(asgi, "_open_chats", threading.Semaphore(0))
    client = _Client(b"", path=path, method="POST")
    assert client.call() == 503
    assert (b"retry-after", b"1") in client.sent[0]["headers"]


def test_a_chat_whose_reader_hung_up_is_closed_before_its_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told: list[int] = []

    def endless() -> Iterator[bytes]:
        for number in range(100_000):
            told.append(number)
            yield b"a"

    closed = _chatting(monkeypatch, endless)
    client = _Client(b"", path="/api/v1/chat/stream", method="POST")
    receive = client.receive

    async def hangs_up() -> dict[str, Any]:
        if client.pieces:
            return await receive()
        while len(client.sent) < 3:
            await asyncio.sleep(0.01)  # and leave the processor to them
        return {"type": "http.disconnect"}

    client.receive = hangs_up  # type: ignore[method-assign]
    client.call()
    assert len(told) < 100_000
    assert closed == [True]
