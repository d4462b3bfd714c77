"""Error pages. They read nothing, so that a stranger and an unknown address get the same bytes."""

import sys

from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string

from memoryweb import storage


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    return HttpResponse(render_to_string("400.html"), status=400)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    return HttpResponse(render_to_string("404.html"), status=404)


def server_error(request: HttpRequest) -> HttpResponse:
    """Also what the database cannot do just now: no fault of the request, which may come again."""
    if why := storage.refusal(sys.exc_info()[1]):
        response = HttpResponse(render_to_string("503.html", {"why": why}), status=503)
        response["Retry-After"] = str(storage.RETRY_SECONDS)
        return response
    return HttpResponse(render_to_string("500.html"), status=500)
