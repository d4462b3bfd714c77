"""What an operator sets for the company's sign-in; a wrong value stops the start with its name."""

import runpy
from pathlib import Path
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured
from environs import EnvError

from tests.workers import ROOT

SET = {"ISSUER": "https://login.harbour.example/realm", "CLIENT_ID": "memoryweb"}


@pytest.fixture(autouse=True)
def _home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("MEMORYWEB_HOME", str(tmp_path))


def _read(monkeypatch: pytest.MonkeyPatch, **given: str) -> dict[str, Any]:
    for name, value in given.items():
        at = name if name.startswith("LOCAL") else f"OIDC_{name}"
        monkeypatch.setenv(f"MEMORYWEB_{at}", value)
    return runpy.run_path(str(ROOT / "memoryweb" / "settings.py"))


def test_the_policy_names_the_providers_origin(monkeypatch: pytest.MonkeyPatch) -> None:
    read = _read(monkeypatch, **SET)
    directives = read["CONTENT_SECURITY_POLICY"]["DIRECTIVES"]
    assert directives["form-action"] == ["'self'", "https://login.harbour.example"]
    assert read["OIDC_NAME"] == "login.harbour.example"


def test_without_a_provider_forms_go_nowhere_else(monkeypatch: pytest.MonkeyPatch) -> None:
    read = _read(monkeypatch)
    assert read["CONTENT_SECURITY_POLICY"]["DIRECTIVES"]["form-action"] == ["'self'"]


def test_groups_give_teams_and_roles(monkeypatch: pytest.MonkeyPatch) -> None:
    given = '{"CN=Leads, OU=Harbour": "harbour:admin, pier-2:viewer"}'
    assert _read(monkeypatch, **SET, GROUPS=given)["OIDC_GROUPS"] == {
        "CN=Leads, OU=Harbour": "harbour:admin, pier-2:viewer"
    }


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("MEMORYWEB_OIDC_GROUPS", SET | {"GROUPS": '{"staff": "harbour"}'}),
        ("MEMORYWEB_OIDC_GROUPS", SET | {"GROUPS": '{"staff": "harbour:owner"}'}),
        ("MEMORYWEB_OIDC_GROUPS", SET | {"GROUPS": '{"staff": ["harbour:admin"]}'}),
        ("MEMORYWEB_OIDC_GROUPS", SET | {"GROUPS": '{"staff": "harbour:admin,"}'}),
        ("MEMORYWEB_OIDC_GROUPS", SET | {"GROUPS": '["staff"]'}),
        ("MEMORYWEB_OIDC_GROUPS", SET | {"GROUPS": "staff"}),
        ("MEMORYWEB_OIDC_SECONDS", SET | {"SECONDS": "0"}),
        ("MEMORYWEB_OIDC_CLIENT_ID", {"ISSUER": SET["ISSUER"]}),
        ("MEMORYWEB_OIDC_ISSUER", SET | {"ISSUER": "login.harbour.example"}),
        ("MEMORYWEB_OIDC_ISSUER", {"LOCAL_PASSWORDS": "false"}),
    ],
)
def test_a_wrong_value_stops_the_start_with_its_name(
    monkeypatch: pytest.MonkeyPatch, name: str, given: dict[str, str]
) -> None:
    with pytest.raises((ImproperlyConfigured, EnvError), match=name):
        _read(monkeypatch, **given)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("MEMORYWEB_MODEL_PROVIDER", "other"),
        ("MEMORYWEB_RUNS_KEPT_DAYS", "29"),
        ("MEMORYWEB_SESSIONS_KEPT_DAYS", "0"),
    ],
)
def test_so_does_any_other(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(EnvError, match=name):
        _read(monkeypatch)
