"""JSON-RPC as MCP speaks it: what a message is, and what is wrong with one.

There are two eras. Up to 2025-11-25 a client says `initialize` first; from 2026-07-28 on every
request stands alone and says in `_meta` and in headers what it speaks.
"""

import base64
import binascii
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest

from memoryweb.agents.models import Agent
from memoryweb.api import request_bodies
from memoryweb.api.auth import Caller, Right, record_denial
from memoryweb.api.domain_errors import REFUSALS, problem_of
from memoryweb.api.problems import Forbidden, Problem
from memoryweb.api.request_bodies import check_texts, parse
from memoryweb.api.tool_calls import Call
from memoryweb.api.tools import acting_of
from memoryweb.memory.tools import Acting

MODERN = "2026-07-28"
EARLIER = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
SUPPORTED = (MODERN, *EARLIER)

PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS = -32700, -32600, -32601, -32602
HEADER_MISMATCH, UNSUPPORTED_VERSION = -32020, -32022
RESOURCE_MISSING = -32002  # in the earlier era; parameters that don't fit in the modern one

_META = "io.modelcontextprotocol/"
VERSION, CAPABILITIES, SERVER_INFO = (
    _META + name for name in ("protocolVersion", "clientCapabilities", "serverInfo")
)
# What the header Mcp-Name repeats of the parameters.
_NAMED = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
_MOST_ID = 2**53 - 1  # what every JSON reader keeps exactly
_LONGEST_ID = 256
_ENCODED = re.compile(r"=\?base64\?(.*)\?=")


class Refused(Exception):
    """Answered as a JSON-RPC error."""

    def __init__(self, code: int, message: str, data: Mapping[str, Any] | None = None) -> None:
        super().__init__(message)
        self.code, self.message, self.data = code, message, data


@dataclass(frozen=True)
class Message:
    """`id` is None for a notification, which nobody answers."""

    id: str | int | None
    method: str
    params: dict[str, Any]

    @property
    def is_modern(self) -> bool:
        return isinstance(self.meta, dict) and VERSION in self.meta

    @property
    def meta(self) -> Any:
        return self.params.get("_meta")


def read(body: bytes) -> Message:
    """Raises Refused."""
    if body.lstrip()[:1] == b"[":
        raise Refused(INVALID_REQUEST, "Send one message at a time, not a batch.")
    try:
        sent = request_bodies.read_json(body)
    except Problem as problem:
        is_json = problem.code != "malformed_json"
        code = INVALID_REQUEST if is_json else PARSE_ERROR
        raise Refused(code, problem.detail) from None
    params = sent.get("params", {})
    if sent.get("jsonrpc") != "2.0" or not isinstance(sent.get("method"), str):
        raise Refused(INVALID_REQUEST, "Send a JSON-RPC 2.0 request with a method.")
    if not isinstance(params, dict):
        raise Refused(INVALID_REQUEST, "The parameters must be a JSON object.")
    return Message(_id(sent), sent["method"], params)


def is_modern(message: Message, headers: Mapping[str, str]) -> bool:
    version = headers.get("MCP-Protocol-Version")
    return message.is_modern or (version is not None and version not in EARLIER)


def check(message: Message, headers: Mapping[str, str]) -> None:
    """What a request of the modern era must carry. Raises Refused."""
    meta = message.meta if isinstance(message.meta, dict) else {}
    if VERSION not in meta or not isinstance(meta.get(CAPABILITIES), dict):
        raise Refused(INVALID_PARAMS, f"“_meta” must hold “{VERSION}” and “{CAPABILITIES}”.")
    expected = {"MCP-Protocol-Version": meta[VERSION], "Mcp-Method": message.method}
    if message.method in _NAMED:
        expected["Mcp-Name"] = message.params.get(_NAMED[message.method])
    for name, value in expected.items():
        if value is not None and decoded(headers.get(name)) != value:
            said = f"The header “{name}” must say what the body says."
            raise Refused(HEADER_MISMATCH, said)
    if meta[VERSION] != MODERN:
        raise Refused(
            UNSUPPORTED_VERSION,
            "This protocol version isn't supported.",
            {"supported": list(SUPPORTED), "requested": meta[VERSION]},
        )


def decoded(header: str | None) -> str | None:
    """A header's text: what is not plain ASCII comes as `=?base64?…?=`. None: it can't be read."""
    found = _ENCODED.fullmatch(header or "")
    if found is None:
        return header
    try:
        return base64.b64decode(found[1], validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return None


def _id(sent: Mapping[str, Any]) -> str | int | None:
    if "id" not in sent:
        return None
    name = sent["id"]
    is_text = isinstance(name, str) and len(name) <= _LONGEST_ID
    is_number = type(name) is int and abs(name) <= _MOST_ID
    if not (is_text or is_number):
        number = f"a whole number up to {_MOST_ID}"
        text = f"a text of up to {_LONGEST_ID} characters"
        raise Refused(INVALID_REQUEST, f"An id is {number}, or {text}.")
    assert isinstance(name, str | int)
    return name


# Who speaks through a client: said by the headers that its host sets, never by a model.

AGENT, OWNER, CONVERSATION = "Memoryweb-Agent", "Memoryweb-Owner", "Memoryweb-Conversation"


def check_host(request: HttpRequest, caller: Caller) -> None:
    """A person chose the agent of an app, which speaks for them alone."""
    if caller.token.client_id and (sent := {AGENT, OWNER, CONVERSATION} & request.headers.keys()):
        detail = f"An app that signed in can't send the header “{min(sent)}”."
        raise Problem(400, "header_refused", detail)


@dataclass(frozen=True)
class Host:
    request: HttpRequest
    caller: Caller

    @property
    def about(self) -> dict[str, str]:
        """The fields of a call that its headers stand for."""
        named = {"owner": self._header(OWNER), "conversationId": self._header(CONVERSATION)}
        return {name: text for name, text in named.items() if text is not None}

    def acting(self) -> Acting:
        """Raises Refused: what the host did not say no model can make good."""
        try:
            about = self.about
            check_texts(about)
            return acting_of(self.caller, self._agent(), parse(Call, about))
        except REFUSALS as refused:
            raise self._refused(refused) from None

    def reading(self) -> Acting:
        """As `acting`, for what only reads."""
        try:
            self.caller.require(Right.READ)
        except Problem as refused:
            raise self._refused(refused) from None
        return self.acting()

    def problem(self, refused: Exception) -> Problem:
        problem = problem_of(self.caller, refused)
        if isinstance(problem, Forbidden):
            record_denial(self.request, self.caller, problem)
        return problem

    def _refused(self, refused: Exception) -> Refused:
        problem = self.problem(refused)
        return Refused(INVALID_PARAMS, _said(problem), {"code": problem.code})

    def _agent(self) -> Agent:
        agent = self.caller.agent_or_only(self._header(AGENT))
        if agent is None:
            detail = f"Choose an agent: set the header “{AGENT}” to its id."
            raise Problem(400, "agent_required", detail)
        return agent

    def _header(self, name: str) -> str | None:
        return decoded(self.request.headers.get(name))


def _said(problem: Problem) -> str:
    if problem.code != "owner_required":
        return problem.detail
    return (
        f"Choose an owner: set the header “{OWNER}” to an end user (api:…), a sender "
        "(<channel>:…) or “shared”."
    )
