"""Error pages. They read nothing, so that a stranger and an unknown address get the same bytes."""

import logging
import sys

from django.core.exceptions import DisallowedHost
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string

from memoryweb.core import database_unavailable

_BARE = "<!doctype html><title>Server error</title><h1>Something went wrong on our side</h1>"


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    if isinstance(exception, DisallowedHost) and request.path_info == "/mcp":
        return HttpResponse(status=421)  # as MCP wants it
    return HttpResponse(render_to_string("400.html"), status=400)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    return HttpResponse(render_to_string("404.html"), status=404)


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


class WithoutAddresses(logging.Filter):
    """For the log: the pattern of the address (`t/<slug:team>/…`) instead of the address itself,
    which holds the names of people's files."""

    def filter(self, record: logging.LogRecord) -> bool:
        request = getattr(record, "request", None)
        if isinstance(request, HttpRequest) and isinstance(record.args, tuple):
            match = request.resolver_match
            where = f"/{match.route}" if match else "an unknown address"
            record.args = tuple(where if arg == request.path else arg for arg in record.args)
        return True
