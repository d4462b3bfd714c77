"""A real web server, as `make run` starts it, on a port of its own."""

import os
import shlex
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.waiting import SECONDS, until
from tests.workers import ROOT


@contextmanager
def serving(home: Path, workers: int = 2, /, **environment: str) -> Iterator[int]:
    """Yields its port once it answers. Each worker reads all modules and templates for itself."""
    web = (ROOT / "Procfile").read_text().splitlines()[0].removeprefix("web: exec ")
    port = free_port()
    command = shlex.split(web.replace("$PORT", str(port)))
    command[command.index("--workers") + 1] = str(workers)
    command[0] = str(Path(sys.executable).with_name(command[0]))
    given = os.environ | {"MEMORYWEB_HOME": str(home)} | environment
    with (home / "output").open("wb") as output:
        process = subprocess.Popen(
            command, cwd=ROOT, env=given, stdout=output, stderr=subprocess.STDOUT
        )
    try:
        until(lambda: process.poll() is not None or answers(port))
        assert process.poll() is None, (home / "output").read_text()
        yield port
    finally:
        process.terminate()
        process.wait(SECONDS)


def collect_static(home: Path) -> None:
    """Without, no page can be made."""
    collect = [sys.executable, "manage.py", "collectstatic", "--noinput", "--verbosity=0"]
    subprocess.run(collect, cwd=ROOT, env=os.environ | {"MEMORYWEB_HOME": str(home)}, check=True)


def answers(port: int, path: str = "/healthz") -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=30) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port
