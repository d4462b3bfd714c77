"""Real worker processes on the test database."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote, urlencode

from django.conf import settings
from django.db import connection

from tests.commands.calling import run
from tests.waiting import until

ROOT = Path(__file__).resolve().parent.parent


@dataclass
class Workers:
    """Starts `manage.py` commands; `settings_module` may register more kinds of run."""

    room: Path
    settings_module: str = "memoryweb.settings"
    environment: dict[str, str] = field(default_factory=dict)
    started: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def start(self, *command: str) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            [sys.executable, "manage.py", *command],
            cwd=ROOT,
            env=os.environ
            | {
                "DJANGO_SETTINGS_MODULE": self.settings_module,
                "MEMORYWEB_HOME": str(self.room),
                "MEMORYWEB_DATABASE_URL": database_url(),
                "MEMORYWEB_SECRET_KEY": settings.SECRET_KEY,
                "MEMORYWEB_LEASE_SECONDS": "2",
                "MEMORYWEB_STUCK_SECONDS": "4",
            }
            | self.environment,
            stdout=(self.room / "output").open("ab"),
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        self.started.append(process)
        return process

    def go_on(self) -> None:
        """What a killed one left, worked here: the next worker shares the database alone with it,
        whether or not it takes a second to start."""
        assert run("run_pending", "--until-idle").failure == "", self.output()

    def output(self) -> str:
        return (self.room / "output").read_text()

    def end(self) -> None:
        for process in self.started:
            if process.poll() is None:
                process.terminate()
                with suppress(subprocess.TimeoutExpired):
                    process.wait(10)
            for pid in family(process.pid):
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            process.wait(10)


def family(session: int) -> list[int]:
    """The living processes of a session (zombies have ended)."""
    return [pid for pid, (state, _group, its) in _processes() if its == session and state != "Z"]


def groups(session: int) -> set[int]:
    return {group for _pid, (state, group, its) in _processes() if its == session and state != "Z"}


def database_url() -> str:
    database = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{database['NAME']}"
    user, password, host, port, name = (
        quote(str(database[part]), safe="") for part in ("USER", "PASSWORD", "HOST", "PORT", "NAME")
    )
    options = {name: value for name, value in database["OPTIONS"].items() if isinstance(value, str)}
    place = f"{host}:{port}" if port else host
    return f"postgres://{user}:{password}@{place}/{name}?{urlencode(options)}"


def _processes() -> Iterator[tuple[int, tuple[str, int, int]]]:
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with suppress(OSError):
                after_name = (entry / "stat").read_text().rpartition(")")[2].split()
                yield int(entry.name), (after_name[0], int(after_name[2]), int(after_name[3]))


def gone(session: int) -> bool:
    return until(lambda: not family(session))
