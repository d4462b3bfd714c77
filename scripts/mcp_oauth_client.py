# mypy: ignore-errors
"""Run by `mcp_oauth.py` where the SDK is installed: one act of a program, and of its person."""

import json
import re
import sys
from html import unescape
from http.cookiejar import CookieJar
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import parse_qs, urlencode, urlsplit
from urllib.request import HTTPCookieProcessor, HTTPRedirectHandler, Request, build_opener

import anyio
import httpx2
from mcp import Client
from mcp.client.auth import OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import (
    AuthorizationCodeResult,
    OAuthClientInformationFull,
    OAuthClientMetadata,
    OAuthToken,
)

CALLBACK = "http://127.0.0.1:8765/callback"


class Stays(HTTPRedirectHandler):
    """The program's own callback is looked at, not called."""

    def redirect_request(self, request: Any, fp: Any, code: int, *more: Any) -> Any:
        where = more[-1]
        return (
            None
            if where.startswith(CALLBACK)
            else super().redirect_request(request, fp, code, *more)
        )


class Person:
    """A browser's session, with its cookies and forms."""

    def __init__(self, site: str, email: str, password: str) -> None:
        self.site, self._opener = site, build_opener(HTTPCookieProcessor(CookieJar()), Stays())
        self.post("/accounts/login/", self.get("/accounts/login/"), login=email, password=password)

    def get(self, path: str) -> str:
        text: str = self._opener.open(self.site + path).read().decode()
        return text

    def post(self, path: str, page: str, **fields: str) -> str:
        """Where it leads to."""
        [token, *_same] = re.findall('name="csrfmiddlewaretoken" value="(.+?)"', page)
        sent = urlencode(fields | {"csrfmiddlewaretoken": token}).encode()
        try:
            where: str = self._opener.open(Request(self.site + path, sent)).url
        except HTTPError as stayed:
            where = stayed.headers["Location"]
        return where

    def lets_in(self, address: str) -> str:
        page = self.get(address.removeprefix(self.site))
        [agent] = re.findall('<option value="([0-9a-f-]{36})"', page)
        [action] = re.findall('action="(/authorize/allow/.+?)"', page)
        return self.post(unescape(action), page, agent=agent, access="write")

    def revokes(self) -> None:
        home = urlsplit(self._opener.open(self.site).url).path
        page = self.get(f"{home}settings/tokens/")
        for address in re.findall('href="(.+?/revoke/)"', page):
            self.post(f"{address}now/", self.get(address))


class Kept:
    """The program's storage: a file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.kept: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {}

    async def get_tokens(self) -> OAuthToken | None:
        return OAuthToken(**self.kept["tokens"]) if "tokens" in self.kept else None

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self._keep("tokens", tokens)

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return OAuthClientInformationFull(**self.kept["app"]) if "app" in self.kept else None

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self._keep("app", client_info)

    def _keep(self, name: str, what: Any) -> None:
        self.kept[name] = what.model_dump(mode="json", exclude_none=True)
        self.path.write_text(json.dumps(self.kept))


async def main(act: str, era: str, site: str, email: str, password: str, kept: str) -> None:
    person, asked = Person(site, email, password), list[str]()
    if act == "tell":
        Path(kept).unlink(missing_ok=True)

    async def ask(address: str) -> None:
        asked.append(address)

    async def callback() -> AuthorizationCodeResult:
        answer = parse_qs(urlsplit(person.lets_in(asked[-1])).query)
        return AuthorizationCodeResult(**{name: found[0] for name, found in answer.items()})

    about = OAuthClientMetadata(client_name="SDK", redirect_uris=[CALLBACK])
    provider = OAuthClientProvider(f"{site}/mcp", about, Kept(Path(kept)), ask, callback)

    async def call(tool: str, **arguments: str) -> str:
        async with httpx2.AsyncClient(auth=provider) as http:
            transport = streamable_http_client(f"{site}/mcp", http_client=http)
            async with Client(transport, mode=era) as client:
                result = await client.call_tool(tool, arguments)
                assert not result.is_error, result
                return str(result.model_dump_json())

    if act == "tell":
        await call("remember", content="Ann keeps bees in Porto.")
        assert len(asked) == 1
        return
    assert "Porto" in await call("memory_search", query="bees")
    before = provider.context.current_tokens
    provider.context.token_expiry_time = 1
    assert "Porto" in await call("memory_search", query="bees")
    after = provider.context.current_tokens
    assert before
    assert after
    assert before.refresh_token != after.refresh_token
    assert asked == []
    person.revokes()
    await call("memory_search", query="bees")
    assert len(asked) == 1


act, era, site, email, password, kept = sys.argv[1:]
anyio.run(main, act, era, site, email, password, kept)
