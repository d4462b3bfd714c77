"""What an app asks before it calls `/mcp` for a person: where to sign in (RFC 9728, 8414), to be
known (RFC 7591), and for tokens (RFC 6749). Errors have the form that these say."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from allauth.core.internal import ratelimit
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from memoryweb.accounts import oauth
from memoryweb.accounts.oauth import Refused, one_of
from memoryweb.api import problems, request_bodies
from memoryweb.api.problems import NotFound, Problem

_MOST_BYTES = 16 * 1024
_KINDS = {
    "authorization_code": (oauth.CODE, "code"),
    "refresh_token": (oauth.REFRESH, "refresh_token"),
}
_BUSY = "temporarily_unavailable"
_GONE = "This is used up, has expired, or was not meant for this app. Ask the person again."

View = Callable[[HttpRequest, str], dict[str, Any]]


def _answers(status: int = 200) -> Callable[[View], Callable[[HttpRequest], HttpResponse]]:
    """JSON, where apps may sign in at all."""

    def decorate(view: View) -> Callable[[HttpRequest], HttpResponse]:
        @never_cache
        @wraps(view)
        def inner(request: HttpRequest) -> HttpResponse:
            try:
                request_bodies.check_size(request, _MOST_BYTES)
                if (site := oauth.site_of(request)) is None:
                    raise NotFound
                return JsonResponse(view(request, site), status=status)
            except Problem as problem:
                return problems.respond(problem)
            except Refused as refused:
                is_busy = _BUSY in refused.args
                return JsonResponse(refused.told, status=429 if is_busy else 400)

        return inner

    return decorate


@require_safe
@_answers()
def resource(request: HttpRequest, site: str) -> dict[str, Any]:
    return {
        "resource": oauth.resource_of(site),
        "resource_name": "memoryweb",
        "authorization_servers": [site],
        "scopes_supported": oauth.WRITES,
        "bearer_methods_supported": ["header"],
    }


def challenge(request: HttpRequest) -> str:
    """Of a 401 at the resource: where an app finds all this."""
    site = oauth.site_of(request)
    more = f', resource_metadata="{site}{reverse("oauth_resource")}"' if site else ""
    return f'Bearer realm="memoryweb"{more}'


@require_safe
@_answers()
def server(request: HttpRequest, site: str) -> dict[str, Any]:
    return {
        "issuer": site,
        "authorization_endpoint": site + reverse("oauth_authorize"),
        "token_endpoint": site + reverse("oauth_token"),
        "registration_endpoint": site + reverse("oauth_register"),
        "scopes_supported": oauth.WRITES,
        "response_types_supported": ["code"],
        "response_modes_supported": ["query"],
        "grant_types_supported": list(_KINDS),
        "token_endpoint_auth_methods_supported": ["none"],
        "code_challenge_methods_supported": ["S256"],
        "authorization_response_iss_parameter_supported": True,
    }


@require_POST
@_answers(status=201)
def register(request: HttpRequest, site: str) -> dict[str, Any]:
    """Whatever else it asks for, an app is a public client that uses codes."""
    limits = {"app": "allauth.idp.oidc", "action": "client_registration"}
    if not ratelimit.consume(request, **limits):
        raise Refused(_BUSY, "Too many apps were registered from here. Try again in an hour.")
    try:
        sent = request_bodies.read_json(request.body)
    except Problem as problem:
        raise Refused("invalid_client_metadata", problem.detail) from None
    client = oauth.register(sent.get("client_name"), sent.get("redirect_uris"))
    return {
        "client_id": client.pk,
        "client_id_issued_at": int(client.created_at.timestamp()),
        "client_name": client.name,
        "redirect_uris": client.get_redirect_uris(),
        "grant_types": list(_KINDS),
        "response_types": ["code"],
        "token_endpoint_auth_method": "none",
        "scope": " ".join(oauth.WRITES),
    }


@require_POST
@_answers()
def token(request: HttpRequest, site: str) -> dict[str, Any]:
    asked = request.POST
    kind, name = _KINDS.get(one_of(asked, "grant_type"), ("", ""))
    if not kind:
        raise Refused("unsupported_grant_type", f"Send a grant_type: {' or '.join(_KINDS)}.")
    resources, mine = asked.getlist("resource"), [oauth.resource_of(site)]
    if resources != mine and (resources or kind == oauth.CODE):
        raise Refused("invalid_target", f"The resource must be {mine[0]}.")
    proof = {key: one_of(asked, key) for key in ("redirect_uri", "code_verifier")}
    issued = oauth.exchange(kind, one_of(asked, name), one_of(asked, "client_id"), proof)
    if issued is None:
        raise Refused("invalid_grant", _GONE)
    granted, access, refresh = issued
    return {
        "access_token": access,
        "token_type": "Bearer",
        "expires_in": int(oauth.ACCESS_KEPT.total_seconds()),
        "refresh_token": refresh,
        "scope": " ".join(granted.scopes),
    }
