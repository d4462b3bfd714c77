"""Everything that anybody is answered, page by page and call by call, as text."""

import io
import re
import zipfile
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import replace
from html import unescape
from typing import Any, NamedTuple
from urllib.parse import quote, urljoin

from django.test import Client
from django.urls import reverse
from django_scopes import scope

from memoryweb.api.mcp.tools import HOME, ROOT
from memoryweb.api.mcp.view import METHODS
from memoryweb.api.tools import TOOLS
from memoryweb.memory.models import Revision
from tests.api.client import Api
from tests.mcp.client import Mcp
from tests.mem0.client import Mem0
from tests.walls.api_routes import ROUTES as API_ROUTES
from tests.walls.web_calls import address, call, named, undone
from tests.walls.web_routes import CHANGES, PAGES, Route
from tests.walls.web_stage import Stage
from tests.world import World

LINK = re.compile(r'(?:href|action|hx-get|hx-post|src)="([^"#]+)')
Answers = Iterator[tuple[str, str]]
QUERY = "lantern hangs behind"


def text_of(answer: Any) -> str:
    """As it is read: an archive is opened, HTML's signs are characters."""
    data = b"".join(answer)
    if data[:4] != b"PK\x03\x04":
        return unescape(data.decode(errors="replace"))
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return "\n".join(
            f"{name}\n{archive.read(name).decode(errors='replace')}" for name in archive.namelist()
        )


class Page(NamedTuple):
    text: str
    leads_to: list[str]


def page_of(url: str, answer: Any) -> Page:
    text = text_of(answer)
    found = LINK.findall(text) if "html" in answer.headers.get("Content-Type", "") else []
    moved = [answer.headers["Location"]] if "Location" in answer.headers else []
    return Page(text, [urljoin(url, link) for link in dict.fromkeys([*moved, *found])])


def pages(
    client: Client,
    stage: Stage,
    ids: dict[str, list[str]],
    share: int = 1,
    looked: Mapping[str, Page] | None = None,
) -> Answers:
    """Every address of the table with each id in turn, and whatever links lead to from there. A
    `share` of six has a sixth of them: other ids at each address. Those that were `looked` at are
    not asked again."""
    seen, links = set[str](), set[str]()
    waiting: deque[str] = deque(_addresses(stage, ids, share))
    kinds = set[str]()
    root = reverse("web:last_night", args=[stage.ids["team"]])
    while waiting:
        url = waiting.popleft()
        if url in seen:
            continue
        seen.add(url)
        page = (looked or {}).get(url) or _asked(client, url)
        yield url, page.text
        there = set(page.leads_to) - links
        links |= there
        for link in sorted(there - seen):
            if link.startswith(root) and (kind := _kind(link)) not in kinds:
                kinds.add(kind)
                waiting.append(link)


def _asked(client: Client, url: str) -> Page:
    with scope():
        return page_of(url, client.get(url))


def _kind(url: str) -> str:
    """Of links that differ in a number or an id alone, one is followed: ids have their turn."""
    path, _mark, query = url.partition("?")
    path = re.sub(r"(?<=/)(?:\d+|[0-9a-f-]{36}(?:\.\w+)?)(?=/|$)", "N", path)
    path = re.sub(r"(?<=/files/).+?\.md", "F.md", path)
    return path + "?" + re.sub(r"=[^&]*", "", query)


def _addresses(stage: Stage, ids: dict[str, list[str]], share: int) -> Iterator[str]:
    for turn, route in enumerate(PAGES.values()):
        where = _asking(route)
        yield address(where, stage)
        for key in named(route).values():
            for value in ids.get(key, [])[turn % share :: share]:
                yield address(where, stage.but(**{key: value}))


def _asking(route: Route) -> Route:
    """For words that stand beside the forgotten one."""
    return replace(
        route, query=re.sub(r"(?<=[?&])(q|message)=\w+", rf"\1={quote(QUERY)}", route.query)
    )


def posts(client: Client, stage: Stage, share: int = 1) -> Answers:
    """Every change, taken back: what it is answered with, and the page after it."""
    for key, route in [*CHANGES.items()][::share]:
        with undone():
            if route.first:
                call(client, CHANGES[route.first], stage)
            answer = call(client, route, stage)
            yield f"POST {key}", text_of(answer)
            if "Location" in answer.headers and answer.headers["Location"].startswith("/t/"):
                with scope():
                    yield f"POST {key}, then", text_of(client.get(answer.headers["Location"]))


