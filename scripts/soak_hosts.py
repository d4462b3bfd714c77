"""Hosts and a database that can be killed, for `soak_ops`."""

import os
import random
import shlex
import signal
import subprocess
import sys
import time
from contextlib import ExitStack, suppress
from importlib import import_module
from pathlib import Path
from typing import Any

import psycopg

from scripts.postgres import Cluster

DURABLE = {"synchronous_commit": "on", "full_page_writes": "on"}  # a commit outlives a crash
ROOT = Path(__file__).resolve().parent.parent
EVERY = {
    **{"SETUP_TEAM": "Harbour", "SETUP_ADMIN": "ann@harbour.example", "SETUP_AGENT": "Ada"},
    **{"SETUP_INTEGRATION": "helpdesk", "ADMIN_PASSWORD": "of no value, only here"},
    **{"LEASE_SECONDS": "30", "HEARTBEAT_SECONDS": "5", "STUCK_SECONDS": "20"},
    **{"EXTRACTION_IDLE_SECONDS": "5", "EXTRACTION_COOLDOWN_SECONDS": "5"},
    **{"DREAM_COOLDOWN_SECONDS": "5", "FORGET_REQUEST_SECONDS": "1"},
}


class Host:
    """A web server and a worker, with a home of their own."""

    def __init__(self, room: Path, name: str, url: str) -> None:
        self.home, self.port = room / name, import_module("tests.serving").free_port()
        self.home.mkdir()
        places = {"HOME": name, "SHARED": "shared", "LEDGER_DIR": "second", "STATIC": "static"}
        given = {key: str(room / place) for key, place in places.items()} | EVERY
        given |= {"SETUP_TOKEN_FILE": str(room / "token"), "DATABASE_URL": url}
        self.environment = os.environ | {f"MEMORYWEB_{key}": said for key, said in given.items()}
        commands = (ROOT / "Procfile").read_text().replace("$PORT", str(self.port))
        lines = commands.replace("--workers 2", "--workers 1").splitlines()
        told = (line.partition(": exec python ") for line in lines)
        self.commands = {name: shlex.split(command) for name, _exec, command in told}
        self.processes: dict[str, subprocess.Popen[bytes]] = {}

    def start(self, name: str) -> None:
        command = [sys.executable, *self.commands[name]]
        with (self.home / f"{name}.log").open("ab") as log:
            given: dict[str, Any] = {"stdout": log, "stderr": log, "start_new_session": True}
            made = subprocess.Popen(command, cwd=ROOT, env=self.environment, **given)
        self.processes[name] = made

    def kill(self, name: str) -> None:
        """All of its processes, as when a machine goes away."""
        process = self.processes[name]
        for pid in import_module("tests.workers").family(process.pid):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        process.wait()

    def wait(self) -> None:
        answers = import_module("tests.serving").answers
        import_module("tests.waiting").until(lambda: answers(self.port))

    def manage(self, *command: str, **more: str) -> str:
        run, env = [sys.executable, "manage.py", *command], self.environment | more
        done = subprocess.run(run, cwd=ROOT, env=env, capture_output=True, text=True)
        assert done.returncode == 0, f"{' '.join(command)}: {done.stdout}{done.stderr}"
        return done.stdout

    @property
    def memory(self) -> int:
        """kB that the web server's processes hold."""
        pids = import_module("tests.workers").family(self.processes["web"].pid)
        status = [Path(f"/proc/{pid}/status").read_text() for pid in pids]
        return sum(int(one.partition("VmRSS:")[2].split()[0]) for one in status if "VmRSS:" in one)


class Database:
    """PostgreSQL, which crashes and starts again: in the main thread, as it ends with that."""

    def __init__(self, made: Cluster) -> None:
        self.made, self.down, self.running = made, list[tuple[float, float]](), ExitStack()
        self.url = self.running.enter_context(made.running(**DURABLE))

    def crash(self) -> None:
        began = time.monotonic()
        self.running.close()
        time.sleep(random.uniform(0.5, 4))
        self.running.enter_context(self.made.running(**DURABLE))
        self.down.append((began, time.monotonic()))

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        with psycopg.connect(self.url) as connection:
            return connection.execute(query.encode()).fetchall()
