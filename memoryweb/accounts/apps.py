from django.apps import AppConfig
from django.db.models.signals import post_migrate


class AccountsConfig(AppConfig):
    name = "memoryweb.accounts"

    def ready(self) -> None:
        # They import models, which Django loads only now.
        from allauth.mfa.signals import authentication_failed  # noqa: PLC0415

        from memoryweb.accounts import signins, teams  # noqa: PLC0415

        authentication_failed.connect(signins.record_wrong_code)
        post_migrate.connect(teams.forget_system_team, sender=self)
