"""What `manage.py check --deploy` says beside Django: docs/operations.md, “Production”."""

from collections.abc import Sequence
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
    hosts, token = settings.ALLOWED_HOSTS, settings.METRICS_TOKEN
    is_one_host = settings.DATABASES["default"]["ENGINE"] == "memoryweb.core.sqlite"
    is_behind = settings.HTTPS and not settings.TRUSTED_PROXIES
    is_apart = settings.SHARED == settings.HOME and not is_one_host
    wrong = (
        ("HTTPS", not settings.HTTPS, "Cookies and passwords go unprotected over the network."),
        ("TRUSTED_PROXIES", is_behind, "The audit log has the proxy's address for everybody's."),
        ("ALLOWED_HOSTS", "*" in hosts, "It answers under any host name."),
        ("ALLOWED_HOSTS", set(hosts) <= _LOCAL, "It answers on this machine alone."),
        ("SHARED", is_apart, "Each host would make keys and checkpoints of its own."),
        ("EMAIL_HOST", not settings.EMAIL_HOST, "Links for forgotten passwords stand in the log."),
        ("METRICS_TOKEN", 0 < len(token) < _SHORTEST, f"It has less than {_SHORTEST} characters."),
    )
    return [
        checks.Warning(said, hint=f"Set MEMORYWEB_{name}.", id=f"memoryweb.{name}")
        for name, is_wrong, said in wrong
        if is_wrong
    ]
