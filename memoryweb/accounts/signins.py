"""Sign-ins and what belongs to them, told to every team of the person."""

from collections.abc import Callable
from functools import wraps
from typing import Any
from uuid import UUID

from allauth.account.adapter import DefaultAccountAdapter
from allauth.core.internal import ratelimit
from allauth.mfa.models import Authenticator
from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.db import transaction
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import render
from django.utils import translation
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from memoryweb.accounts.models import User
from memoryweb.accounts.teams import system_team
from memoryweb.audit import keys
from memoryweb.audit.models import Event
from memoryweb.audit.record import ANONYMOUS, Actor, Entry, origin_of, record, target


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


class AccountAdapter(DefaultAccountAdapter):
    """Where sign-in touches the audit log: here, so that act and event share a transaction."""

    error_messages = DefaultAccountAdapter.error_messages | {
        "email_password_mismatch": gettext_lazy("The e-mail address or the password is wrong."),
        "enter_current_password": gettext_lazy("This is not your password."),
        "incorrect_password": gettext_lazy("This is not your password."),
        "too_many_login_attempts": gettext_lazy("Too many attempts. Try again in some minutes."),
        "rate_limited": gettext_lazy("Too many attempts. Try again in some minutes."),
    }

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """People join by being added to a team, never by themselves."""
        return False

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """In the language of whoever reads it, which is not always who asked for it."""
        reader = User.objects.filter(email=email.lower()).first()
        with translation.override((reader and reader.language) or translation.get_language()):
            super().send_mail(template_prefix, email, context)

    def get_client_ip(self, request: HttpRequest) -> str:
        """Not the proxy's, which all clients behind it share."""
        return origin_of(request).ip or str(super().get_client_ip(request))

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        """Beside the limits of this address, that of the account over all addresses, against an
        attack from many. It doesn't hold where its person signed in before: nobody else's guesses
        keep them out there."""
        super().pre_authenticate(request, **credentials)
        login = str(credentials.get("email") or "").lower()
        if is_known_address(login, ratelimit.get_ip(request), ratelimit.truncate_ip):
            return
        wider = {"app": "allauth.account", "action": "login_failed_anywhere"}
        usage = ratelimit.consume(request, key=login, **wider)
        if not usage:
            raise self.validation_error("too_many_login_attempts")
        # Given back with the others where the password is right.
        self._login_failed_rl_usage.usage += usage.usage

    def _get_login_attempts_cache_key(self, request: HttpRequest, **credentials: Any) -> str:
        """An account's wrong passwords count at the address that they came from."""
        key = super()._get_login_attempts_cache_key(request, **credentials)
        return f"{key}:{ratelimit.get_ip(request)}"

    @transaction.atomic
    def login(self, request: HttpRequest, user: User) -> None:
        super().login(request, user)
        record_act(user, "signin.succeeded")

    @transaction.atomic
    def logout(self, request: HttpRequest) -> None:
        if isinstance(request.user, User):
            record_act(request.user, "signout")
        super().logout(request)

    @transaction.atomic
    def set_password(self, user: User, password: str) -> None:
        super().set_password(user, password)
        record_act(user, "password.changed")

    def send_password_reset_mail(self, user: User, email: str, context: dict[str, Any]) -> None:
        """Not for whom the company's account alone proves: who is given the address after them
        would be them."""
        if user.has_usable_password() or not hasattr(user, "identity"):
            super().send_password_reset_mail(user, email, context)

    def authentication_failed(self, request: HttpRequest, **credentials: Any) -> None:
        record_wrong_password(str(credentials.get("email") or ""))


def record_wrong_code(sender: object, user: User, **_signal: object) -> None:
    """The second factor has no place in the adapter, only a signal."""
    record_refusal(user, "wrong_code")
