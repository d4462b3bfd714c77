"""Two starts never serve one home, nor one port."""

import errno
import os
import signal
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from django.db import OperationalError

from memoryweb.commands.management.commands import start
from memoryweb.core import home_lock
from tests.commands.calling import run
from tests.migrated import copy_migrated
from tests.serving import answers
from tests.waiting import until
from tests.workers import ROOT

AT_WORK = """
import sys
from memoryweb.core import home_lock
home_lock.share()
print("at work", flush=True)
sys.stdin.read()
"""

# So that no demo is made.
PREPARE = """
import django
django.setup()
from django.core.management import call_command
call_command("create_team", name="Harbour")
call_command("add_member", team="Harbour", email="ann@harbour.example", role="admin")
"""


@pytest.fixture(autouse=True)
def _home(db: None, tmp_path: Path, settings: Any) -> None:
    settings.HOME = tmp_path


@contextmanager
def at_work(home: Path) -> Iterator["subprocess.Popen[str]"]:
    """Another process that works in this home."""
    environment = {"MEMORYWEB_HOME": str(home), "DJANGO_SETTINGS_MODULE": "memoryweb.settings"}
    process = subprocess.Popen(
        [sys.executable, "-c", AT_WORK],
        env=os.environ | environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with process:
        assert process.stdout
        assert process.stdout.readline() == "at work\n"
        yield process
        process.kill()


@pytest.fixture
def free_port(monkeypatch: pytest.MonkeyPatch) -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = int(server.getsockname()[1])
    monkeypatch.setenv("PORT", str(port))
    return port


def test_a_home_where_somebody_works_is_refused_until_they_are_gone(
    tmp_path: Path, free_port: int
) -> None:
    with at_work(tmp_path) as process:
        refused = run("start").failure
        assert refused.startswith(f"memoryweb is already running on {tmp_path}. Stop it first")
        assert refused.endswith(f"If its terminal is gone, this stops it: kill {process.pid}")
        process.kill()
        process.wait()
        assert home_lock.claim()


def test_several_share_a_home_and_the_last_one_frees_it(tmp_path: Path) -> None:
    with at_work(tmp_path), at_work(tmp_path) as second:
        second.kill()
        second.wait()
        assert not home_lock.claim()


def test_of_two_that_start_one_is_refused(tmp_path: Path) -> None:
    assert home_lock.claim()
    assert not home_lock.claim()


@pytest.mark.parametrize("is_shared", [False, True])
def test_a_port_that_somebody_listens_at_is_refused(
    monkeypatch: pytest.MonkeyPatch, *, is_shared: bool
) -> None:
    with socket.create_server(("127.0.0.1", 0), reuse_port=is_shared) as server:
        port = server.getsockname()[1]
        monkeypatch.setenv("PORT", str(port))
        assert run("start").failure == (
            f"Port {port} is in use by another program. Choose another: PORT={port + 1} make run"
        )
    assert home_lock.claim()


def test_a_port_is_held_before_anybody_listens_at_it(tmp_path: Path, free_port: int) -> None:
    """The demo is made before the server starts: another home must not take the port meanwhile."""
    with at_work(tmp_path):
        assert "is already running" in run("start").failure
    assert "is in use" in run("start").failure


@pytest.mark.parametrize("text", ["abc", "0", "65536", "-1", ""])
def test_a_wrong_port_is_named(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("PORT", text)
    assert run("start").failure == (
        f"PORT is “{text}”. Set it to a number from 1 to 65535: PORT=8001 make run"
    )


@pytest.mark.parametrize("home", ["/proc/1/home", "/proc/self"])
def test_a_home_that_cannot_be_written_to_is_named(home: str) -> None:
    done = subprocess.run(
        [sys.executable, "manage.py", "start"],
        cwd=ROOT,
        env=os.environ | {"MEMORYWEB_HOME": home},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1
    assert done.stderr.startswith(f"memoryweb cannot write to {os.path.realpath(home)[:5]}")
    assert done.stderr.endswith("Set MEMORYWEB_HOME to a folder that it may write to.\n")
    assert "Traceback" not in done.stderr


def test_ctrl_c_while_it_starts_is_no_fault(
    free_port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(start, "call_command", interrupt)
    assert run("start").failure == "Stopped. The next start goes on from here."


@pytest.mark.parametrize(
    "error",
    [
        OSError(errno.ENOSPC, "No space left on device", "x"),
        pytest.param(None, id="in the database"),
    ],
)
def test_a_full_disk_while_it_starts_is_said(
    free_port: int, monkeypatch: pytest.MonkeyPatch, error: OSError | None
) -> None:
    def fail(*_: object, **__: object) -> None:
        if error:
            raise error
        cause = sqlite3.OperationalError()
        cause.sqlite_errorcode = sqlite3.SQLITE_FULL
        raise OperationalError from cause

    monkeypatch.setattr(start, "call_command", fail)
    assert run("start").failure == "The disk is full."


@pytest.mark.slow
@pytest.mark.kill
def test_what_a_killed_start_leaves_is_named_by_the_next_and_can_be_stopped(
    tmp_path: Path, free_port: int
) -> None:
    environment = os.environ | {"MEMORYWEB_HOME": str(tmp_path), "PORT": str(free_port)}
    environment["MEMORYWEB_DATABASE_URL"] = f"sqlite:///{tmp_path / 'memoryweb.sqlite3'}"
    environment["DJANGO_SETTINGS_MODULE"] = "memoryweb.settings"
    copy_migrated(tmp_path / "memoryweb.sqlite3")
    subprocess.run([sys.executable, "-c", PREPARE], cwd=ROOT, env=environment, check=True)
    started = subprocess.Popen(
        [sys.executable, "manage.py", "start"], cwd=ROOT, env=environment, stdout=subprocess.PIPE
    )
    left: list[int] = []
    try:
        until(lambda: answers(free_port) and len(home_lock.holders()) == 1)
        started.kill()
        started.wait()
        left = home_lock.holders()
        assert run("start").failure.endswith(f"kill {left[0]}")
    finally:
        for pid in left or [started.pid]:
            os.kill(pid, signal.SIGTERM)
    until(home_lock.claim)
    assert not answers(free_port)
