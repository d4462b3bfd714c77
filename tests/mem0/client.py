"""Calls the REST of mem0 as its client does."""

import json
from dataclasses import dataclass
from typing import Any

from django.test import Client
from django_scopes import scope


@dataclass
class Mem0:
    token: str
    agent: str
    scheme: str = "Token"
    is_host: bool = False  # for clients that take a host alone

    def __call__(self, method: str, path: str, body: Any = None, status: int = 200) -> Any:
        answer = self.answer(method, path, body)
        assert answer.status_code == status, answer.content
        return answer.json()

    def answer(self, method: str, path: str, body: Any = None) -> Any:
        key = {"Authorization": f"{self.scheme} {self.token}"}
        if self.scheme == "X-API-Key":
            key = {"X-API-Key": self.token}
        data = b"" if body is None else json.dumps(body)
        with scope():
            return Client().generic(
                method,
                path if self.is_host else f"/mem0/{self.agent}{path}",
                data,
                content_type="application/json",
                headers=key,
            )

    def state(self, text: str, **named: str) -> str:
        sent = {"messages": [{"role": "user", "content": text}], "infer": False, **named}
        [made] = self("POST", "/v3/memories/add/", sent)["results"]
        assert (made["event"], made["data"]["memory"]) == ("ADD", text)
        return str(made["id"])

    def all_of(self, **named: str) -> list[str]:
        found = self("POST", "/v3/memories/", {"filters": {"AND": [named]}})
        return [one["memory"] for one in found["results"]]
