"""The pages of sign-in that allauth brings, one by one: what a new version adds stays shut.

Not among them: managing e-mail addresses (each person has one, see `addresses`), sign-in by code.
"""

from allauth.account import views as account
from allauth.mfa.base import views as factors
from allauth.mfa.recovery_codes import views as codes
from allauth.mfa.totp import views as totp
from django.urls import path, re_path

from memoryweb.accounts.signins import recorded, with_passwords

_KEY = r"^password/reset/key/(?P<uidb36>[0-9A-Za-z]+)-(?P<key>.+)/$"

urlpatterns = [
    path("login/", account.login, name="account_login"),
    path("logout/", account.logout, name="account_logout"),
    path("inactive/", account.account_inactive, name="account_inactive"),
    path("signup/", account.signup, name="account_signup"),  # says that nobody signs up
    path("reauthenticate/", account.reauthenticate, name="account_reauthenticate"),
    path(
        "password/change/", with_passwords(account.password_change), name="account_change_password"
    ),
    path("password/reset/", with_passwords(account.password_reset), name="account_reset_password"),
    path("password/reset/done/", account.password_reset_done, name="account_reset_password_done"),
    re_path(
        _KEY,
        with_passwords(account.password_reset_from_key),
        name="account_reset_password_from_key",
    ),
    path(
        "password/reset/key/done/",
        account.password_reset_from_key_done,
        name="account_reset_password_from_key_done",
    ),
    path("2fa/", factors.index, name="mfa_index"),
    path("2fa/authenticate/", factors.authenticate, name="mfa_authenticate"),
    path("2fa/reauthenticate/", factors.reauthenticate, name="mfa_reauthenticate"),
    path("2fa/totp/activate/", recorded(totp.activate_totp), name="mfa_activate_totp"),
    path("2fa/totp/deactivate/", recorded(totp.deactivate_totp), name="mfa_deactivate_totp"),
    path("2fa/recovery-codes/", codes.view_recovery_codes, name="mfa_view_recovery_codes"),
    path(
        "2fa/recovery-codes/generate/",
        recorded(codes.generate_recovery_codes),
        name="mfa_generate_recovery_codes",
    ),
    path(
        "2fa/recovery-codes/download/",
        codes.download_recovery_codes,
        name="mfa_download_recovery_codes",
    ),
]
