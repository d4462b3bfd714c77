"""What `manage.py check --deploy` says beside Django: docs/operations.md, “Production”."""

from collections.abc import Iterator, Sequence
from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.core import checks

_LOCAL = {"localhost", "127.0.0.1", "[::1]"}
_SHORTEST = 24  # characters of a token that nobody guesses


class CommandsConfig(AppConfig):
    name = "memoryweb.commands"

    def ready(self) -> None:
        checks.register(check_production, checks.Tags.security, deploy=True)


def check_production(app_configs: Sequence[AppConfig] | None, **_more: Any) -> list[checks.Warning]:
    return [
        checks.Warning(said, hint=f"Set {name}.", id=f"memoryweb.{name.removeprefix('MEMORYWEB_')}")
        for name, said in _wrong()
    ]


def _wrong() -> Iterator[tuple[str, str]]:
    is_shared = settings.DATABASES["default"]["ENGINE"] != "memoryweb.core.sqlite"
    if not settings.HTTPS:
        yield "MEMORYWEB_HTTPS", "Cookies and passwords go unprotected over the network."
    elif not settings.TRUSTED_PROXIES:
        yield "MEMORYWEB_TRUSTED_PROXIES", "The audit log has the proxy's address for everybody's."
    if "*" in settings.ALLOWED_HOSTS:
        yield "MEMORYWEB_ALLOWED_HOSTS", "It answers under any host name."
    elif set(settings.ALLOWED_HOSTS) <= _LOCAL:
        yield "MEMORYWEB_ALLOWED_HOSTS", "It answers on this machine alone."
    if is_shared and settings.SHARED == settings.HOME:
        yield "MEMORYWEB_SHARED", "Each host would make keys and checkpoints of its own."
    if not settings.EMAIL_HOST:
        yield "MEMORYWEB_EMAIL_HOST", "Links for forgotten passwords stand in the log."
    if 0 < len(settings.METRICS_TOKEN) < _SHORTEST:
        yield "MEMORYWEB_METRICS_TOKEN", f"It is shorter than {_SHORTEST} characters."
