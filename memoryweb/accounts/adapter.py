"""Where allauth's sign-in touches the rest."""

from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.core.internal import ratelimit
from django.db import transaction
from django.http import HttpRequest
from django.utils import translation
from django.utils.translation import gettext_lazy

from memoryweb.accounts import company
from memoryweb.accounts.models import User
from memoryweb.accounts.signins import is_known_address, record_act, record_wrong_password
from memoryweb.audit.record import origin_of


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]
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

    def login(self, request: HttpRequest, user: User) -> None:
        """After the second factor, and so is what the company's account gives."""
        more = company.renew_kept(request.session, user)
        with transaction.atomic():
            super().login(request, user)
            record_act(user, "signin.succeeded")
        request.session.update(more)

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
