"""Two starts never serve one home, nor one port."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from memoryweb import home_lock
from tests.commands.calling import run

AT_WORK = """
import sys
from memoryweb import home_lock
home_lock.share()
print("at work", flush=True)
sys.stdin.read()
"""


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, settings: Any) -> None:
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
