"""A provider as companies run one, in a process of its own: allauth's.

    python -m tests.browser.real_provider FOLDER PORT REDIRECT_URI

Nora signs in there with her address and password.
"""

import sys
from pathlib import Path
from socketserver import ThreadingMixIn
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

import django
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from django.conf import settings
from django.core.management import call_command
from django.core.wsgi import get_wsgi_application

EMAIL, PASSWORD = "nora@example.org", "another plain test password"
CLIENT_ID, CLIENT_SECRET = "memoryweb", "a secret of the client"


def _configure(folder: Path) -> None:
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
    settings.configure(
        SECRET_KEY="of the provider",
        ALLOWED_HOSTS=["127.0.0.1"],
        ROOT_URLCONF="tests.browser.real_provider_urls",
        SESSION_COOKIE_NAME="provider_session",
        CSRF_COOKIE_NAME="provider_csrf",
        INSTALLED_APPS=[
            "django.contrib.auth",
            "django.contrib.contenttypes",
            "django.contrib.sessions",
            "django.contrib.messages",
            "allauth",
            "allauth.account",
            "allauth.idp.oidc",
        ],
        MIDDLEWARE=[
            "django.contrib.sessions.middleware.SessionMiddleware",
            "django.middleware.csrf.CsrfViewMiddleware",
            "django.contrib.auth.middleware.AuthenticationMiddleware",
            "django.contrib.messages.middleware.MessageMiddleware",
            "allauth.account.middleware.AccountMiddleware",
        ],
        TEMPLATES=[
            {
                "BACKEND": "django.template.backends.django.DjangoTemplates",
                "APP_DIRS": True,
                "OPTIONS": {"context_processors": ["django.template.context_processors.request"]},
            }
        ],
        DATABASES={
            "default": {"ENGINE": "django.db.backends.sqlite3", "NAME": folder / "provider.sqlite3"}
        },
        AUTHENTICATION_BACKENDS=["allauth.account.auth_backends.AuthenticationBackend"],
        PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"],
        ACCOUNT_LOGIN_METHODS={"email"},
        ACCOUNT_EMAIL_VERIFICATION="none",
        EMAIL_BACKEND="django.core.mail.backends.dummy.EmailBackend",
        IDP_OIDC_PRIVATE_KEY=pem,
        IDP_OIDC_ADAPTER="tests.browser.real_provider_urls.WithGroups",
        USE_TZ=True,
    )
    django.setup()


def _furnish(redirect_uri: str) -> None:
    from allauth.account.models import EmailAddress  # noqa: PLC0415  settings come first
    from allauth.idp.oidc.models import Client  # noqa: PLC0415
    from django.contrib.auth.models import User  # noqa: PLC0415

    call_command("migrate", verbosity=0)
    nora = User.objects.create_user("nora", EMAIL, PASSWORD, first_name="Nora", last_name="North")
    EmailAddress.objects.create(user=nora, email=EMAIL, verified=True, primary=True)
    client = Client(id=CLIENT_ID, name="memoryweb", redirect_uris=redirect_uri, skip_consent=True)
    client.scopes = "openid\nprofile\nemail"
    client.grant_types = "authorization_code\nrefresh_token"
    client.set_secret(CLIENT_SECRET)
    client.save()


class _Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True


class _Quiet(WSGIRequestHandler):
    def log_message(self, *_args: Any) -> None:
        pass


if __name__ == "__main__":
    _configure(Path(sys.argv[1]))
    _furnish(sys.argv[3])
    app = get_wsgi_application()
    make_server("127.0.0.1", int(sys.argv[2]), app, _Server, _Quiet).serve_forever()
