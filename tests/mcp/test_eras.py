"""What a client hears in either era of the protocol."""

from typing import Any

import pytest

from memoryweb.accounts.permissions import Scope
from memoryweb.agents.models import Agent
from tests.api.callers import Callers, narrow
from tests.mcp.client import Mcp
from tests.world import World

SERVER = {"io.modelcontextprotocol/serverInfo"}


@pytest.mark.parametrize("version", ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"])
def test_the_earlier_era_begins_with_the_version_that_is_asked_for(mcp: Mcp, version: str) -> None:
    body = {"jsonrpc": "2.0", "id": "a", "method": "initialize"}
    answer = mcp.send({**body, "params": {"protocolVersion": version, "capabilities": {}}})
    result = answer.json()["result"]
    assert (answer.json()["id"], result["protocolVersion"]) == ("a", version)
    assert set(result["capabilities"]) == {"tools", "resources", "prompts"}
    assert "Mcp-Session-Id" not in answer.headers
    other = mcp.send({**body, "params": {"protocolVersion": "1999-01-01"}})
    assert other.json()["result"]["protocolVersion"] == "2025-11-25"


def test_the_earlier_era_pings_and_knows_nothing_of_the_modern_one(mcp: Mcp) -> None:
    assert mcp.earlier("ping").json()["result"] == {}
    assert mcp.earlier("server/discover").json()["error"]["code"] == -32601
    assert mcp.earlier("tools/list").json()["result"].keys() == {"tools"}


def test_the_modern_era_discovers(mcp: Mcp) -> None:
    result = mcp.modern("server/discover").json()["result"]
    assert result["supportedVersions"][0] == "2026-07-28"
    assert (result["resultType"], result["cacheScope"]) == ("complete", "public")
    assert result["_meta"].keys() == SERVER


@pytest.mark.parametrize(
    "method", ["tools/list", "resources/list", "resources/templates/list", "prompts/list"]
)
def test_a_modern_list_is_its_callers_alone(mcp: Mcp, method: str) -> None:
    result = mcp.modern(method).json()["result"]
    assert (result["cacheScope"], result["resultType"]) == ("private", "complete")
    assert result["ttlMs"] >= 0


def test_tools_tell_what_they_do_to_memory_and_ask_for_no_owner(mcp: Mcp) -> None:
    tools = {tool["name"]: tool for tool in mcp.earlier("tools/list").json()["result"]["tools"]}
    assert {"memory_search", "memory_get", "remember", "forget", "memory", "search", "fetch"} <= (
        tools.keys()
    )
    hints = {name: tool["annotations"] for name, tool in tools.items()}
    assert hints["memory_search"] == {"readOnlyHint": True, "openWorldHint": False}
    assert hints["remember"]["destructiveHint"] is False
    assert hints["forget"]["destructiveHint"] is True
    for tool in tools.values():
        assert len(tool["name"]) <= 32
        assert tool["description"]
        assert tool["inputSchema"]["type"] == "object"
        assert tool["inputSchema"]["additionalProperties"] is False
        named = tool["inputSchema"]["properties"].keys()
        assert not named & {"owner", "endUserId", "channel", "senderId", "conversationId"}


def test_a_token_that_only_reads_is_offered_nothing_that_writes(world: World) -> None:
    _row, api = narrow(world.team, [Scope.MEMORY_READ], integration=world.integration)
    mcp = Mcp(api.token).as_host(agent=str(world.agent.pk), owner="api:customer-1")
    tools = mcp.earlier("tools/list").json()["result"]["tools"]
    assert all(tool["annotations"]["readOnlyHint"] for tool in tools)
    refused = mcp.call("remember", content="Likes tea.")
    assert (refused["isError"], "memory:write" in refused["content"][0]["text"]) == (True, True)


def test_who_is_meant_has_to_be_said_unless_it_is_clear(
    world: World, callers: Callers, mcp: Mcp
) -> None:
    search = {"name": "memory_search", "arguments": {"query": "tea"}}

    def code(host: Mcp) -> Any:
        return host.modern("tools/call", search).json()["error"]["data"]["code"]

    agent = str(world.agent.pk)
    assert code(Mcp(callers.helpdesk.token).as_host(agent=agent)) == "owner_required"
    assert code(Mcp(callers.helpdesk.token).as_host(owner="shared")) == "agent_required"
    Agent.objects.filter(team=world.team).exclude(pk=agent).delete()
    assert not Mcp(callers.member.token).call("memory_search", query="tea")["isError"]


def test_an_owner_that_is_no_plain_ascii_comes_encoded(mcp: Mcp) -> None:
    chen = mcp.as_host(owner="=?base64?YXBpOumZiA==?=")
    assert not chen.call("remember", content="Likes tea.")["isError"]
    assert chen.call("search", query="tea")["structuredContent"]["results"]
    assert not mcp.call("search", query="tea")["structuredContent"]["results"]
