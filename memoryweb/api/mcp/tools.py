"""The tools of `api/tools.py` as MCP lists and calls them, and those that other clients know."""

import json
from collections.abc import Mapping
from functools import cache
from typing import Any

from django.utils.translation import gettext as _
from pydantic.json_schema import GenerateJsonSchema

from memoryweb.api import tools
from memoryweb.api.domain_errors import REFUSALS
from memoryweb.api.exceptions import Invalid
from memoryweb.api.mcp.host import Host
from memoryweb.api.mcp.known_tools import KNOWN
from memoryweb.api.mcp.memory_commands import Said
from memoryweb.api.mcp.messages import INVALID_PARAMS, Refused
from memoryweb.api.request_bodies import parse
from memoryweb.api.tool_calls import Call, Tool

# A name that clients know already has the shape that they know.
TOOLS: Mapping[str, Tool] = {tool.name: tool for tool in (*tools.TOOLS, *KNOWN)}
_OF_HOST = {field.alias or name for name, field in Call.model_fields.items()}


def listed(host: Host) -> list[dict[str, Any]]:
    """Those that the token's scopes allow."""
    return [_told(tool) for tool in TOOLS.values() if tool.right.scope in host.caller.scopes]


def call(host: Host, name: object, arguments: object) -> dict[str, Any]:
    """What a model got wrong stands in the result, where it reads it. Raises Refused."""
    tool = TOOLS.get(name) if isinstance(name, str) else None
    if tool is None:
        raise Refused(INVALID_PARAMS, _("There is no such tool."))
    if not isinstance(arguments, dict):
        raise Refused(INVALID_PARAMS, _("The arguments of a tool are a JSON object."))
    acting = host.acting()
    try:
        host.caller.require(tool.right)
        _check_names(arguments)
        asked = parse(tool.takes, arguments | host.about)
        answer = tools.call(tool, host.caller, acting, asked)
    except REFUSALS as refused:
        return _content(str(host.told(refused).detail)) | {"isError": True}
    if isinstance(answer, Said):
        return _content(answer.text) | {"isError": False}
    given = answer.model_dump(
        mode="json", by_alias=True, exclude_none=True, exclude_unset=tool.writes
    )
    text = json.dumps(given, ensure_ascii=False)
    return _content(text) | {"structuredContent": given, "isError": False}


def _told(tool: Tool) -> dict[str, Any]:
    hints = {"readOnlyHint": not tool.writes, "openWorldHint": False}
    if tool.writes:
        hints |= {"destructiveHint": not tool.adds, "idempotentHint": tool.repeats}
    return {
        "name": tool.name,
        "description": " ".join((tool.run.__doc__ or "").split()),
        "inputSchema": _schema(tool.takes),
        "annotations": hints,
    }


class _Untitled(GenerateJsonSchema):
    """A title that only repeats its name costs every client's model its tokens."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False


@cache
def _schema(takes: type[Call]) -> dict[str, Any]:
    """Without what the host says for every call."""
    schema = takes.model_json_schema(schema_generator=_Untitled)
    del schema["title"]
    schema["properties"] = {
        name: shape for name, shape in schema["properties"].items() if name not in _OF_HOST
    }
    return schema


def _content(text: str) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": text}]}


def _check_names(arguments: dict[str, Any]) -> None:
    for name in arguments:
        if name in _OF_HOST:
            raise Invalid(
                name, _("“{name}” is said by the host, never by an argument.").format(name=name)
            )
