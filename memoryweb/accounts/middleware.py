from collections.abc import Callable
from typing import Any

from django.db import transaction
from django.http import HttpRequest, HttpResponse

# allauth's pages that change how a person signs in. Not the sign-in itself: checking a password
# takes long, and SQLite would keep every other writer waiting for it.
_CHANGING = ("mfa_", "account_email")


class AtomicAccountMiddleware:
    """A change made on allauth's own pages and its audit event share a transaction."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(
        self, request: HttpRequest, view: Callable[..., HttpResponse], args: Any, kwargs: Any
    ) -> HttpResponse | None:
        match = request.resolver_match
        name = (match.url_name if match else "") or ""
        if request.method == "POST" and name.startswith(_CHANGING):
            return transaction.atomic(view)(request, *args, **kwargs)
        return None
