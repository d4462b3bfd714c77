"""What no client should send, each with what it is answered. Nothing of it changes anything."""

import json
from typing import Any

import pytest

from memoryweb.api.mcp.view import MOST_BYTES
from memoryweb.audit.models import Event
from memoryweb.memory.models import Revision
from tests.mcp.client import CAPABILITIES, META, MODERN, VERSION, Mcp
from tests.world import World

PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
SEARCH = {"name": "memory_search", "arguments": {"query": "tea"}}


BODIES: dict[str, tuple[Any, int]] = {
    "a batch": ([PING, PING], -32600),
    "no JSON": (b"{", -32700),
    "no UTF-8": (b'{"method": "\xff"}', -32700),
    "a number": (b"7", -32700),
    "nothing": (b" ", -32700),
    "a hundred levels": (b'{"params":' + b"[" * 100 + b"]" * 100 + b"}", -32700),
    "a key twice": (b'{"jsonrpc": "2.0", "id": 1, "id": 2, "method": "ping"}', -32600),
    "a NUL": ({**PING, "params": {"x": "\0"}}, -32600),
    "another JSON-RPC": ({**PING, "jsonrpc": "1.0"}, -32600),
    "no method": ({"jsonrpc": "2.0", "id": 1, "result": {}}, -32600),
    "a method that is a number": ({**PING, "method": 7}, -32600),
    "parameters in a list": ({**PING, "params": [1]}, -32600),
    "null as id": ({**PING, "id": None}, -32600),
    "true as id": ({**PING, "id": True}, -32600),
    "a fraction as id": ({**PING, "id": 1.5}, -32600),
    "a list as id": ({**PING, "id": [1]}, -32600),
    "a huge id": ({**PING, "id": 10**40}, -32600),
    "a long id": ({**PING, "id": "x" * 257}, -32600),
    "an id of 5,000 digits": (b'{"jsonrpc": "2.0", "id": 1' + b"0" * 5000 + b"}", -32700),
}


@pytest.mark.parametrize("fault", BODIES)
def test_what_is_no_message_is_refused(mcp: Mcp, fault: str) -> None:
    body, code = BODIES[fault]
    answer = mcp.send(body)
    assert (answer.status_code, answer.json()["id"]) == (400, None)
    assert answer.json()["error"]["code"] == code


def test_ten_megabytes_are_too_large(mcp: Mcp) -> None:
    answer = mcp.send(b" " * 10 * 1024 * 1024)
    assert (answer.status_code, answer.json()["code"]) == (413, "too_large")


def test_a_file_of_the_largest_size_fits_however_it_is_escaped(mcp: Mcp) -> None:
    text = "\x01" * (1024 * 1024)
    body = {**PING, "method": "tools/call", "params": {"name": "x", "arguments": {"text": text}}}
    assert len(json.dumps(body)) < MOST_BYTES
    assert mcp.send(body).json()["error"]["message"] == "There is no such tool."


@pytest.mark.parametrize("method", ["no/such", "initialize", "ping", "Tools/list", "x" * 5000, ""])
def test_an_unknown_method_is_not_found(mcp: Mcp, method: str) -> None:
    answer = mcp.modern(method)
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, -32601)
    assert answer.json()["id"] == 1
    if method not in {"initialize", "ping"}:
        earlier = mcp.earlier(method)
        assert (earlier.status_code, earlier.json()["error"]["code"]) == (200, -32601)


@pytest.mark.parametrize(
    "meta", [None, 7, {}, {VERSION: MODERN}, {**META, CAPABILITIES: 7}], ids=str
)
def test_a_modern_request_says_what_it_speaks(mcp: Mcp, meta: Any) -> None:
    answer = mcp.modern("tools/list", {"_meta": meta})
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, -32602)


@pytest.mark.parametrize(
    "headers",
    [
        {"MCP_Protocol_Version": "2025-11-25"},
        {"MCP_Protocol_Version": "2027-01-01"},
        {"Mcp_Method": "tools/list"},
        {"Mcp_Method": ""},
        {"Mcp_Name": "forget"},
        {"Mcp_Name": ""},
        {"Mcp_Name": "=?base64?%%%?="},
    ],
    ids=str,
)
def test_headers_that_differ_from_the_body_are_refused(mcp: Mcp, headers: dict[str, str]) -> None:
    answer = mcp.modern("tools/call", SEARCH, **headers)
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, -32020)


