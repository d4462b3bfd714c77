"""A change of how a person signs in, made on allauth's own pages, and its audit event."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from allauth.mfa.models import Authenticator
from django.db import transaction
from django.http import HttpRequest, HttpResponseBase

from memoryweb.accounts import signins
from memoryweb.accounts.models import User

View = Callable[..., HttpResponseBase]


def recorded(view: View) -> View:
    """Both or neither: the page and the events of what it changed share a transaction.

    By comparing before and after, as allauth tells of a change only when it is committed. Around
    the view, not in a middleware: so what it raises (“prove that it is you”) still reaches
    allauth, and a form that it sends on after that proof is recorded too.
    """

    @wraps(view)
    def changing(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if request.method != "POST" or not isinstance(request.user, User):
            return view(request, *args, **kwargs)
        with transaction.atomic():
            before = _factors(request.user)
            answer = view(request, *args, **kwargs)
            for action in _changes(before, _factors(request.user)):
                signins.record_act(request.user, action)
        return answer

    return changing


def _factors(user: User) -> dict[str, set[int]]:
    found: dict[str, set[int]] = {}
    for kind, key in Authenticator.objects.filter(user=user).values_list("type", "pk"):
        found.setdefault(kind, set()).add(key)
    return found


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
