"""How an endpoint is added: `@router.operation(method, path, takes)`.

What it takes is checked before it runs, and is said in OpenAPI, from the same table (`Right`). What
it answers is read off its signature, and how it is called off its docstring's first line.
"""

import json
import re
from collections.abc import Callable
from http import HTTPStatus
from pathlib import Path
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

import ninja
from ninja import NinjaAPI
from ninja.openapi.schema import OpenAPISchema
from pydantic import BaseModel

from memoryweb.accounts.permissions import Role, can
from memoryweb.api import quotas
from memoryweb.api.auth import Right
from memoryweb.api.problems import CONTENT_TYPE
from memoryweb.api.schemas import ProblemBody

View = TypeVar("View", bound=Callable[..., Any])

REF = "#/components/schemas/{model}"
# One for each schema that is answered, by its public name, or sent.
EXAMPLES: dict[str, Any] = json.loads((Path(__file__).parent / "examples.json").read_text())
_ALWAYS = (400, 401, 403, 404)


class Router(ninja.Router):
    def operation(
        self,
        method: str,
        path: str,
        takes: Right,
        *,
        status: int = 200,
        also: tuple[int, ...] = (),
        errors: tuple[int, ...] = (),
        example: dict[str, Any] | None = None,
        body: Any = None,
        leaves_out_unset: bool = False,
        has_own_key: bool = False,
        in_parts: bool = False,
        extra: dict[str, Any] | None = None,
    ) -> Callable[[View], View]:
        """`also`: other codes of the answer. `example`, `body`: if unlike their schemas'.
        `has_own_key`: minds its Idempotency-Key. `in_parts`: see `pipeline`. `extra`: OpenAPI."""

        def register(view: View) -> View:
            vars(view).update(takes=takes, has_own_key=has_own_key, in_parts=in_parts)
            hints = get_type_hints(view)
            answer = _answered(hints["return"])
            described: dict[str, Any] = {"responses": {}, **(extra or {})}
            codes = errors + quotas.codes(view.__name__)
            described["responses"] |= _responses(answer, status, codes, example or {})
            if "body" in hints:
                described["requestBody"] = _shown(body or EXAMPLES[hints["body"].__name__])
            return self.api_operation(
                [method],
                path,
                response=dict.fromkeys((status, *also), answer),
                summary=(view.__doc__ or "").partition("\n")[0].removesuffix("."),
                description=_described(takes),
                by_alias=True,
                exclude_unset=leaves_out_unset,
                openapi_extra=described,
            )(view)

        return register


def _responses(
    answer: type[BaseModel] | None, status: int, errors: tuple[int, ...], example: dict[str, Any]
) -> dict[int, Any]:
    responses: dict[int, Any] = {code: error(code) for code in _ALWAYS + errors}
    if answer is not None:
        responses[status] = _shown(_example(answer) | example)
    return responses


def read_by_hand(model: type[BaseModel], *, required: bool = True) -> dict[str, Any]:
    """The `extra` of an operation whose body django-ninja does not read."""
    name = model.__name__
    content = {"schema": {"$ref": REF.format(model=name)}, "example": EXAMPLES[name]}
    return {"requestBody": {"content": {"application/json": content}, "required": required}}


def header(name: str, description: str) -> dict[str, Any]:
    return {
        "name": name,
        "in": "header",
        "required": False,
        "schema": {"type": "string"},
        "description": description,
    }


def error(code: int) -> dict[str, Any]:
    return {
        "description": HTTPStatus(code).phrase,
        "content": {CONTENT_TYPE: {"schema": {"$ref": REF.format(model="Problem")}}},
    }


def public_name(name: str) -> str:
    """`Agent` and `AgentPage` for AgentOut and Items[AgentOut]: what a client's code calls them."""
    item = name.replace("[", "_").replace("]", "_").removeprefix("Items_").removesuffix("_")
    return item.removesuffix("Out") + ("Page" if item != name else "")


def _answered(returned: Any) -> type[BaseModel] | None:
    """The schema of an answer; None where there is none, or bytes."""
    answer = get_args(returned)[0] if get_origin(returned) is ninja.Status else returned
    return answer if isinstance(answer, type) and issubclass(answer, BaseModel) else None


def _shown(example: Any) -> dict[str, Any]:
    return {"content": {"application/json": {"example": example}}}


def _example(answer: type[BaseModel]) -> dict[str, Any]:
    name = public_name(answer.__name__)
    if name in EXAMPLES:
        return dict(EXAMPLES[name])
    return {"items": [EXAMPLES[name.removesuffix("Page")]], "cursor": None}


def _described(takes: Right) -> str:
    """Said from the table that decides, so that it stays true."""
    roles = ", ".join(role for role in Role if can(role, takes.permission))
    about_oneself = " (any role for your own memory)" if takes.is_free_for_oneself else ""
    return f"Requires the scope `{takes.scope}`. Roles: {roles}{about_oneself}."


# The OpenAPI description: what django-ninja makes of the routes, and what types can't say.

_NAMED = re.compile(r'"#/components/schemas/([^"]+)"')
_IDEMPOTENCY_KEY = {
    "name": "Idempotency-Key",
    "in": "header",
    "required": False,
    "schema": {"type": "string", "minLength": 1, "maxLength": 255},
    "description": "Makes retries safe: for 24 hours, the same request gets the same answer.",
}


class DocumentedAPI(NinjaAPI):
    documented: tuple[type[BaseModel], ...] = (ProblemBody,)

    def get_openapi_operation_id(self, operation: Any) -> str:
        name: str = operation.view_func.__name__
        return name

    def get_openapi_schema(self, **kwargs: Any) -> OpenAPISchema:
        schema = super().get_openapi_schema(**kwargs)
        schema["servers"] = [{"url": "/", "description": "This installation"}]
        components = schema["components"]["schemas"]
        for model in self.documented:
            shape = model.model_json_schema(ref_template=REF)
            components.update(shape.pop("$defs", {}))
            components[shape.get("title", model.__name__)] = shape
        for methods in schema["paths"].values():
            if "post" in methods:
                methods["post"]["parameters"] = [*methods["post"]["parameters"], _IDEMPOTENCY_KEY]
                methods["post"]["responses"].setdefault(409, error(409))
            for described in methods.values():
                if "requestBody" in described:
                    described["responses"].setdefault(413, error(413))
                for parameter in described["parameters"]:
                    if "examples" in parameter:
                        parameter["examples"] = _named_examples(parameter["examples"])
        for shape in components.values():
            if "enum" in shape:  # its docstring speaks to readers of the code
                shape.pop("description", None)
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
    """Names for those who read them, in place of our classes'."""
    schema["components"]["schemas"] = {
        public_name(name): one | {"title": public_name(name)}
        for name, one in schema["components"]["schemas"].items()
    }
    text = _NAMED.sub(
        lambda ref: json.dumps(REF.format(model=public_name(ref[1]))), json.dumps(schema)
    )
    schema.update(json.loads(text))
    return schema
