"""Calls the API as a program would: JSON in and out, a bearer token, no cookies."""

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.test import Client
from django_scopes import scope

if TYPE_CHECKING:
    from django.test.client import _MonkeyPatchedWSGIResponse as Answer

BASE = "/api/v1"


@dataclass(frozen=True)
class Api:
    token: str = ""

    def get(self, path: str, **headers: str) -> "Answer":
        return self.call("GET", path, **headers)

    def post(self, path: str, body: Any = None, **headers: str) -> "Answer":
        return self.call("POST", path, body, **headers)

    def put(self, path: str, body: Any = None, **headers: str) -> "Answer":
        return self.call("PUT", path, body, **headers)

    def patch(self, path: str, body: Any = None, **headers: str) -> "Answer":
        return self.call("PATCH", path, body, **headers)

    def delete(self, path: str, **headers: str) -> "Answer":
        return self.call("DELETE", path, **headers)

    def call(self, method: str, path: str, body: Any = None, **headers: str) -> "Answer":
        """`body` is sent as it is when it is bytes. Headers are written `if_match="…"`."""
        data = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body)
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        if self.token:
            sent.setdefault("Authorization", f"Bearer {self.token}")
        # As in production: outside of a team's scope every tenant query raises.
        with scope():
            return Client().generic(
                method, BASE + path, data, content_type="application/json", headers=sent
            )
