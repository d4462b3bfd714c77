"""The OpenAPI description: what django-ninja makes of the routes, and what types can't say."""

import json
import re
from typing import Any

from ninja import NinjaAPI
from ninja.openapi.schema import OpenAPISchema
from pydantic import BaseModel

from memoryweb.api.routing import REF, error, public_name
from memoryweb.api.schemas import ProblemBody

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
