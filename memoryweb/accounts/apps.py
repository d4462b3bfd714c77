from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "memoryweb.accounts"
    label = "accounts"

    def ready(self) -> None:
        # All import models, which Django loads only now.
        from allauth.account import signals as addresses  # noqa: PLC0415
        from allauth.mfa import signals as factors  # noqa: PLC0415

        from memoryweb.accounts import adapter  # noqa: PLC0415

        factors.authentication_failed.connect(adapter.record_wrong_code)
        factors.authenticator_added.connect(adapter.record_factor_added)
        factors.authenticator_removed.connect(adapter.record_factor_removed)
        factors.authenticator_reset.connect(adapter.record_codes_renewed)
        for changed in (addresses.email_added, addresses.email_changed, addresses.email_removed):
            changed.connect(adapter.record_addresses_changed)
