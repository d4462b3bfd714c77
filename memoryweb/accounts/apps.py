from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "memoryweb.accounts"
    label = "accounts"

    def ready(self) -> None:
        # Both import models, which Django loads only now.
        from allauth.mfa.signals import authentication_failed  # noqa: PLC0415

        from memoryweb.accounts.adapter import record_wrong_code  # noqa: PLC0415

        authentication_failed.connect(record_wrong_code)
