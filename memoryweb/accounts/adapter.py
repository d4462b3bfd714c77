from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.core.internal import ratelimit
from allauth.socialaccount.models import SocialAccount, SocialLogin
from django.db import transaction
from django.http import HttpRequest
from django.utils import translation

from memoryweb.accounts import signins
from memoryweb.accounts.models import User
from memoryweb.audit.request_origin import origin_of


class AccountAdapter(DefaultAccountAdapter):
    """Where sign-in touches the audit log: here, so that act and event share a transaction."""

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
        if signins.is_known_address(login, ratelimit.get_ip(request), ratelimit.truncate_ip):
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
        signins.record_act(user, "signin.succeeded")

    @transaction.atomic
    def logout(self, request: HttpRequest) -> None:
        if isinstance(request.user, User):
            signins.record_act(request.user, "signout")
        super().logout(request)

    @transaction.atomic
    def set_password(self, user: User, password: str) -> None:
        super().set_password(user, password)
        signins.record_act(user, "password.changed")

    def authentication_failed(self, request: HttpRequest, **credentials: Any) -> None:
        signins.record_wrong_password(str(credentials.get("email") or ""))


def record_wrong_code(sender: object, user: User, **_signal: object) -> None:
    """The second factor has no place in the adapter, only a signal."""
    signins.record_refusal(user, "wrong_code")


def record_linked(sender: object, sociallogin: SocialLogin, **_signal: object) -> None:
    signins.record_act(sociallogin.user, "signin.linked")


def record_unlinked(sender: object, socialaccount: SocialAccount, **_signal: object) -> None:
    signins.record_act(socialaccount.user, "signin.unlinked")
