"""Sign-ins and what belongs to them, told to every team of the person."""

from collections.abc import Callable
from functools import wraps
from typing import Any
from uuid import UUID

from allauth.mfa.models import Authenticator
from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.db import transaction
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import render
from django.utils.translation import gettext as _

from memoryweb.accounts.models import User
from memoryweb.accounts.teams import system_team
from memoryweb.audit import keys
from memoryweb.audit.models import Event
from memoryweb.audit.record import ANONYMOUS, Actor, Entry, record, target


@transaction.atomic
def record_act(user: User, action: str, *, by: Actor | None = None) -> None:
    """An act of a known person, or one done for them."""
    for team_id, role in _teams(user):
        actor = by or Actor("person", id=str(user.pk), role=role)
        record(team_id, Entry(action, actor, **target(user)))


@transaction.atomic
def record_refusal(user: User, reason_code: str) -> None:
    """Somebody could not prove to be this person."""
    refusal = Entry(
        "signin.failed", ANONYMOUS, **target(user), outcome="refused", reason_code=reason_code
    )
    for team_id, _role in _teams(user):
        record(team_id, refusal)


def record_wrong_password(email: str) -> None:
    email = email.strip().lower()
    user = User.objects.filter(email=email).first()
    if user is not None:
        record_refusal(user, "wrong_password")
    else:
        # Keyed, so that two tries of one address can be seen to be that, and nothing else.
        address = keys.first_print_of("memoryweb.unknown-address", email)
        record_unknown("unknown_address", address=address)


def is_known_address(email: str, address: str, shortened: Callable[[str], str]) -> bool:
    """This person signed in there before. `address` is a `shortened` one."""
    user = User.objects.filter(email=email.strip().lower()).first()
    if user is None:
        return False
    known = Event.objects.filter(
        team_id__in=[team_id for team_id, _role in _teams(user)],
        actor_id=str(user.pk),
        action="signin.succeeded",
    )
    return address in map(shortened, known.values_list("ip", flat=True).distinct())


def _teams(user: User) -> list[tuple[UUID, str]]:
    """In one order for everyone, so that two sign-ins cannot lock each other's chains."""
    current = user.memberships.current().order_by("team_id")
    return list(current.values_list("team_id", "role")) or [(system_team().pk, "")]


@transaction.atomic
def record_unknown(code: str, **details: str) -> None:
    """Somebody could not prove to be anybody."""
    refusal = Entry(
        "signin.failed", ANONYMOUS, outcome="refused", reason_code=code, details=details
    )
    record(system_team().pk, refusal)


# A change of how a person signs in, made on allauth's own pages, and its audit event.

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
                record_act(request.user, action)
        return answer

    return changing


def has_password(user: AbstractBaseUser | AnonymousUser) -> bool:
    """Or may have one, where nobody is signed in yet."""
    return user.has_usable_password() if isinstance(user, User) else settings.LOCAL_PASSWORDS


def with_passwords(view: View) -> View:
    """The page of a password, for who has one here."""

    @wraps(view)
    def asked(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if has_password(request.user):
            return view(request, *args, **kwargs)
        refused = _("You have no password here. Sign in with {} instead.").format(
            settings.OIDC_NAME
        )
        return render(request, "account/company_refused.html", {"refused": refused}, status=403)

    return asked


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


def record_wrong_code(sender: object, user: User, **_signal: object) -> None:
    """The second factor has no place in the adapter, only a signal."""
    record_refusal(user, "wrong_code")
