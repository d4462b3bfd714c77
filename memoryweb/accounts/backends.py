"""Who is signed in, with the teams they are in: nearly every page asks for both."""

from collections.abc import Callable
from datetime import datetime
from functools import partial
from typing import Any
from uuid import UUID

from allauth.account.auth_backends import AuthenticationBackend
from django.conf import settings
from django.contrib.auth import get_user
from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.middleware import AuthenticationMiddleware, LoginRequiredMiddleware
from django.contrib.auth.models import AnonymousUser
from django.contrib.sessions.backends import db
from django.contrib.sessions.models import Session
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponseBase
from django.utils import timezone, translation
from django.utils.functional import SimpleLazyObject

from memoryweb.accounts.company import COMPANY
from memoryweb.accounts.members import current_memberships
from memoryweb.accounts.models import Identity, Membership, User
from memoryweb.core.prepared_queries import PreparedQuery

_BROUGHT = "_brought_memberships"


class PersonBackend(AuthenticationBackend):  # type: ignore[misc]
    def get_user(self, user_id: UUID) -> User | None:
        memberships = current_memberships(user_id, timezone.now())
        if not memberships:
            found: User | None = super().get_user(user_id)
            return found
        user = memberships[0].user
        setattr(user, _BROUGHT, memberships)
        return user if self.user_can_authenticate(user) else None


class SessionStore(db.SessionStore):
    """Django's, with its query prepared."""

    def _get_session_from_db(self) -> Session | None:
        found = next(iter(_session(self.session_key, timezone.now())), None)
        if found is None:
            self._session_key = None
        return found


@PreparedQuery
def _session(key: str, now: datetime) -> QuerySet[Session]:
    return Session.objects.filter(session_key=key, expire_date__gt=now)


def memberships_of(user: User) -> list[Membership]:
    """As they were when this request began, if the person was signed in by then."""
    brought: list[Membership] | None = getattr(user, _BROUGHT, None)
    return current_memberships(user.pk, timezone.now()) if brought is None else brought


def speak(request: HttpRequest, user: User) -> None:
    """The person's own language for the rest of the request, else the browser's."""
    translation.activate(user.language or translation.get_language_from_request(request))
    request.LANGUAGE_CODE = translation.get_language()


class PersonMiddleware(AuthenticationMiddleware):
    """Django's own, but a session that is over is nobody's, also where anybody may come."""

    def process_request(self, request: HttpRequest) -> None:
        request.user = SimpleLazyObject(partial(_person, request))  # type: ignore[assignment]


def _person(request: HttpRequest) -> AbstractBaseUser | AnonymousUser:
    user = get_user(request)
    if isinstance(user, User) and _is_over(request, user):
        request.session.flush()
        return AnonymousUser()
    return user


def _is_over(request: HttpRequest, user: User) -> bool:
    """A password's session lasts while passwords do, the company's while its account is known."""
    until, now = request.session.get(COMPANY), timezone.now()
    if until is None:
        return not (settings.LOCAL_PASSWORDS or user.is_superuser)
    if until > now.timestamp():
        return False
    known = Identity.objects.filter(user=user, valid_until__gt=now).first()
    if known and known.valid_until:
        request.session[COMPANY] = known.valid_until.timestamp()
    return known is None


class SignInMiddleware(LoginRequiredMiddleware):
    """Django's own asks who is signed in before it asks whether the view wants to know.

    The API never does, so that none of its calls loads a session and its person.
    """

    def process_view(
        self,
        request: HttpRequest,
        view_func: Callable[..., HttpResponseBase],
        view_args: tuple[Any, ...],
        view_kwargs: dict[str, Any],
    ) -> HttpResponseBase | None:
        if not getattr(view_func, "login_required", True):
            return None
        answer = super().process_view(request, view_func, view_args, view_kwargs)
        if answer is None and isinstance(request.user, User):
            speak(request, request.user)
        return answer
