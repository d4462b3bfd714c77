"""All that the doors for programs answer about one memory: the API, MCP and mem0's REST."""

from collections.abc import Iterable, Iterator
from itertools import product
from typing import Any

from django_scopes import scope

from memoryweb.api.mcp.tools import HOME, ROOT
from memoryweb.memory.models import File, Revision
from tests.api.client import Api
from tests.mcp.client import Mcp
from tests.mem0.client import Mem0
from tests.walls.api_routes import CUSTOMER, END_USER, ROUTES
from tests.world import World, integration_token, personal_token

QUESTION = "What is my code word?"
_TOOLS: dict[str, dict[str, Any]] = {
    "fact_search": {"query": QUESTION},
    "fact_probe": {"entity": "code word"},
    "fact_list_contradictions": {},
    "recall_structured": {"type": "stay"},
    "memory_search": {"query": "code word"},
    "memory_get": {"date": "2026-03-01"},
    "search_workspace_memory": {"query": QUESTION},
    "list_workspace_memory_files": {},
    "entry_list": {},
    "entry_read": {"name": "first"},
}


def answers(world: World) -> Iterator[tuple[str, str]]:
    """What was asked, and the answer as it is sent."""
    secret = integration_token(world.integration)
    program = Api(secret)
    for path in [*_routes(world), *_texts(world)]:
        owned = f"{path}{'&' if '?' in path else '?'}owner={CUSTOMER}"
        yield owned, _sent(program.get(owned))
    admin = Api(personal_token(world.team, world.alice))
    for path in _routes(world):
        yield f"admin {path}", _sent(admin.get(path))
    agent = f"/agents/{world.agent.pk}"
    for name, body in _TOOLS.items():
        yield name, _sent(program.call("POST", f"{agent}/tools/{name}", {**body, **END_USER}))
    prompt = program.call("POST", f"{agent}/context", {"message": QUESTION, **END_USER})
    yield "context", _sent(prompt)
    mcp = Mcp(secret).as_host(agent=str(world.agent.pk), owner="api:customer-1")
    yield from _by_mcp(mcp, world)
    yield from _by_mem0(Mem0(secret, str(world.agent.pk)), world)


def _sent(answer: Any) -> str:
    return b"".join(answer).decode(errors="replace")


def _routes(world: World) -> Iterator[str]:
    """Every address that is read, with every id that this memory has for it."""
    with scope(team=world.team):
        its: dict[str, Iterable[Any]] = {
            "agent": [world.agent.pk],
            "talk": world.agent.conversations.values_list("external_id", flat=True),
            "run": world.agent.runs.values_list("pk", flat=True),
            "fact": world.agent.facts.values_list("pk", flat=True),
        }
        ids = {name: [str(one) for one in found] for name, found in its.items()}
    for route in ROUTES.values():
        path = route.path.replace("?owner=shared", "").replace("q=tea", "q=code word")
        named = [name for name in ids if f"{{{name}}}" in path]
        for values in product(*(ids[name] for name in named)) if route.method == "GET" else ():
            yield path.format(**dict(zip(named, values, strict=True)))


def _texts(world: World) -> list[str]:
    """Each file, its history, and each of its texts."""
    found = []
    with scope(team=world.team):
        for file in File.objects.filter(agent=world.agent, owner=world.customer):
            path = f"/agents/{world.agent.pk}/workspace/files/{file.path}"
            numbers = Revision.objects.filter(file=file).values_list("number", flat=True)
            found += [path, f"{path}/revisions", *(f"{path}/revisions/{n}" for n in numbers)]
    return found


def _by_mcp(mcp: Mcp, world: World) -> Iterator[tuple[str, str]]:
    paths = [file.path for file in world.agent.files.filter(owner=world.customer)]
    calls: list[tuple[str, dict[str, Any]]] = [
        *_TOOLS.items(),
        ("memory_search", {"query": QUESTION}),
        ("memory_get", {"path": "MEMORY.md"}),
        ("search", {"query": QUESTION}),
        ("memory", {"command": "view", "path": "/memories"}),
        *(("fetch", {"id": path}) for path in paths),
        *(("memory", {"command": "view", "path": f"/memories/{path}"}) for path in paths),
    ]
    for name, arguments in calls:
        answer = mcp.modern("tools/call", {"name": name, "arguments": arguments})
        yield f"MCP {name} {arguments}", answer.content.decode()
    for uri in (HOME, *(ROOT + path for path in paths)):
        yield f"MCP {uri}", mcp.modern("resources/read", {"uri": uri}).content.decode()
    yield "MCP resources", mcp.modern("resources/list").content.decode()


def _by_mem0(mem0: Mem0, world: World) -> Iterator[tuple[str, str]]:
    named = {"user_id": "customer-1"}
    with scope(team=world.team):
        facts = [str(pk) for pk in world.agent.facts.values_list("pk", flat=True)]
    calls = [
        ("POST", "/v3/memories/search/", {"query": QUESTION, "filters": named}),
        ("POST", "/v3/memories/", {"filters": named}),
        ("GET", "/memories?user_id=customer-1", None),
        ("GET", "/v1/entities/", None),
        *(("GET", f"/v1/memories/{pk}{rest}", None) for pk in facts for rest in ("/", "/history/")),
    ]
    for method, path, body in calls:
        yield f"mem0 {path}", mem0.answer(method, path, body).content.decode()
