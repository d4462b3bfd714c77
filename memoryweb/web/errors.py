"""Error pages. They read nothing, so that a stranger and an unknown address get the same bytes."""

from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    return HttpResponse(render_to_string("400.html"), status=400)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    return HttpResponse(render_to_string("404.html"), status=404)


def server_error(request: HttpRequest) -> HttpResponse:
    return HttpResponse(render_to_string("500.html"), status=500)
