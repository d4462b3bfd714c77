"""Error pages. A stranger gets the same for every address; who is signed in keeps the way back."""

import sys

from django.core.exceptions import DisallowedHost
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string

from memoryweb.core import database_unavailable
from memoryweb.web.rail import Rail

_BARE = "<!doctype html><title>Server error</title><h1>Something went wrong on our side</h1>"


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    if isinstance(exception, DisallowedHost) and request.path_info == "/mcp":
        return HttpResponse(status=421)  # as MCP wants it
    return HttpResponse(render_to_string("400.html"), status=400)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    return render(request, "404.html", {"rail": Rail(request, page="")}, status=404)


def server_error(request: HttpRequest) -> HttpResponse:
    """Also what the database cannot do just now: no fault of the request, which may come again."""
    why = database_unavailable.refusal(sys.exc_info()[1])
    status = 503 if why else 500
    try:
        page: str = render_to_string(f"{status}.html", {"why": why})
    except Exception:  # what is broken may be the pages themselves: no static files collected
        page = _BARE
    response = HttpResponse(page, status=status)
    if why:
        response["Retry-After"] = str(database_unavailable.RETRY_SECONDS)
    return response
