"""`POST /mcp`: an agent's memory for every client that speaks MCP (SPEC §13.2).

Stateless: one request in, one answer out, whatever the era; there are no sessions and no streams.
"""

from typing import Any

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST
from django_scopes import scope

from memoryweb.api import pipeline, request_bodies
from memoryweb.api.auth import authenticate
from memoryweb.api.exceptions import Problem
from memoryweb.api.mcp import messages, methods
from memoryweb.api.mcp.host import Host
from memoryweb.api.mcp.messages import Message, Refused

MOST_BYTES = 8 * 1024 * 1024  # a file of 1 MiB, each of its characters escaped


@csrf_exempt
@login_not_required
@never_cache
@require_POST
def mcp(request: HttpRequest) -> HttpResponse:
    """Errors of HTTP are problem+json as in the API; what JSON-RPC can tell is told by it."""
    try:
        _check(request)
        caller = authenticate(request)
        request.auth = caller  # type: ignore[attr-defined]
        request_bodies.check_size(request, MOST_BYTES)
        with scope(team=caller.team):
            return _answer(request, Host(request, caller))
    except Problem as problem:
        return pipeline.answer(request, problem)


def _check(request: HttpRequest) -> None:
    """A page of another site may not speak through somebody's browser."""
    origin = request.headers.get("Origin")
    trusted = [f"{request.scheme}://{request.get_host()}", *settings.CSRF_TRUSTED_ORIGINS]
    if origin is not None and origin not in trusted:
        raise Problem(403, "foreign_origin", _("Pages of other sites can't call this address."))
    if request.content_type != "application/json":
        raise Problem(415, "unsupported_media_type", _("Send JSON, as application/json."))
    if not request.accepts("application/json"):
        raise Problem(406, "not_acceptable", _("The answer is JSON: accept application/json."))


def _answer(request: HttpRequest, host: Host) -> HttpResponse:
    try:
        message = messages.read(request.body)
    except Refused as refused:
        return _failed(None, refused, 400)
    if message.id is None:
        return HttpResponse(status=202)
    is_modern = messages.is_modern(message, request.headers)
    try:
        if is_modern:
            messages.check(message, request.headers)
        result = methods.call(message, host, is_modern=is_modern)
    except Refused as refused:
        if not is_modern:
            return _failed(message, refused, 200)
        if refused.code == messages.RESOURCE_MISSING:
            refused.code = messages.INVALID_PARAMS
        return _failed(message, refused, _status(refused))
    return _sent({"jsonrpc": "2.0", "id": message.id, "result": result})


def _status(refused: Refused) -> int:
    return 404 if refused.code == messages.METHOD_NOT_FOUND else 400


def _failed(message: Message | None, refused: Refused, status: int) -> HttpResponse:
    error: dict[str, Any] = {"code": refused.code, "message": refused.message}
    if refused.data is not None:
        error["data"] = dict(refused.data)
    name = message.id if message else None
    return _sent({"jsonrpc": "2.0", "id": name, "error": error}, status)


def _sent(body: dict[str, Any], status: int = 200) -> HttpResponse:
    return JsonResponse(body, status=status, json_dumps_params={"ensure_ascii": False})
