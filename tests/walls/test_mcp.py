"""Who may do what over MCP: the same as over the API, whose table it is."""

from typing import Any

import pytest

from memoryweb.api.mcp.tools import TOOLS
from memoryweb.api.tools import TOOLS as OF_API
from memoryweb.audit.models import Event
from tests.api.callers import NAMES, Callers, callers_of
from tests.mcp.client import Mcp
from tests.walls.api_routes import READ, WRITE
from tests.world import World

OF_TEAM = [name for name in NAMES if name in READ]


@pytest.fixture
def callers(world: World) -> Callers:
    return callers_of(world)


def host(world: World, callers: Callers, name: str, owner: str = "shared") -> Mcp:
    return Mcp(callers[name].token).as_host(agent=str(world.agent.pk), owner=owner)


def result(mcp: Mcp, tool: str, **arguments: Any) -> Any:
    return mcp.earlier("tools/call", {"name": tool, "arguments": arguments}).json()


def test_every_tool_of_the_api_is_a_tool_of_clients() -> None:
    assert {tool.name for tool in OF_API} <= TOOLS.keys()


def test_each_caller_does_what_its_role_allows(world: World, callers: Callers) -> None:
    for tool, arguments, table in (
        ("memory_search", {"query": "tea"}, READ),
        ("remember", {"content": "Tea is served at five."}, WRITE),
        ("memory", {"command": "create", "path": "/memories/{}.md", "file_text": "x"}, WRITE),
    ):
        for name in OF_TEAM:
            given = {key: text.format(name) for key, text in arguments.items()}
            refused = result(host(world, callers, name), tool, **given)["result"]["isError"]
            assert refused == (table[name] == 403), (tool, name)


def test_a_stranger_finds_no_agent_and_nobody_gets_in_without_a_token(
    world: World, callers: Callers
) -> None:
    for name in ("stranger", "foreign_helpdesk"):
        answer = result(host(world, callers, name), "memory_search", query="tea")
        assert answer["error"]["data"]["code"] == "not_found"
    assert host(world, callers, "anonymous").earlier("tools/list").status_code == 401


def test_any_role_changes_the_memory_about_itself(world: World, callers: Callers) -> None:
    for name in ("admin", "member", "viewer", "auditor"):
        made = result(host(world, callers, name, "me"), "remember", content="Likes tea.")
        assert not made["result"]["isError"]


def test_a_change_and_a_refusal_are_events_with_the_callers_token(
    world: World, callers: Callers
) -> None:
    result(host(world, callers, "helpdesk", "api:customer-1"), "remember", content="Likes tea.")
    result(host(world, callers, "viewer"), "remember", content="Likes tea.")
    written = Event.objects.filter(action="file.written").latest("seq")
    denied = Event.objects.filter(action="access.denied").latest("seq")
    assert None not in {written.token_id, denied.token_id}
    assert written.on_behalf_of == world.customer.pk
