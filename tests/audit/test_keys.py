"""A database is served with the keys that it was written with, or not at all."""

import os
import runpy
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as django_settings
from django.db import OperationalError, connection
from django.test import Client
from django.utils import timezone

from memoryweb.audit import checkpoints, keys
from memoryweb.audit.checkpoints import establish
from memoryweb.audit.models import ChainHead, Keys
from memoryweb.audit.record import SYSTEM, Entry, record
from memoryweb.audit.verify import verify
from memoryweb.core.kept_texts import kept_text
from tests.commands.calling import run
from tests.migrated import copy_migrated
from tests.world import World

ROOT = Path(__file__).resolve().parent.parent.parent


@pytest.mark.parametrize(
    ("name", "setting", "said"),
    [
        ("SECRET_KEY", "MEMORYWEB_SECRET_KEY", "erased text could come back"),
        ("CHECKPOINT_SECRET", "MEMORYWEB_CHECKPOINT_SECRET", "signed with another key"),
    ],
)
@pytest.mark.parametrize(
    "command", ["run_pending", "tick", "healthcheck", "first_start", "migrate"]
)
def test_no_command_works_with_another_key(
    world: World, settings: Any, name: str, setting: str, said: str, command: str
) -> None:
    setattr(settings, name, "another")
    refusal = run(command).failure
    assert said in refusal
    assert setting in refusal


def test_a_server_that_the_key_was_changed_under_is_not_ready(world: World, settings: Any) -> None:
    settings.SECRET_KEY = "another"
    answer = Client().get("/readyz")
    assert answer.status_code == 503
    assert "another secret key" in answer.content.decode()


def test_nor_does_it_write(world: World, settings: Any) -> None:
    before = ChainHead.objects.get(team_id=world.team.pk)
    settings.SECRET_KEY = "another"
    with pytest.raises(keys.KeysRefused):
        record(world.team.pk, Entry("file.written", SYSTEM))
    assert ChainHead.objects.get(team_id=world.team.pk).hash == before.hash


@pytest.mark.parametrize("server", ["memoryweb.asgi", "memoryweb.wsgi"])
@pytest.mark.parametrize("name", ["SECRET_KEY", "CHECKPOINT_SECRET"])
def test_no_web_server_starts_with_another_key(
    world: World, settings: Any, server: str, name: str
) -> None:
    setattr(settings, name, "another")
    with pytest.raises(keys.KeysRefused, match=f"Put back the old one: set MEMORYWEB_{name}"):
        runpy.run_module(server)


@pytest.mark.slow
@pytest.mark.parametrize("setting", ["MEMORYWEB_SECRET_KEY", "MEMORYWEB_CHECKPOINT_SECRET"])
@pytest.mark.parametrize("server", ["memoryweb.asgi", "memoryweb.wsgi"])
def test_a_web_server_starts_with_its_own_keys_and_ends_with_anothers(
    tmp_path: Path, server: str, setting: str
) -> None:
    """In a process of its own, with the keys of the environment."""
    copy_migrated(tmp_path / "database")

    def run_python(code: str, **another: str) -> "subprocess.CompletedProcess[str]":
        environment = {
            "DJANGO_SETTINGS_MODULE": "memoryweb.settings",
            "MEMORYWEB_HOME": str(tmp_path),
            "MEMORYWEB_DATABASE_URL": f"sqlite:///{tmp_path}/database",
            "MEMORYWEB_SECRET_KEY": django_settings.SECRET_KEY,
            "MEMORYWEB_CHECKPOINT_SECRET": django_settings.CHECKPOINT_SECRET,
        }
        command = [sys.executable, "-c", code]
        given = os.environ | environment | another
        return subprocess.run(command, cwd=ROOT, env=given, capture_output=True, text=True)

    establishing = "from memoryweb.audit import checkpoints, keys; checkpoints.establish()"
    started = run_python(f"import {server}; {establishing}; keys.check()")
    assert started.returncode == 0, started.stderr
    refused = run_python(f"import {server}", **{setting: "another"})
    assert refused.returncode == 1
    assert f"Put back the old one: set {setting}" in refused.stderr


def test_no_key_stands_in_the_database(world: World, settings: Any) -> None:
    assert Keys.objects.count() == 1
    row = bytes(Keys.objects.get().sealed)
    for secret in (settings.SECRET_KEY, settings.CHECKPOINT_SECRET, keys.public_key()):
        assert secret.encode() not in row


def test_an_upgrade_writes_them_down_and_seals_what_is_there(world: World) -> None:
    checkpoints.sign(world.team.pk, timezone.now())
    Keys.objects.all().delete()
    ChainHead.objects.update(seal=b"", checkpoints=0)
    assert not verify(world.team.pk).ok
    establish()
    assert verify(world.team.pk, stands=True).ok
    assert ChainHead.objects.get(team_id=world.team.pk).checkpoints == 1


def test_who_has_taken_a_seal_away_gets_none_by_migrating(world: World) -> None:
    ChainHead.objects.update(seal=b"")
    establish()
    assert not verify(world.team.pk).ok


def test_a_host_that_keeps_checkpoints_elsewhere_does_not_start(
    world: World, settings: Any, tmp_path: Path
) -> None:
    settings.CHECKPOINTS = tmp_path / "shared"
    keys.check_start()
    keys.check_start()
    settings.CHECKPOINTS = tmp_path / "own"
    with pytest.raises(keys.KeysRefused, match="All hosts share one"):
        keys.check_start()
    assert "All hosts share one" in run("work").failure
    settings.CHECKPOINTS = Path("/proc/none")
    with pytest.raises(keys.KeysRefused, match="All hosts share one"):
        keys.check_start()
    settings.CHECKPOINTS = tmp_path / "own"
    with pytest.raises(keys.KeysRefused):
        runpy.run_module("memoryweb.asgi")
    settings.CHECKPOINTS = tmp_path / "shared"
    keys.check_start()
    Keys.objects.update(folder="")
    settings.CHECKPOINTS = tmp_path / "own"
    keys.check_start()


@pytest.mark.django_db(transaction=True)
def test_a_host_starts_while_somebody_writes_for_long(
    world: World, settings: Any, tmp_path: Path
) -> None:
    def locked(execute: Any, sql: str, *rest: Any) -> Any:
        if sql.startswith("UPDATE"):
            raise OperationalError("database is locked")
        return execute(sql, *rest)

    settings.CHECKPOINTS = tmp_path / "shared"
    Keys.objects.update(folder="")
    with connection.execute_wrapper(locked):
        keys.check_start()
    assert Keys.objects.get().folder == ""
    keys.check_start()
    assert Keys.objects.get().folder != ""


def test_processes_that_start_at_once_see_one_folder(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as threads:
        prints = {*threads.map(lambda _n: kept_text(tmp_path / "shared/folder-print"), range(16))}
    assert len(prints) == 1
    assert len(prints.pop()) == 67
    assert [path.name for path in (tmp_path / "shared").iterdir()] == ["folder-print"]
