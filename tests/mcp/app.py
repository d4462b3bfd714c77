"""An app that signs in by OAuth, as claude.ai does; and the person who lets it in."""

import hashlib
import json
from base64 import urlsafe_b64encode
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from django.test import Client
from django_scopes import scope

from tests.mcp.client import EARLIER

if TYPE_CHECKING:
    from django.test.client import _MonkeyPatchedWSGIResponse as Answer

SITE = "https://testserver"
CALLBACK = "https://claude.ai/api/mcp/auth_callback"
VERIFIER = "a-verifier-that-nobody-else-knows-of-0123456789"
CHALLENGE = urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest()).decode().rstrip("=")


def post(path: str, data: dict[str, Any], **how: Any) -> "Answer":
    with scope():
        return Client().post(path, data, secure=True, **how)


def register(*callbacks: str, **more: Any) -> "Answer":
    sent = {"client_name": "Claude", "redirect_uris": callbacks, **more}
    return post("/register", sent, content_type="application/json")


@dataclass
class App:
    id: str
    callback: str = CALLBACK
    access: str = ""
    refresh: str = ""

    @classmethod
    def new(cls, callback: str = CALLBACK) -> "App":
        return cls(register(callback).json()["client_id"], callback)

    def asks(self, **instead: Any) -> str:
        """The address that it sends a person to."""
        asked = {
            "client_id": self.id,
            "redirect_uri": self.callback,
            "response_type": "code",
            "resource": f"{SITE}/mcp",
            "code_challenge": CHALLENGE,
            "code_challenge_method": "S256",
            "state": "s1",
        } | instead
        given = {name: value for name, value in asked.items() if value is not None}
        return f"/authorize/?{urlencode(given, doseq=True)}"

    def granted(self, person: Client, agent: object, access: str = "write", **asked: Any) -> str:
        """The code that it is called back with."""
        where = self.asks(**asked).replace("/authorize/", "/authorize/allow/")
        with scope():
            answer = person.post(where, {"agent": str(agent), "access": access}, secure=True)
        assert answer.status_code == 302, answer.content
        return called_back(answer)["code"]

    def comes_for(self, code: str, **instead: str) -> "Answer":
        sent = {"grant_type": "authorization_code", "code": code, "redirect_uri": self.callback}
        sent |= {"code_verifier": VERIFIER, "resource": f"{SITE}/mcp"}
        return self._token(sent | instead)

    def renews(self, refresh: str = "", **instead: str) -> "Answer":
        sent = {"grant_type": "refresh_token", "refresh_token": refresh or self.refresh}
        return self._token(sent | {"resource": f"{SITE}/mcp"} | instead)

    def signs_in(self, person: Client, agent: object, access: str = "write") -> "App":
        assert self.comes_for(self.granted(person, agent, access)).status_code == 200
        return self

    def calls(self, method: str, params: Any = None, **headers: str) -> "Answer":
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params or {}}
        headers = {"Authorization": f"Bearer {self.access}", **headers}
        headers |= {"MCP-Protocol-Version": EARLIER}
        with scope():
            return Client().post(
                "/mcp", json.dumps(body), "application/json", secure=True, headers=headers
            )

    def uses(self, tool: str, **arguments: Any) -> Any:
        return self.calls("tools/call", {"name": tool, "arguments": arguments}).json()["result"]

    def _token(self, sent: dict[str, str]) -> "Answer":
        answer = post("/token", {"client_id": self.id} | sent)
        if answer.status_code == 200:
            given = answer.json()
            self.access, self.refresh = given["access_token"], given["refresh_token"]
        return answer


def called_back(answer: "Answer") -> dict[str, str]:
    return dict(parse_qsl(urlsplit(answer.headers["Location"]).query))
