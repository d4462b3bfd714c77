"""What every operation passes first: token, size, readable text, the team's scope, idempotency."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django_scopes import scope
from ninja.parser import Parser

from memoryweb.api import bodies, idempotency, problems
from memoryweb.api.auth import Caller, authenticate, record_denial
from memoryweb.api.exceptions import Forbidden, Invalid, NotFound, Problem

Run = Callable[..., HttpResponse]


def gate(run: Run) -> Run:
    @wraps(run)
    def guarded(request: HttpRequest, **path: Any) -> HttpResponse:
        try:
            response = _pass(request, run, path)
        except Problem as problem:
            response = answer(request, problem)
        response["Cache-Control"] = "no-store"
        return response

    return guarded


def answer(request: HttpRequest, problem: Problem) -> HttpResponse:
    caller: Caller | None = getattr(request, "auth", None)
    if isinstance(problem, Forbidden) and caller:
        record_denial(request, caller, problem)
    return problems.respond(problem)


class JSONParser(Parser):
    def parse_body(self, request: HttpRequest) -> dict[str, Any]:
        """The body that the gate has read and checked."""
        return body_of(request)


def body_of(request: HttpRequest) -> dict[str, Any]:
    body: dict[str, Any] = getattr(request, "json_body", {})
    return body


def _pass(request: HttpRequest, run: Run, path: dict[str, Any]) -> HttpResponse:
    caller = authenticate(request)
    request.auth = caller  # type: ignore[attr-defined]
    _check(request, path)
    with scope(team=caller.team):
        return idempotency.once(request, caller, lambda: run(request, **path))


def _check(request: HttpRequest, path: dict[str, Any]) -> None:
    bodies.check_size(request)
    if any("\x00" in str(value) for value in path.values()):
        raise NotFound
    for name, values in request.GET.lists():
        if any("\x00" in text for text in (name, *values)):
            raise Invalid(name.replace("\x00", ""), _("A parameter holds a NUL character."))
    if request.body and not bodies.is_archive(request):
        request.json_body = bodies.read_json(request.body)  # type: ignore[attr-defined]
