"""`check --deploy` names the setting that is missing in production."""

from ipaddress import ip_network
from pathlib import Path
from typing import Any

import pytest
from django.core import checks

from memoryweb.commands.apps import check_production

GOOD: dict[str, Any] = {
    "HTTPS": True,
    "TRUSTED_PROXIES": [ip_network("10.0.0.0/8")],
    "ALLOWED_HOSTS": ["memory.example"],
    "EMAIL_HOST": "mail.example",
    "METRICS_TOKEN": "x" * 24,
}


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("HTTPS", False),
        ("TRUSTED_PROXIES", []),
        ("ALLOWED_HOSTS", ["localhost"]),
        ("ALLOWED_HOSTS", ["memory.example", "*"]),
        ("EMAIL_HOST", ""),
        ("METRICS_TOKEN", "short"),
    ],
)
def test_each_is_named_by_its_variable(
    settings: Any, monkeypatch: pytest.MonkeyPatch, name: str, wrong: object
) -> None:
    for key, value in GOOD.items():
        setattr(settings, key, value)
    monkeypatch.setitem(settings.DATABASES["default"], "ENGINE", "memoryweb.core.sqlite")
    assert check_production(None) == []
    setattr(settings, name, wrong)
    assert [one.hint for one in check_production(None)] == [f"Set MEMORYWEB_{name}."]


def test_hosts_of_one_database_share_a_folder(
    settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for key, value in GOOD.items():
        setattr(settings, key, value)
    monkeypatch.setitem(settings.DATABASES["default"], "ENGINE", "django.db.backends.postgresql")
    settings.SHARED = settings.HOME
    assert [one.hint for one in check_production(None)] == ["Set MEMORYWEB_SHARED."]
    settings.SHARED = Path("/shared")
    assert check_production(None) == []


def test_it_is_asked_at_deployment_alone() -> None:
    assert not [one for one in checks.run_checks() if str(one.id).startswith("memoryweb.")]
    found = checks.run_checks(include_deployment_checks=True)
    assert {one.id for one in found if one.id} >= {"memoryweb.HTTPS"}
