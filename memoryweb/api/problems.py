"""Every error answer of the API: RFC 9457 problem+json, whatever raised it."""

import json
import re
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any, TypeVar

from django.http import HttpResponse, HttpResponseBase

Row = TypeVar("Row")


class Problem(Exception):
    """Told instead of an answer (RFC 9457). `code` is stable, `detail` is prose."""

    def __init__(
        self,
        status: int,
        code: str,
        detail: str,
        *,
        errors: Sequence[Mapping[str, str]] = (),
        headers: Mapping[str, str] | None = None,
        members: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(code)
        self.status = status
        self.code = code
        self.detail = detail
        self.errors = list(errors)
        self.headers = dict(headers or {})
        self.members = dict(members or {})


class Unauthorized(Problem):
    """The same for a missing, malformed, unknown, expired and revoked token."""

    def __init__(self) -> None:
        super().__init__(
            401,
            "unauthorized",
            "Send a valid token: “Authorization: Bearer mwp_…”.",
            headers={"WWW-Authenticate": 'Bearer realm="memoryweb"'},
        )


class Forbidden(Problem):
    def __init__(self, code: str, detail: str) -> None:
        super().__init__(403, code, detail)


class NotFound(Problem):
    """The same for what does not exist and for what belongs to somebody else."""

    def __init__(self) -> None:
        super().__init__(404, "not_found", "Not found, or you don't have access.")


def or_not_found(row: Row | None) -> Row:
    if row is None:
        raise NotFound
    return row


class Invalid(Problem):
    """A field that cannot be taken, with its name."""

    def __init__(self, field: str, message: str, *, code: str = "invalid") -> None:
        super().__init__(400, code, message, errors=[{"field": field, "message": message}])


# How they are answered.

CONTENT_TYPE = "application/problem+json"

_KEPT_HEADERS = ("Allow", "Retry-After", "WWW-Authenticate")


def respond(problem: Problem) -> HttpResponse:
    body: dict[str, Any] = {
        "type": f"urn:memoryweb:problem:{problem.code}",
        "title": HTTPStatus(problem.status).phrase,
        "status": problem.status,
        "code": problem.code,
        "detail": problem.detail,
    }
    if problem.errors:
        body["errors"] = problem.errors
    response = HttpResponse(
        json.dumps(body | problem.members, ensure_ascii=False),
        status=problem.status,
        content_type=CONTENT_TYPE,
    )
    for name, value in problem.headers.items():
        response[name] = value
    return response


def validation(errors: Sequence[Mapping[str, Any]]) -> Problem:
    """The problem for a request that does not fit its schema; every field is named."""
    found = [{"field": field_name(error["loc"]), "message": _message(error)} for error in errors]
    first = found[0]
    detail = f"{first['field']}: {first['message']}" if first["field"] else first["message"]
    return Problem(400, "invalid", detail, errors=found)


def field_name(location: tuple[str | int, ...]) -> str:
    """`messages[3].role`, as a client would write it."""
    source, *parts = location
    if source == "body" and parts and not isinstance(parts[0], int):
        parts = parts[1:]  # the name of our function's argument
    name = ""
    for part in parts:
        name += f"[{part}]" if isinstance(part, int) else f".{part}" if name else part
    return name


def _message(error: Mapping[str, Any]) -> str:
    if error.get("type") == "extra_forbidden":
        return "Unknown field."
    message = re.sub(r"^Value error, ", "", str(error["msg"]))
    return message if message.endswith((".", "!", "?")) else message + "."


def converted(response: HttpResponseBase) -> HttpResponseBase:
    """Gives the errors that Django itself answers to programs the form of all others."""
    status, headers = response.status_code, response.headers
    if status < 400 or headers.get("Content-Type") in {CONTENT_TYPE, "application/json"}:
        return response
    code, detail = {
        404: ("not_found", "Not found, or you don't have access."),
        405: ("method_not_allowed", "This address doesn't support that method."),
        413: ("too_large", "The request is too large."),
        421: ("misdirected", "This installation doesn't answer under that host name."),
        500: (
            "internal_error",
            "Something went wrong on our side. Nothing was changed; please try again.",
        ),
        503: (
            "unavailable",
            "Changes can't be saved right now. Nothing was changed; try again later.",
        ),
    }.get(status, ("bad_request", "The request couldn't be understood."))
    kept = {name: headers[name] for name in _KEPT_HEADERS if name in headers}
    return respond(Problem(status, code, detail, headers=kept))
