"""What every operation passes first: token, size, readable text, the team's scope, idempotency."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any

from django.conf import settings
from django.core.handlers.base import BaseHandler
from django.core.handlers.exception import convert_exception_to_response
from django.db import models, transaction
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.middleware.clickjacking import XFrameOptionsMiddleware
from django.middleware.common import CommonMiddleware
from django.middleware.security import SecurityMiddleware
from django.utils import timezone, translation
from django_scopes import scope
from ninja.operation import Operation
from ninja.parser import Parser

from memoryweb.api import problems, quotas, request_bodies, request_log
from memoryweb.api.auth import Caller, Right, authenticate, record_denial
from memoryweb.api.models import KEPT, Idempotency
from memoryweb.api.problems import Forbidden, Invalid, NotFound, Problem
from memoryweb.audit.record import OriginMiddleware, lock

Respond = Callable[[HttpRequest], HttpResponseBase]
_POLICY = "default-src 'none'; frame-ancestors 'none'"


class _Views(BaseHandler):
    """What calls the view of an address; views of programs need nothing done around them."""

    _view_middleware = _template_response_middleware = _exception_middleware = ()


class ProgramMiddleware:
    """Programs' calls pass by what pages need: sessions, forms, messages, languages. They are
    answered in English, which is what their authors test against."""

    def __init__(self, get_response: Respond) -> None:
        self._pages = get_response
        views: Any = _Views()
        called: Any = convert_exception_to_response(views._get_response)
        for middleware in (OriginMiddleware, CommonMiddleware):
            called = convert_exception_to_response(middleware(called))
        self._called: Respond = called
        self._programs: Any = SecurityMiddleware(XFrameOptionsMiddleware(self._answer))

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        path = request.path_info
        is_page = path == "/api/v1/docs" or not path.startswith(settings.PROGRAMS)
        response: HttpResponseBase = (self._pages if is_page else self._programs)(request)
        return response

    def _answer(self, request: HttpRequest) -> HttpResponseBase:
        translation.activate(settings.LANGUAGE_CODE)
        response = problems.converted(self._called(request))
        response.headers["Content-Security-Policy"] = _POLICY
        caller: Caller | None = getattr(request, "auth", None)
        if settings.API_LOG and isinstance(caller, Caller):
            request_log.note(request, response, caller)
        return response


# `Idempotency-Key`: a POST that is sent twice is done once and answered twice (SPEC §13).


def once(request: HttpRequest, caller: Caller, answer: Callable[[], HttpResponse]) -> HttpResponse:
    """Answer, or repeat the answer that this token got for this key and body.

    The change and its answer are one transaction: whoever ends in between has done neither and
    leaves nothing, and who asks meanwhile waits for it. Only successes are kept: a refused request
    changed nothing and may be sent again.
    """
    if (row := _row(request, caller)) is None:
        return answer()
    with transaction.atomic():
        # As in every unit the team's lock comes first, so that two writers can't deadlock.
        lock(caller.team.pk)
        if earlier := _earlier(row):
            return _stored(earlier)
        response = answer()
        # A secret that is shown once is kept nowhere; asked again, a new one is made.
        if not getattr(request, "keeps_no_answer", False):
            _keep(row, response)
    return response


def in_parts(
    request: HttpRequest, caller: Caller, answer: Callable[[], HttpResponse]
) -> HttpResponse:
    """`once`, for what is done in many transactions, so that whoever else writes needn't wait for
    all of them, and is the same done twice: who ends in between does the rest when asked again."""
    if (row := _row(request, caller)) is None:
        return answer()
    if earlier := _earlier(row):
        return _stored(earlier)
    response = answer()
    with transaction.atomic():
        lock(caller.team.pk)
        if earlier := _earlier(row):
            return _stored(earlier)
        _keep(row, response)
    return response


def _row(request: HttpRequest, caller: Caller) -> Idempotency | None:
    """Raises Invalid."""
    if (key := key_of(request)) is None:
        return None
    fingerprint = _fingerprint(request, caller)
    return Idempotency(team=caller.team, token=caller.token, key=key, fingerprint=fingerprint)


def _keep(row: Idempotency, response: HttpResponse) -> None:
    if response.status_code < 300:
        row.status, row.body = response.status_code, response.content.decode()
        row.save(force_insert=True)


def key_of(request: HttpRequest) -> str | None:
    """Raises Invalid."""
    key = request.headers.get("Idempotency-Key")
    if key is None or request.method != "POST":
        return None
    if not (1 <= len(key) <= 255 and key.isascii() and key.isprintable()):
        raise Invalid("Idempotency-Key", "Use 1 to 255 printable ASCII characters.")
    return key


def _fingerprint(request: HttpRequest, caller: Caller) -> str:
    """Includes the rights: an answer is not repeated to who would no longer be given it."""
    limits = caller.integration.agents + caller.integration.channels if caller.integration else []
    rights = f"{caller.role} {sorted(caller.scopes)} {sorted(limits)}"
    digest = hashlib.sha256()
    for part in (request.get_full_path().encode(), rights.encode(), request.body):
        digest.update(hashlib.sha256(part).digest())
    return digest.hexdigest()


def _earlier(row: Idempotency) -> Idempotency | None:
    """What was answered within a day. A row without an answer is of a version that claimed keys."""
    rows = row.token.idempotency.filter(key=row.key)
    rows.filter(models.Q(created_at__lt=timezone.now() - KEPT) | models.Q(status=0)).delete()
    earlier = rows.first()
    if earlier and earlier.fingerprint != row.fingerprint:
        raise Problem(
            409,
            "idempotency_conflict",
            "This key was already used for a different request. Use a new key.",
        )
    return earlier


def _stored(row: Idempotency) -> HttpResponse:
    response = HttpResponse(
        row.body, status=row.status, content_type="application/json; charset=utf-8"
    )
    response["Idempotency-Replayed"] = "true"
    return response


Run = Callable[..., HttpResponse]


@dataclass(frozen=True)
class Takes:
    """What an operation takes. Anything else is a mistake that its sender wants to hear of."""

    right: Right
    parameters: tuple[str, ...]
    body: bool
    has_own_key: bool
    in_parts: bool
    name: str

    @classmethod
    def of(cls, operation: Operation) -> "Takes":
        sources = {model.__ninja_param_source__: model for model in operation.models}
        query = sources.get("query")
        names = getattr(query, "__ninja_flatten_map__", {})
        by_hand = "requestBody" in (operation.openapi_extra or {})
        view: Any = operation.view_func
        takes_body = by_hand or "body" in sources
        parameters = tuple(sorted(names))
        how = view.has_own_key, view.in_parts, view.__name__
        return cls(view.takes, parameters, takes_body, *how)

    def check(self, request: HttpRequest) -> None:
        for name in request.GET:
            if name not in self.parameters:
                raise Invalid(name, self._unknown_name(name))
        if not self.body:
            for name in body_of(request):
                raise Invalid(name, "This call takes no fields.")

    def _unknown_name(self, name: str) -> str:
        if not self.parameters:
            return f"Unknown parameter “{name}”. This call takes none."
        return f"Unknown parameter “{name}”. This call takes: {', '.join(self.parameters)}."


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
        if problem := quotas.refusal(caller, takes.name):
            if hear := quotas.hears.get(takes.name):
                hear(request, **path)
            raise problem
        if takes.has_own_key:
            return run(request, **path)
        done = in_parts if takes.in_parts else once
        return done(request, caller, lambda: run(request, **path))


def _check(request: HttpRequest, path: dict[str, Any]) -> None:
    request_bodies.check_size(request)
    if any("\x00" in str(value) for value in path.values()):
        raise NotFound
    for name, values in request.GET.lists():
        if any("\x00" in text for text in (name, *values)):
            raise Invalid(name.replace("\x00", ""), "Remove the NUL character from this parameter.")
    if request.body and not request_bodies.is_archive(request):
        request.json_body = request_bodies.read_json(request.body)  # type: ignore[attr-defined]