def test_a_version_that_nobody_knows_is_told_those_that_are(mcp: Mcp) -> None:
    meta = {**META, VERSION: "2027-01-01"}
    answer = mcp.modern("tools/list", {"_meta": meta}, MCP_Protocol_Version="2027-01-01")
    error = answer.json()["error"]
    assert (answer.status_code, error["code"]) == (400, -32022)
    assert error["data"]["requested"] == "2027-01-01"
    assert MODERN in error["data"]["supported"]


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"name": 7},
        {"name": ["forget"]},
        {"name": "no_such_tool"},
        {**SEARCH, "arguments": "tea"},
        {**SEARCH, "arguments": None},
        {**SEARCH, "cursor": "2"},
    ],
    ids=str,
)
def test_a_call_of_no_tool_is_refused(mcp: Mcp, params: dict[str, Any]) -> None:
    answer = mcp.earlier("tools/call", params)
    assert (answer.status_code, answer.json()["error"]["code"]) == (200, -32602)


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"query": 7},
        {"query": "x" * 1001},
        {"query": "tea", "maxResults": "5"},
        {"query": "tea", "maxResults": 10**30},
        {"query": "tea", "minScore": 2},
        {"query": "tea", "unknown": 1},
    ],
    ids=lambda arguments: str(arguments)[:40],
)
def test_a_model_is_told_what_was_wrong_with_its_arguments(
    mcp: Mcp, arguments: dict[str, Any]
) -> None:
    result = mcp.call("memory_search", **arguments)
    assert result["isError"] is True
    assert result["content"][0]["text"].endswith(".")


@pytest.mark.parametrize(
    "named",
    [
        {"owner": "api:customer-2"},
        {"owner": "shared"},
        {"endUserId": "customer-2"},
        {"channel": "slack", "senderId": "U2"},
        {"conversationId": "c-1"},
        {"agentId": "7"},
        {"agent_id": "7"},
        {"end_user_id": "customer-2"},
    ],
    ids=str,
)
def test_an_argument_names_no_other_owner_and_no_other_agent(
    mcp: Mcp, named: dict[str, Any]
) -> None:
    before = Revision.objects.count()
    result = mcp.call("remember", content="Likes tea.", **named)
    assert result["isError"] is True
    assert Revision.objects.count() == before


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://testserver.evil", ""])
def test_pages_of_other_sites_are_refused(mcp: Mcp, origin: str) -> None:
    answer = mcp.earlier("ping", Origin=origin)
    assert (answer.status_code, answer.json()["code"]) == (403, "foreign_origin")


def test_its_own_pages_may_call(mcp: Mcp) -> None:
    assert mcp.earlier("ping", Origin="http://testserver").status_code == 200


def test_a_foreign_host_is_misdirected(mcp: Mcp) -> None:
    answer = mcp.earlier("ping", Host="evil.example")
    assert (answer.status_code, answer.json()["code"]) == (421, "misdirected")


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT", "OPTIONS"])
def test_only_post_is_answered(mcp: Mcp, method: str) -> None:
    answer = mcp.request(method)
    assert (answer.status_code, answer.headers["Allow"]) == (405, "POST")


def test_other_kinds_of_text_are_refused(mcp: Mcp) -> None:
    assert mcp.send(PING, Content_Type="text/plain").status_code == 415
    assert mcp.earlier("ping", Accept="text/html").status_code == 406


@pytest.mark.parametrize("token", ["", "mwp_wrong"])
def test_without_a_token_nothing_is_answered(token: str) -> None:
    answer = Mcp(token).earlier("initialize")
    assert (answer.status_code, answer.json()["code"]) == (401, "unauthorized")
    assert answer.headers["WWW-Authenticate"].startswith("Bearer")


def test_a_notification_is_taken_and_not_answered(mcp: Mcp) -> None:
    answer = mcp.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
    assert (answer.status_code, answer.content) == (202, b"")


def test_a_host_that_names_another_owner_is_refused_and_seen(world: World, mcp: Mcp) -> None:
    for owner in ("me", f"user:{world.alice.pk}", "discord:U9", str(world.twin.customer.pk)):
        answer = mcp.as_host(owner=owner).earlier("tools/call", SEARCH)
        assert answer.json()["error"]["data"]["code"] == "owner_forbidden", owner
    assert Event.objects.filter(action="access.denied", reason_code="owner_forbidden").exists()


@pytest.mark.parametrize("name", ["Memoryweb-Owner", "Memoryweb-Conversation", "Memoryweb-Agent"])
@pytest.mark.parametrize(
    "text", ["", "\xff", "x" * 5000, "=?base64?AA==?=", "=?base64?YXBpOgA=?=", "=?base64?/w==?="]
)
def test_a_header_that_says_nothing_sensible_is_no_fault_of_ours(
    mcp: Mcp, name: str, text: str
) -> None:
    answer = mcp.earlier("tools/call", SEARCH, **{name: text})
    assert answer.status_code == 200
    error = answer.json().get("error")
    # A conversation that nobody has is none, and the only agent needs no naming.
    assert name == "Memoryweb-Conversation" if error is None else error["code"] == -32602


def test_a_host_that_names_a_foreign_agent_hears_what_an_unknown_one_is_told(
    world: World, mcp: Mcp
) -> None:
    told = [
        mcp.as_host(agent=agent).earlier("tools/call", SEARCH).content
        for agent in (str(world.twin.agent.pk), "7f1f29d5-0000-4000-8000-000000000000", "none")
    ]
    assert len(set(told)) == 1
    assert json.loads(told[0])["error"]["data"]["code"] == "not_found"