def api(
    caller: Api, world: World, ids: dict[str, list[str]], owners: list[str], share: int = 1
) -> Answers:
    """Every operation of the API that reads, every tool that does, MCP and mem0's REST. With a
    `share` of three each file is read by one of three ways: its address, a tool, or MCP."""
    with scope(team=world.team):
        paths = sorted(set(world.agent.files.values_list("path", flat=True)))
    for owner in owners:
        about = {"owner": owner} if owner else {}
        for path in [*_reads(ids), *_texts(world, paths[::share])]:
            url = path
            if owner and "owner=" not in path:
                url += f"{'&' if '?' in path else '?'}owner={quote(owner)}"
            yield url, text_of(caller.get(url))
        agent = f"/agents/{world.agent.pk}"
        for name, body in _tool_calls(paths[1 % share :: share]):
            with undone():
                yield (
                    f"{name} {body} {owner}",
                    text_of(caller.post(f"{agent}/tools/{name}", {**body, **about})),
                )
        with undone():
            prompt = {"message": QUERY, "conversationId": "anew", **about}
            yield f"context {owner}", text_of(caller.post(f"{agent}/context", prompt))
        host = Mcp(caller.token).as_host(agent=str(world.agent.pk), **about)
        yield from _by_mcp(host, paths[2 % share :: share])
    yield from _by_mem0(Mem0(caller.token, str(world.agent.pk)), world)


def api_posts(caller: Api, ids: dict[str, str], about: dict[str, str]) -> Answers:
    """Every other operation, taken back. `about` names the owner in a program's body."""
    for name, route in API_ROUTES.items():
        if route.method == "GET":
            continue
        body: Any = route.body
        if isinstance(body, dict) and "agentId" in body:
            body = {**body, "agentId": ids["agent"]}
        if isinstance(body, dict) and "query" in body:
            body = {**body, "query": QUERY}
        if (about and route.about == "body") or (about and "/tools/" in route.path):
            body = {key: value for key, value in (body or {}).items() if key != "owner"} | about
        with undone():
            yield name, text_of(caller.call(route.method, route.path.format(**ids), body))


def _reads(ids: dict[str, list[str]]) -> Iterator[str]:
    for route in API_ROUTES.values():
        if route.method == "GET":
            path = re.sub(r"(?<=[?&])q=\w+", f"q={quote(QUERY)}", route.path)
            names = re.findall(r"\{(\w+)\}", path)
            at = {name: ids[name][0] for name in names}
            yield path.format(**at)
            for name in names:
                for value in ids[name][1:]:
                    yield path.format(**at | {name: value})


def _texts(world: World, paths: list[str]) -> Iterator[str]:
    """Each of these files, its history, and each of its texts."""
    with scope(team=world.team):
        last = dict(Revision.objects.values_list("file__path", "number").order_by("number"))
    for path in paths:
        at = f"/agents/{world.agent.pk}/workspace/files/{path}"
        yield from (at, f"{at}/revisions")
        yield from (f"{at}/revisions/{n}" for n in range(1, last.get(path, 0) + 1))


_ARGUMENTS: dict[str, Any] = {
    "query": QUERY, "date": "2026-11-20", "name": "Lantern", "entity": "lantern",
    "type": "lantern", "path": "MEMORY.md", "id": "MEMORY.md", "command": "view",
}  # fmt: skip


def _tool_calls(paths: list[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Those that only read, with each of these files for those that take one."""
    for tool in TOOLS:
        if not tool.writes:
            yield from _calls(tool.name, tool.takes.model_json_schema(by_alias=True), paths)


def _calls(name: str, schema: Any, paths: list[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    wanted = set(schema.get("properties", {}))
    body = {key: value for key, value in _ARGUMENTS.items() if key in wanted}
    yield name, body
    for key in wanted & {"filename", "path", "id"}:
        for path in paths:
            yield name, {**body, key: f"/memories/{path}" if name == "memory" else path}


def _by_mcp(host: Mcp, paths: list[str]) -> Answers:
    listed = host.modern("tools/list").json().get("result", {}).get("tools", [])
    for tool in listed:
        if not tool.get("annotations", {}).get("readOnlyHint") and tool["name"] != "memory":
            continue
        for name, arguments in _calls(tool["name"], tool["inputSchema"], paths):
            with undone():
                answer = host.modern("tools/call", {"name": name, "arguments": arguments})
                yield f"MCP {name} {arguments}", text_of(answer)
    for uri in (HOME, *(ROOT + path for path in paths)):
        yield f"MCP {uri}", text_of(host.modern("resources/read", {"uri": uri}))
    for method in METHODS:
        arguments = {"name": "before_you_answer", "arguments": {"message": QUERY}}
        asked = arguments if method == "prompts/get" else {}
        yield f"MCP {method}", text_of(host.modern(method, asked))
        yield f"MCP {method}, earlier", text_of(host.earlier(method, asked))


def _by_mem0(mem0: Mem0, world: World) -> Answers:
    named = {"user_id": "customer-1"}
    with scope(team=world.team):
        facts = [str(pk) for pk in world.agent.facts.values_list("pk", flat=True)]
    calls: list[tuple[str, str, Any]] = [
        ("POST", "/v3/memories/search/", {"query": QUERY, "filters": named}),
        ("POST", "/v3/memories/", {"filters": named}),
        ("GET", "/memories?user_id=customer-1", None),
        ("GET", "/v1/entities/", None),
        ("GET", "/v1/events/", None),
        ("POST", "/v1/exports/get/", {"filters": named}),
        *(("GET", f"/v1/memories/{pk}{rest}", None) for pk in facts for rest in ("/", "/history/")),
    ]
    for method, path, body in calls:
        yield f"mem0 {path}", text_of(mem0.answer(method, path, body))
