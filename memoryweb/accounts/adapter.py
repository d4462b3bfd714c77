from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.socialaccount.models import SocialAccount, SocialLogin
from django.db import transaction
from django.http import HttpRequest
from django.utils import translation

from memoryweb.accounts import signins
from memoryweb.accounts.models import User


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
