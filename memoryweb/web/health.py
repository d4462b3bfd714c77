"""Two addresses for whoever keeps the installation running. They tell nothing about anyone."""

from collections.abc import Callable

from django.db import DatabaseError
from django.http import HttpRequest, HttpResponseBase, JsonResponse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from memoryweb.core import upgrade
from memoryweb.runs import healthcheck


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


class HealthMiddleware:
    """Stands first. A probe asks by the process's own address and without TLS: neither the list
    of allowed hosts nor the redirect to HTTPS is meant for it."""

    PROBES = {"/healthz": healthz, "/readyz": readyz}

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self.PROBES.get(request.path_info, self.get_response)(request)
