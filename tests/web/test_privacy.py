"""What is kept about people is for nobody else: in files, logs and caches."""

import logging
import os
import re
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.contrib.staticfiles.storage import staticfiles_storage
from django.test import Client
from django.urls import reverse

from memoryweb.core.logs import WithoutAddresses
from tests.web.pages import text, url
from tests.workers import ROOT
from tests.world import World

_USE = """
import os, sqlite3
from memoryweb import settings
held = sqlite3.connect(settings.DATABASES["default"]["NAME"])
held.execute("PRAGMA journal_mode = WAL")
held.execute("CREATE TABLE IF NOT EXISTS one (id)")
held.commit()
for path in [settings.HOME, *sorted(settings.HOME.iterdir())]:
    print(f"{path.stat().st_mode & 0o777:o}", path.name)
"""


def _modes(home: Path) -> dict[str, str]:
    environment = os.environ | {"MEMORYWEB_HOME": str(home), "MEMORYWEB_DATABASE_URL": ""}
    environment.pop("MEMORYWEB_DATABASE_URL")
    said = subprocess.run(
        [sys.executable, "-c", _USE],
        cwd=ROOT, env=environment, check=True, capture_output=True, text=True,
    ).stdout  # fmt: skip
    return {name: mode for mode, name in (line.split() for line in said.splitlines())}


PRIVATE = {
    "home": "700",
    "secret-key": "600",
    "checkpoint-key": "600",
    "ledger-key": "600",
    **{f"memoryweb.sqlite3{end}": "600" for end in ("", "-wal", "-shm")},
}


def test_nobody_else_on_the_machine_reads_the_database(tmp_path: Path) -> None:
    assert _modes(tmp_path / "home") == PRIVATE


def test_what_an_earlier_version_left_open_is_closed(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    left = sqlite3.connect(home / "memoryweb.sqlite3")
    left.execute("PRAGMA journal_mode = WAL")
    left.execute("CREATE TABLE two (id)")
    left.commit()
    for path in home.iterdir():
        path.chmod(0o644)
    home.chmod(0o755)
    assert _modes(home) == PRIVATE
    left.close()


def test_a_folder_that_all_share_stays_so(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    home.chmod(0o1777)
    _modes(home)
    assert home.stat().st_mode & 0o7777 == 0o1777


@pytest.fixture
def log(caplog: pytest.LogCaptureFixture, settings: Any) -> pytest.LogCaptureFixture:
    """What the console is given."""
    assert settings.LOGGING["handlers"]["console"]["filters"] == ["addresses"]
    caplog.handler.addFilter(WithoutAddresses())
    return caplog


def test_the_log_names_no_file_of_a_person(
    world: World, alice: Client, log: pytest.LogCaptureFixture
) -> None:
    with log.at_level(logging.INFO):
        alice.get(url(world.team, "agents_file", world.agent.pk, "people/ann-divorce.md"))
        alice.get("/t/people/ann-divorce/")
        Client().get(f"/api/v1/agents/{world.agent.pk}/workspace/files/people/ann-divorce.md")
        Client(enforce_csrf_checks=True).post(
            url(world.team, "agents_delete", world.agent.pk, "people/ann-divorce.md")
        )
    said = [record.getMessage() for record in log.records]
    assert len([line for line in said if re.match(r"Not Found|Unauthorized|Forbidden", line)]) == 4
    assert not any("ann-divorce" in line for line in said)
    assert any("t/<slug:team>/agents/<uuid:agent_id>/files/<md:path>" in line for line in said)


def test_no_cache_keeps_a_page(world: World, bob: Client) -> None:
    pages = [reverse(name) for name in ("profile", "mfa_index", "account_change_password")]
    pages += ["/nothing/here/", url(world.twin.team, "last_night")]
    kept = {page: bob.get(page).get("Cache-Control", "") for page in pages}
    assert {page for page, said in kept.items() if "no-store" not in said} == set()


def test_without_static_files_the_error_page_still_answers(
    world: World, alice: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(name: str) -> str:
        raise ValueError(f"Missing staticfiles manifest entry for '{name}'")

    monkeypatch.setattr(staticfiles_storage, "url", missing)
    alice.raise_request_exception = False
    answer = alice.get(url(world.team, "last_night"))
    assert answer.status_code == 500
    assert "Something went wrong on our side" in text(answer)
