"""`/mem0/…`: the REST of mem0, platform and self-hosted, so that its clients work as they are."""

import re
from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods
from django_scopes import scope

from memoryweb.api import pipeline, request_bodies
from memoryweb.api.auth import Right, caller_of
from memoryweb.api.domain_errors import REFUSALS, problem_of
from memoryweb.api.exceptions import NotFound, Problem
from memoryweb.api.mem0 import memories
from memoryweb.api.mem0.memories import Asked

Act = Callable[[Asked], Any]

READ, WRITE = Right.READ, Right.WRITE_OWN
_ONE = r"(?:v1/)?memories/(?P<id>[^/]+)"
# Method, address, what it takes, what answers. Both shapes of an address lead to the same.
ROUTES: tuple[tuple[str, str, Right, Act], ...] = (
    ("GET", "v1/ping", READ, memories.ping),
    ("POST", "(?:v3/memories/add|memories)", WRITE, memories.add),
    ("POST", "(?:v3/memories/)?search", READ, memories.search),
    ("POST", "v3/memories", READ, memories.pages),
    ("GET", "memories", READ, memories.listed),
    ("DELETE", "(?:v1/)?memories", WRITE, memories.delete_all),
    ("GET", _ONE + "/history", READ, memories.history),
    ("GET", _ONE, READ, memories.get),
    ("PUT", _ONE, WRITE, memories.update),
    ("DELETE", _ONE, WRITE, memories.delete),
    ("PUT", "v1/batch", WRITE, memories.update_many),
    ("DELETE", "v1/batch", WRITE, memories.delete_many),
    ("GET", "v1/entities", READ, memories.entities),
    ("GET", "v1/event/(?P<id>[^/]+)", READ, memories.event),
)


@csrf_exempt
@login_not_required
@never_cache
@require_http_methods(["GET", "POST", "PUT", "DELETE"])
def mem0(request: HttpRequest, rest: str, agent_id: UUID | None = None) -> HttpResponse:
    try:
        caller = caller_of(_secret(request))
        request.auth = caller  # type: ignore[attr-defined]
        takes, act, found = _routed(request.method or "", rest.rstrip("/"))
        caller.require(takes)
        request_bodies.check_size(request)
        body = request_bodies.read_json(request.body) if request.body else {}
        with scope(team=caller.team):
            agent = caller.agent_or_only(str(agent_id) if agent_id else None)
            if agent is None:
                detail = _("Choose an agent: put its id into the address, /mem0/<id>/….")
                raise Problem(400, "agent_required", detail)
            query = {name: request.GET[name] for name in request.GET}
            try:
                return JsonResponse(act(Asked(caller, agent, body, query, found)), safe=False)
            except REFUSALS as refused:
                return pipeline.answer(request, problem_of(caller, refused))
    except Problem as problem:
        return pipeline.answer(request, problem)


def _secret(request: HttpRequest) -> str:
    """`Token` of the platform's client, `X-API-Key` or `Bearer` of the others."""
    scheme, _space, secret = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() in {"token", "bearer"}:
        return secret
    return request.headers.get("X-API-Key", "")


def _routed(method: str, path: str) -> tuple[Right, Act, str]:
    others = False
    for its_method, form, takes, act in ROUTES:
        if found := re.fullmatch(form, path):
            if its_method == method:
                return takes, act, found.groupdict().get("id", "")
            others = True
    if others:
        raise Problem(405, "method_not_allowed", _("This address doesn't support that method."))
    raise NotFound
