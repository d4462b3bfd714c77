"""How an operation is described: answer, example, errors. OpenAPI is made of this."""

import json
import re
from http import HTTPStatus
from typing import Any

from ninja import NinjaAPI
from ninja.openapi.schema import OpenAPISchema
from pydantic import BaseModel, Field

from memoryweb.accounts.permissions import Permission, Role, Scope, can
from memoryweb.api.problems import CONTENT_TYPE
from memoryweb.api.schemas import Camel, ProblemBody

_REF = "#/components/schemas/{model}"
_NAMED = re.compile(r'"#/components/schemas/([^"]+)"')
_ALWAYS = (400, 401, 403, 404)
_IDEMPOTENCY_KEY = {
    "name": "Idempotency-Key",
    "in": "header",
    "required": False,
    "schema": {"type": "string", "minLength": 1, "maxLength": 255},
    "description": "Sent again with the same body within 24 hours, the first answer is repeated.",
}


class Paging(Camel):
    cursor: str | None = Field(None, description="`cursor` of the page before.")
    limit: int = Field(50, ge=1, le=200, description="Rows a page.")


class Reach(Camel):
    owner: str | None = Field(
        None,
        description="Whose memory: an owner's id, `me`, `shared`, or a shown form such as "
        "`slack:U012`, `api:helpdesk/42`. An integration's token must send it.",
        examples=["shared"],
    )


class ReachPaging(Reach, Paging):
    """`owner`, `cursor` and `limit`."""


def operation(
    answer: type[BaseModel] | None,
    *,
    summary: str,
    takes: tuple[Permission, Scope],
    example: Any = None,
    status: int = 200,
    also: dict[int, Any] | None = None,
    body: Any = None,
    body_model: type[BaseModel] | None = None,
    body_required: bool = True,
    parameters: list[dict[str, Any]] | None = None,
    errors: tuple[int, ...] = (),
    leaves_out_unset: bool = False,
) -> dict[str, Any]:
    """The keyword arguments of a route. `body_model` documents a body that is read by hand."""
    extra: dict[str, Any] = {"responses": {code: _error(code) for code in (*_ALWAYS, *errors)}}
    if example is not None:
        extra["responses"][status] = {"content": {"application/json": {"example": example}}}
    if body is not None:
        content: dict[str, Any] = {"example": body}
        if body_model:
            content["schema"] = {"$ref": _REF.format(model=body_model.__name__)}
        extra["requestBody"] = {"content": {"application/json": content}}
        if body_model:
            extra["requestBody"]["required"] = body_required
    if parameters:
        extra["parameters"] = parameters
    return {
        "summary": summary,
        "description": _right(*takes),
        "response": {status: answer, **(also or {})},
        "by_alias": True,
        "exclude_unset": leaves_out_unset,
        "openapi_extra": extra,
    }


def header(name: str, description: str) -> dict[str, Any]:
    return {
        "name": name,
        "in": "header",
        "required": False,
        "schema": {"type": "string"},
        "description": description,
    }


class DocumentedAPI(NinjaAPI):
    """Adds to the generated OpenAPI what types can't say."""

    documented: tuple[type[BaseModel], ...] = (ProblemBody,)

    def get_openapi_operation_id(self, operation: Any) -> str:
        name: str = operation.view_func.__name__
        return name

    def get_openapi_schema(self, **kwargs: Any) -> OpenAPISchema:
        schema = super().get_openapi_schema(**kwargs)
        schema["servers"] = [{"url": "/", "description": "This installation"}]
        components = schema["components"]["schemas"]
        for model in self.documented:
            shape = model.model_json_schema(ref_template=_REF)
            components.update(shape.pop("$defs", {}))
            components[shape.get("title", model.__name__)] = shape
        for methods in schema["paths"].values():
            if "post" in methods:
                methods["post"]["parameters"] = [*methods["post"]["parameters"], _IDEMPOTENCY_KEY]
                methods["post"]["responses"].setdefault(409, _error(409))
            for described in methods.values():
                if "requestBody" in described:
                    described["responses"].setdefault(413, _error(413))
                for parameter in described["parameters"]:
                    if "examples" in parameter:
                        parameter["examples"] = _named_examples(parameter["examples"])
        _drop_unused(schema)
        return _renamed(schema)


def _named_examples(values: list[Any]) -> dict[str, Any]:
    """A schema lists its examples; a parameter has each under a name."""
    return {str(value): {"value": value} for value in values}


def _drop_unused(schema: OpenAPISchema) -> None:
    """What only describes a query stands in its parameters already."""
    components = schema["components"]["schemas"]
    while unused := components.keys() - set(_NAMED.findall(json.dumps(schema))):
        for name in unused:
            del components[name]


def _renamed(schema: OpenAPISchema) -> OpenAPISchema:
    """`Agent` and `AgentPage` for AgentOut and Items[AgentOut]: what a client's code calls them."""

    def told(name: str) -> str:
        item = name.removeprefix("Items_").removesuffix("_")
        return item.removesuffix("Out") + ("Page" if item != name else "")

    schema["components"]["schemas"] = {
        told(name): one | {"title": told(name)}
        for name, one in schema["components"]["schemas"].items()
    }
    text = _NAMED.sub(lambda ref: json.dumps(_REF.format(model=told(ref[1]))), json.dumps(schema))
    schema.update(json.loads(text))
    return schema


def _right(permission: Permission, scope: Scope) -> str:
    """Said from the table that decides, so that it stays true."""
    roles = ", ".join(role for role in Role if can(role, permission))
    own = permission in {Permission.WRITE, Permission.DECIDE}
    about_oneself = "; about oneself any role" if own else ""
    return f"Takes the scope `{scope}`. A person's role: {roles}{about_oneself}."


def _error(code: int) -> dict[str, Any]:
    return {
        "description": HTTPStatus(code).phrase,
        "content": {CONTENT_TYPE: {"schema": {"$ref": _REF.format(model="Problem")}}},
    }
