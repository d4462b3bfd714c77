import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from django.test import Client

from tests.world import World, signed_in


@pytest.fixture
def alice(world: World) -> Client:
    return signed_in(world.alice)


@pytest.fixture
def bob(world: World) -> Client:
    return signed_in(world.bob)


@dataclass
class Receiver:
    """What it got, and what it answers: a status, or whatever is done with the connection."""

    port: int
    got: list[tuple[dict[str, str], bytes]] = field(default_factory=list)
    answers: int | Callable[[BaseHTTPRequestHandler], None] = 204

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/hook"


@pytest.fixture
def receiver(settings: Any) -> Iterator[Receiver]:
    settings.PRIVATE_HOSTS = ["127.0.0.1"]

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            made.got.append(({k.lower(): v for k, v in self.headers.items()}, body))
            if isinstance(made.answers, int):
                self.send_response(made.answers)
                self.send_header("Location", "http://127.0.0.1:1/")
                self.send_header("Content-Length", "0")
                self.end_headers()
            else:
                made.answers(self)

        def log_message(self, format: str, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        made = Receiver(server.server_port)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield made
        server.shutdown()
