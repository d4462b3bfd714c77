"""What every fragment needs: its messages, its redirects, and caches told apart."""

import time
from collections.abc import Callable

from django.conf import settings
from django.contrib.messages import get_messages
from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.middleware.gzip import GZipMiddleware
from django.shortcuts import resolve_url
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.cache import patch_vary_headers
from django.utils.crypto import constant_time_compare
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from django_htmx.http import HttpResponseLocation

from memoryweb.core import upgrade
from memoryweb.runs import counting, healthcheck
from memoryweb.web import figures


class FragmentMiddleware:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if not response.get("Content-Type", "").startswith("text/html"):
            return response
        if getattr(request, "htmx", None):
            response = _for_htmx(request, response)
        patch_vary_headers(response, ("HX-Request", "HX-Target"))
        response.headers.setdefault("Cache-Control", "private, no-store")
        return response


def _for_htmx(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """A redirect becomes HX-Location; messages come along out of band.

    Whoever is signed out meanwhile stays on the page with what was written there, and is told.
    """
    if response.status_code in {301, 302, 303, 307, 308}:
        if response["Location"].startswith(resolve_url(settings.LOGIN_URL)):
            return HttpResponse(status=401)
        located = HttpResponseLocation(response["Location"])
        located.cookies.update(response.cookies)
        return located
    is_page = b"<html" in response.content[:200]
    messages = get_messages(request)
    if not is_page and len(messages):
        response.write(
            render_to_string(
                "_includes/_messages.html", {"messages": messages, "oob": True}, request
            )
        )
    return response


class CompressMiddleware(GZipMiddleware):
    """Pages only: archives are compressed already, and the API's answers are short.

    Django pads each by a random length, which hides how well a secret in the page and what an
    attacker put beside it are compressed together (BREACH).
    """

    def process_response(
        self, request: HttpRequest, response: HttpResponseBase
    ) -> HttpResponseBase:
        if not response.get("Content-Type", "").startswith("text/html"):
            return response
        return super().process_response(request, response)


class SignOutMiddleware:
    """Who signs out takes along what the browser kept: drafts of texts above all."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        match = request.resolver_match
        if match and match.url_name == "account_logout" and request.method == "POST":
            response["Clear-Site-Data"] = '"storage"'
        return response


# Addresses for whoever keeps the installation running. They tell nothing about anyone.


@require_safe
@never_cache
def healthz(request: HttpRequest) -> JsonResponse:
    """This process answers."""
    return JsonResponse({"status": "ok"})


@require_safe
@never_cache
def readyz(request: HttpRequest) -> JsonResponse:
    """The database answers and protects the audit events, and a worker ticks."""
    try:
        health = healthcheck.check(timezone.now())
    except DatabaseError:
        problems = [upgrade.refusal() or _("The database does not answer.")]
        return JsonResponse({"status": "unavailable", "problems": problems}, status=503)
    if not health.is_ready:
        return JsonResponse({"status": "unavailable", "problems": health.problems}, status=503)
    return JsonResponse({"status": "ok", "problems": health.problems})


@require_safe
@never_cache
def metrics(request: HttpRequest) -> HttpResponse:
    """For Prometheus. Its token is no team's: nothing in it is of one."""
    if not settings.METRICS_TOKEN:
        return HttpResponse(status=404)
    given = request.headers.get("Authorization", "").removeprefix("Bearer ")
    if not constant_time_compare(given, settings.METRICS_TOKEN):
        return HttpResponse(status=401, headers={"WWW-Authenticate": "Bearer"})
    return HttpResponse(figures.text(timezone.now()), content_type=figures.CONTENT_TYPE)


class HealthMiddleware:
    """Stands first. A probe asks by the process's own address and without TLS: neither the list
    of allowed hosts nor the redirect to HTTPS is meant for it."""

    PROBES = {"/healthz": healthz, "/readyz": readyz, "/metrics": metrics}

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if probe := self.PROBES.get(request.path_info):
            return probe(request)
        began = time.perf_counter()
        response = self.get_response(request)
        seconds = time.perf_counter() - began
        is_call, match = request.path_info.startswith(settings.PROGRAMS), request.resolver_match
        route = match.route if match and is_call else ""
        counting.served(request.method or "", route, response.status_code, seconds)
        return response
