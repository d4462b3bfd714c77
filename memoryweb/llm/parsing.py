"""From what a model wrote to the object that was asked for, or BadAnswer.

The text is hostile until shown otherwise: it may be huge, nested a million deep, cut off, or hold
two answers for one key. What is ambiguous is refused; what is merely untidy is repaired.
"""

import json
import math
import re
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, TypeVar

import json_repair
import pydantic
from django.utils.translation import gettext as _

from memoryweb.llm.exceptions import BadAnswer

MAX_CHARACTERS = 1_000_000
MAX_REPAIR_CHARACTERS = 60_000  # repairing is far slower than parsing
MAX_DEPTH = 20
MAX_STARTS = 50

Answer = TypeVar("Answer", bound=pydantic.BaseModel)

_THOUGHTS = re.compile(r"\A\s*<(think|thinking|reasoning)>.*?</\1>", re.DOTALL)
_NOT_TEXT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_LONE = re.compile("[\ud800-\udfff]")


def parse(text: str, schema: type[Answer]) -> Answer:
    """Accepts plain, fenced and damaged JSON and JSON inside prose; raises BadAnswer."""
    if len(text) > MAX_CHARACTERS:
        raise BadAnswer(_("The model's answer is too long to be one."))
    value = clean(_found(text.lstrip("\ufeff")))
    try:
        return schema.model_validate(value)
    except pydantic.ValidationError as error:
        if _breaks_off(text):
            raise BadAnswer(_("The model's answer breaks off before its end.")) from None
        raise BadAnswer(_misfit(error)) from None


def loads(text: str | bytes) -> Any:
    """`json.loads` that refuses depth, NaN and duplicated keys: BadAnswer or ValueError."""
    if isinstance(text, bytes):
        text = text.decode("utf-8", "replace")
    if _depth(text) > MAX_DEPTH:
        raise BadAnswer(_("The model's answer is nested too deeply."))
    return json.loads(
        text, object_pairs_hook=_unique, parse_constant=_not_finite, parse_float=_finite
    )


def clean(value: Any) -> Any:
    """The same value with strings that can be stored: no NUL, no controls, no lone surrogates."""
    if isinstance(value, str):
        value = value.replace("\r\n", "\n").replace("\r", "\n")
        return _LONE.sub("\ufffd", _NOT_TEXT.sub("", value))
    if isinstance(value, Mapping):
        return {clean(str(key)): clean(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [clean(item) for item in value]
    return value


def _or_empty(value: Any) -> Any:
    return "" if value is None else clean(value)


# For the fields of answers. Models say null for "nothing"; what cannot be stored gets no further.
Text = Annotated[pydantic.StrictStr, pydantic.BeforeValidator(_or_empty)]


class AnswerPart(pydantic.BaseModel, frozen=True, populate_by_name=True):
    """An object in an answer, or all of it."""


def _found(text: str) -> dict[str, Any]:
    text = _THOUGHTS.sub("", text, count=1)
    for part in _parts(text):
        try:
            value = loads(part)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict):
            return value
    return _within_prose(text) or _repaired(text)


def _parts(text: str) -> Iterator[str]:
    yield text.strip()
    yield from _fenced(text)
    start, end = text.find("{"), text.rfind("}")
    if 0 <= start < end:
        yield text[start : end + 1]


def _fenced(text: str) -> Iterator[str]:
    inside: list[str] | None = None
    for line in text.split("\n"):
        mark = line.strip().lower()
        if inside is None:
            inside = [] if mark in {"```", "```json"} else None
        elif mark == "```":
            yield "\n".join(inside)
            inside = None
        else:
            inside.append(line)


def _within_prose(text: str) -> dict[str, Any] | None:
    """The longest object that stands in the text: prose before it may hold braces of its own."""
    decoder = json.JSONDecoder(
        object_pairs_hook=_unique, parse_constant=_not_finite, parse_float=_finite
    )
    if _depth(text) > MAX_DEPTH:
        raise BadAnswer(_("The model's answer is nested too deeply."))
    best: dict[str, Any] | None = None
    best_length = position = 0
    for _attempt in range(MAX_STARTS):
        position = text.find("{", position)
        if position < 0:
            break
        try:
            value, end = decoder.raw_decode(text, position)
        except (ValueError, RecursionError):
            position += 1
            continue
        if value and end - position > best_length:
            best, best_length = value, end - position
        position = end
    return best


def _repaired(text: str) -> dict[str, Any]:
    part = next(_fenced(text), text).strip().removesuffix("```").rstrip()
    start = part.find("{")
    if start < 0:
        raise BadAnswer(_("The model's answer holds no JSON object."))
    end = part.rfind("}")
    part = part[start : end + 1] if end > start else part[start:]
    # Repair would close a sentence that was cut in the middle and call the half a memory.
    if part[-1] not in '}]"' or len(part) > MAX_REPAIR_CHARACTERS:
        raise BadAnswer(_("The model's answer is cut off or is not JSON."))
    try:
        value = json_repair.loads(part)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict) or not value or not _is_finite(value):
        raise BadAnswer(_("The model's answer is not JSON."))
    return value


def _breaks_off(text: str) -> bool:
    """Whether what stands there as an object, or ends inside one, is only the start of it."""
    return _nesting(text[max(0, text.find("{")) :])[-1] > 0


def _depth(text: str) -> int:
    return max(_nesting(text))


def _nesting(text: str) -> list[int]:
    """How deep brackets outside of strings stand after each of them, counted without recursion."""
    depths = [0]
    for match in _STRUCTURE.finditer(text):
        mark = match[0][0]
        if mark in "{[":
            depths.append(depths[-1] + 1)
        elif mark in "}]":
            depths.append(max(0, depths[-1] - 1))
    return depths


# Possessive, and content to end with the text: an open string must not be scanned once a quote.
_STRUCTURE = re.compile(r'"(?:[^"\\]++|\\.)*+(?:"|\\?\Z)|[{}\[\]]', re.DOTALL)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise BadAnswer(_("The model's answer gives one of its fields twice."))
    return found


def _not_finite(constant: str) -> Any:
    raise BadAnswer(_("The model's answer holds a number that is none."))


def _finite(digits: str) -> float:
    number = float(digits)
    return number if math.isfinite(number) else _not_finite(digits)


def _is_finite(value: Any) -> bool:
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, dict):
        return all(_is_finite(item) for item in value.values())
    return not isinstance(value, list) or all(_is_finite(item) for item in value)


def _misfit(error: pydantic.ValidationError) -> str:
    """Names the fields and what is wrong with them, never what they hold."""
    problems = [
        f"{'.'.join(str(step) for step in problem['loc']) or '—'} ({problem['type']})"
        for problem in error.errors(include_input=False, include_context=False, include_url=False)
    ]
    more = _(" and more") if len(problems) > 5 else ""
    return _("The model's answer does not have the form that was asked for: %(fields)s.") % {
        "fields": ", ".join(problems[:5]) + more
    }
