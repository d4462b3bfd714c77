"""People and programs who call a server process over HTTP, each answer read to its last byte."""

import io
import json
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field
from email.message import Message
from http.client import HTTPConnection
from typing import Any
from urllib.parse import urlencode
from zipfile import ZipFile

from tests.api.client import BASE, Api

CSRF = "c" * 32


@dataclass(frozen=True)
class Answer:
    """`fault` says what is wrong with the bytes themselves."""

    status_code: int
    headers: Message
    content: bytes

    @property
    def kind(self) -> str:
        return self.headers.get_content_type()

    @property
    def fault(self) -> str:
        if self.status_code in {204, 302, 405}:  # say it in the headers
            return ""
        try:
            whole = _WHOLE.get(self.kind, bytes.decode)(self.content)
        except (ValueError, OSError) as error:
            return f"{self.kind}: {error}"
        return "" if whole else f"{self.kind} is cut short: {self.content[-80:]!r}"


def _is_whole_page(content: bytes) -> bool:
    """A page ends where it ends; a fragment is no page."""
    begins = content.lstrip()[:9].lower() == b"<!doctype"
    return content.rstrip().endswith(b"</html>") if begins else bool(content.strip())


def _is_whole_json(content: bytes) -> bool:
    json.loads(content)
    return True


def _is_whole_zip(content: bytes) -> bool:
    with ZipFile(io.BytesIO(content)) as archive:
        return archive.testzip() is None and bool(archive.namelist())


def _is_whole_stream(content: bytes) -> bool:
    last = content.decode().rstrip("\n").split("\n\n")[-1]
    return last.startswith("event: done\n") and content.endswith(b"\n\n")


_WHOLE = {
    "text/html": _is_whole_page,
    "application/json": _is_whole_json,
    "application/problem+json": _is_whole_json,
    "application/zip": _is_whole_zip,
    "text/csv": lambda content: content.endswith(b"\r\n"),
    "text/jsonl": lambda content: json.loads(content.splitlines()[-1])["checkpoint"]["seq"] > 0,
    "text/event-stream": _is_whole_stream,
}


def asked(
    port: int, method: str, address: str, body: bytes = b"", headers: Mapping[str, str] = {}
) -> Answer:
    """`read` raises where fewer bytes come than were announced."""
    with closing(HTTPConnection("127.0.0.1", port, timeout=120)) as connection:
        connection.request(method, address, body or None, dict(headers))
        response = connection.getresponse()
        return Answer(response.status, response.headers, response.read())


@dataclass(frozen=True)
class Browser:
    port: int
    cookies: Mapping[str, str] = field(default_factory=dict)

    def get(self, address: str, **headers: str) -> Answer:
        return asked(self.port, "GET", address, headers=self._sent(headers))

    def post(self, address: str, data: Mapping[str, Any], **headers: str) -> Answer:
        form = urlencode({"csrfmiddlewaretoken": CSRF, **data}, doseq=True).encode()
        kind = {"Content-Type": "application/x-www-form-urlencoded"}
        return asked(self.port, "POST", address, form, self._sent(headers) | kind)

    def _sent(self, headers: Mapping[str, str]) -> dict[str, str]:
        held = {"csrftoken": CSRF, **self.cookies}
        return {"Cookie": "; ".join(f"{name}={held[name]}" for name in held), **headers}


@dataclass(frozen=True)
class Program(Api):
    port: int = 0

    def call(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        return self.send(method, BASE + path, body, **headers)

    def send(self, method: str, address: str, body: Any = None, **headers: str) -> Answer:
        data = (
            body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
        )
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        given.setdefault("Content-Type", "application/json")
        if self.token:
            given["Authorization"] = f"Bearer {self.token}"
        return asked(self.port, method, address, data, given)
