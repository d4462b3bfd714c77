"""What every operation passes first: token, size, readable text, the team's scope, idempotency."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django_scopes import scope
from ninja.operation import Operation
from ninja.parser import Parser

from memoryweb.api import idempotency, problems, request_bodies
from memoryweb.api.auth import Caller, Right, authenticate, record_denial
from memoryweb.api.exceptions import Forbidden, Invalid, NotFound, Problem

Run = Callable[..., HttpResponse]


@dataclass(frozen=True)
class Takes:
    """What an operation takes. Anything else is a mistake that its sender wants to hear of."""

    right: Right
    parameters: tuple[str, ...]
    body: bool
    has_own_key: bool
    in_parts: bool

    @classmethod
    def of(cls, operation: Operation) -> "Takes":
        sources = {model.__ninja_param_source__: model for model in operation.models}
        query = sources.get("query")
        names = getattr(query, "__ninja_flatten_map__", {})
        by_hand = "requestBody" in (operation.openapi_extra or {})
        view: Any = operation.view_func
        takes_body = by_hand or "body" in sources
        parameters = tuple(sorted(names))
        return cls(view.takes, parameters, takes_body, view.has_own_key, view.in_parts)

    def check(self, request: HttpRequest) -> None:
        for name in request.GET:
            if name not in self.parameters:
                raise Invalid(name, self._told(name))
        if not self.body:
            for name in body_of(request):
                raise Invalid(name, _("This call takes no fields."))

    def _told(self, name: str) -> str:
        if not self.parameters:
            return _("Unknown parameter “{name}”. This call takes none.").format(name=name)
        return _("Unknown parameter “{name}”. This call takes: {list}.").format(
            name=name, list=", ".join(self.parameters)
        )


def gate(run: Run) -> Run:
    takes = Takes.of(run.__self__)  # type: ignore[attr-defined]

    @wraps(run)
    def guarded(request: HttpRequest, **path: Any) -> HttpResponse:
        try:
            response = _pass(request, run, path, takes)
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


def _pass(request: HttpRequest, run: Run, path: dict[str, Any], takes: Takes) -> HttpResponse:
    caller = authenticate(request)
    request.auth = caller  # type: ignore[attr-defined]
    _check(request, path)
    takes.check(request)
    caller.require(takes.right)
    with scope(team=caller.team):
        if takes.has_own_key:
            return run(request, **path)
        done = idempotency.in_parts if takes.in_parts else idempotency.once
        return done(request, caller, lambda: run(request, **path))


def _check(request: HttpRequest, path: dict[str, Any]) -> None:
    request_bodies.check_size(request)
    if any("\x00" in str(value) for value in path.values()):
        raise NotFound
    for name, values in request.GET.lists():
        if any("\x00" in text for text in (name, *values)):
            raise Invalid(
                name.replace("\x00", ""), _("Remove the NUL character from this parameter.")
            )
    if request.body and not request_bodies.is_archive(request):
        request.json_body = request_bodies.read_json(request.body)  # type: ignore[attr-defined]
