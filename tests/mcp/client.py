"""Speaks MCP as its clients do, in both eras."""

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from django.test import Client
from django_scopes import scope

if TYPE_CHECKING:
    from django.test.client import _MonkeyPatchedWSGIResponse as Answer

MODERN, EARLIER = "2026-07-28", "2025-11-25"
VERSION, CAPABILITIES = (
    f"io.modelcontextprotocol/{name}" for name in ("protocolVersion", "clientCapabilities")
)
META: dict[str, Any] = {VERSION: MODERN, CAPABILITIES: {}}


@dataclass(frozen=True)
class Mcp:
    token: str
    headers: dict[str, str] = field(default_factory=dict)

    def as_host(self, **headers: str) -> "Mcp":
        named = {f"Memoryweb-{name.title()}": text for name, text in headers.items()}
        return Mcp(self.token, {**self.headers, **named})

    def send(self, body: Any, **headers: str) -> "Answer":
        """`body` is sent as it is when it is bytes."""
        data = body if isinstance(body, bytes) else json.dumps(body)
        sent = {"Content-Type": "application/json", **self.headers}
        if self.token:
            sent["Authorization"] = f"Bearer {self.token}"
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        # As in production: outside of a team's scope every tenant query raises.
        with scope():
            return Client().generic(
                "POST", "/mcp", data, content_type=sent.pop("Content-Type"), headers=sent
            )

    def request(self, method: str) -> "Answer":
        return Client().generic(
            method, "/mcp", headers={"Authorization": f"Bearer {self.token}", **self.headers}
        )

    def earlier(self, method: str, params: Any = None, **headers: str) -> "Answer":
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params or {}}
        return self.send(body, **{"MCP_Protocol_Version": EARLIER, **headers})

    def modern(self, method: str, params: Any = None, **headers: str) -> "Answer":
        params = {"_meta": META, **(params or {})}
        named = {"MCP_Protocol_Version": MODERN, "Mcp_Method": method}
        if name := params.get("name") or params.get("uri"):
            named["Mcp_Name"] = name
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        return self.send(body, **{**named, **headers})

    def call(self, tool: str, **arguments: Any) -> Any:
        """The result of a tool."""
        answer = self.modern("tools/call", {"name": tool, "arguments": arguments})
        assert answer.status_code == 200, answer.content
        return answer.json()["result"]
