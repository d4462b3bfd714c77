"""Request bodies: strict JSON in, with the field named when it cannot be taken."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, NoReturn, TypeVar

from django.conf import settings
from django.http import HttpRequest
from pydantic import BaseModel, ValidationError

from memoryweb.api.problems import Invalid, Problem, validation

AnyBody = TypeVar("AnyBody", bound=BaseModel)

MAX_DEPTH = 32
# Operations that take an archive, as the body or in a form.
ARCHIVES = frozenset({"preview_import", "import_snapshot"})

_SURROGATE = re.compile("[\ud800-\udfff]")


def is_archive(request: HttpRequest) -> bool:
    match = request.resolver_match
    return match is not None and match.url_name in ARCHIVES


def check_size(request: HttpRequest, limit: int | None = None) -> None:
    """Refuse by the announced length, before a byte is read."""
    limit = limit or settings.DATA_UPLOAD_MAX_MEMORY_SIZE
    try:
        length = int(request.META.get("CONTENT_LENGTH") or 0)
    except ValueError:
        length = 0
    if length > limit:
        raise Problem(413, "too_large", f"The body is larger than {limit} bytes.")


def read_json(raw: bytes) -> dict[str, Any]:
    """The object of a body: UTF-8, no duplicate keys, no NaN, no lone surrogate, no NUL."""
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise _refused(f"The body isn't valid UTF-8: see byte {error.start}.") from None
    data = _parse(text)
    if not isinstance(data, dict):
        raise _refused("The body must be a JSON object.")
    check_texts(data)
    return data


def parse(model: type[AnyBody], body: dict[str, Any]) -> AnyBody:
    """For operations that read their body by hand."""
    try:
        return model.model_validate(body)
    except ValidationError as error:
        found = error.errors(include_url=False)
        raise validation([{**one, "loc": ("", *one["loc"])} for one in found]) from None


def check_fields(model: type[BaseModel], body: Mapping[str, Any], place: str = "") -> None:
    """Refuse a name that the model does not have, in what is read by hand."""
    known = {field.alias or name for name, field in model.model_fields.items()}
    for name in body:
        if name not in known:
            raise Invalid(place + name, "Unknown field.")


def check_texts(data: Any) -> None:
    for path, text in _texts(data, "", 0):
        if "\x00" in text:
            raise Invalid(path, f"{path} contains a NUL character.")
        if _SURROGATE.search(text):
            raise Invalid(path, f"{path} contains half a character (a lone surrogate).")


def _parse(text: str) -> Any:
    try:
        return json.loads(text, object_pairs_hook=_object, parse_constant=_constant)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise _refused(f"The body isn't valid JSON: see {place}.") from None
    except RecursionError:
        raise _too_deep() from None
    except ValueError:
        raise _refused("The body contains a number with too many digits.") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for key, value in pairs:
        if key in result:
            name = _printable(key)
            raise Invalid(name, f"The key “{name}” appears twice.")
        result[key] = value
    return result


def _constant(name: str) -> NoReturn:
    raise _refused(f"{name} is not a JSON number.")


def _texts(value: Any, path: str, depth: int) -> Iterator[tuple[str, str]]:
    if depth > MAX_DEPTH:
        raise _too_deep()
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield path or _printable(key), key
            yield from _texts(item, f"{path}.{key}" if path else key, depth + 1)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _texts(item, f"{path}[{index}]", depth + 1)
    elif isinstance(value, float) and value in (float("inf"), float("-inf")):
        raise Invalid(path, f"{path} is too large a number.")


def _printable(key: str) -> str:
    return key.encode("utf-8", "replace").decode().replace("\x00", "�")


def _refused(detail: str) -> Problem:
    return Problem(400, "malformed_json", detail)


def _too_deep() -> Problem:
    return _refused(f"The body is nested more than {MAX_DEPTH} levels deep.")
