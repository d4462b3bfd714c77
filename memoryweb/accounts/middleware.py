from collections.abc import Callable
from typing import Any

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from django.db import transaction
from django.http import HttpRequest, HttpResponse

from memoryweb.accounts import signins
from memoryweb.accounts.models import User

# allauth's pages that change how a person signs in. Not the sign-in itself: checking a password
# takes long, and SQLite would keep every other writer waiting for it.
_CHANGING = ("mfa_", "account_email")
View = Callable[..., HttpResponse]


class SignInMeansMiddleware:
    """A change made on allauth's own pages and its audit event share a transaction.

    By comparing before and after: allauth tells of such a change only when it is committed.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(
        self, request: HttpRequest, view: View, args: Any, kwargs: Any
    ) -> HttpResponse | None:
        match = request.resolver_match
        name = (match.url_name if match else "") or ""
        if request.method != "POST" or not name.startswith(_CHANGING):
            return None
        if not isinstance(request.user, User):
            return None
        return _recorded(request, view, args, kwargs)


@transaction.atomic
def _recorded(request: HttpRequest, view: View, args: Any, kwargs: Any) -> HttpResponse:
    assert isinstance(request.user, User)
    user = User.objects.get(pk=request.user.pk)
    factors, addresses = _factors(user), _addresses(user)
    answer = view(request, *args, **kwargs)
    for action in _changes(factors, _factors(user)):
        signins.record_act(user, action)
    if _addresses(user) != addresses:
        signins.record_act(user, "email.changed")
    return answer


def _factors(user: User) -> dict[str, set[int]]:
    found: dict[str, set[int]] = {}
    for kind, key in Authenticator.objects.filter(user=user).values_list("type", "pk"):
        found.setdefault(kind, set()).add(key)
    return found


def _addresses(user: User) -> set[tuple[str, bool]]:
    return set(EmailAddress.objects.filter(user=user).values_list("email", "primary"))


def _changes(before: dict[str, set[int]], after: dict[str, set[int]]) -> list[str]:
    found = []
    for kind in sorted(before.keys() | after.keys()):
        old, new = before.get(kind, set()), after.get(kind, set())
        if old and new and old != new and kind == Authenticator.Type.RECOVERY_CODES:
            found.append("factor.renewed")
        elif new - old:
            found.append("factor.added")
        elif old - new:
            found.append("factor.removed")
    return found
