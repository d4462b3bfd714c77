from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

from memoryweb.audit.request_origin import current, origin_of


class OriginMiddleware:
    """Every event written while this request is answered carries its origin."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        token = current.set(origin_of(request))
        try:
            return self.get_response(request)
        finally:
            current.reset(token)
