"""Real worker processes on the test database."""

import os
import signal
import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, field
from multiprocessing import get_context
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from urllib.parse import quote, urlencode

from django.conf import settings
from django.db import connection
from django.utils import timezone
from django_scopes import scopes_disabled

from memoryweb.runs.models import Run
from tests import worker_process
from tests.commands.calling import run
from tests.waiting import until

ROOT = Path(__file__).resolve().parent.parent
FORKED = get_context("forkserver")
FORKED.set_forkserver_preload(["__main__", worker_process.__name__])


@dataclass
class Workers:
    """Starts `manage.py` commands; `settings_module` may register more kinds of run."""

    room: Path
    settings_module: str = "memoryweb.settings"
    environment: dict[str, str] = field(default_factory=dict)
    started: list[ForkServerProcess] = field(default_factory=list)

    def start(self, *command: str) -> int:
        """Its pid, which is its session's, too."""
        environment = os.environ | {
            "MEMORYWEB_HOME": str(self.room),
            "MEMORYWEB_DATABASE_URL": database_url(),
            "MEMORYWEB_SECRET_KEY": settings.SECRET_KEY,
            "MEMORYWEB_CHECKPOINT_SECRET": settings.CHECKPOINT_SECRET,
            # Longer than any of its transactions takes on a busy machine: only `go_on` ends it.
            "MEMORYWEB_LEASE_SECONDS": "60",
            "MEMORYWEB_STUCK_SECONDS": "4",
            **self.environment,
        }
        given = (self.settings_module, environment, self.room / "output", command)
        process = FORKED.Process(target=worker_process.work, args=given)
        process.start()
        self.started.append(process)
        assert process.pid
        return process.pid

    def exit_code(self, seconds: float) -> int | None:
        """Of the one started last; None while it lives on."""
        self.started[-1].join(seconds)
        return self.started[-1].exitcode

    def go_on(self) -> None:
        """The lease of a killed or frozen one runs out, and what it left is worked here: the next
        worker shares the database alone with it, whether or not it takes a second to start."""
        with scopes_disabled():
            Run.objects.filter(lease_until__isnull=False).update(lease_until=timezone.now())
        assert run("run_pending", "--until-idle").failure == "", self.output()

    def output(self) -> str:
        return (self.room / "output").read_text()

    def end(self) -> None:
        for process in self.started:
            process.terminate()
            process.join(10)
            for pid in family(process.pid or 0):
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            process.join(10)


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


def freeze(pid: int) -> None:
    """Stopped, and not with SQLite's one lock in hand: its heart beats in a thread of its own."""
    until(lambda: _is_frozen(pid))


def _is_frozen(pid: int) -> bool:
    os.kill(pid, signal.SIGSTOP)
    # The call returns earlier than a busy machine has stopped the last thread.
    until(lambda: _states(pid) == {"T"})
    if connection.vendor != "sqlite":
        return True
    with closing(sqlite3.connect(connection.settings_dict["NAME"], timeout=0)) as other:
        try:
            other.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError:
            os.kill(pid, signal.SIGCONT)
            return False
    return True


def _states(pid: int) -> set[str]:
    """Of all its threads."""
    threads = Path(f"/proc/{pid}/task").iterdir()
    return {(one / "stat").read_text().rpartition(")")[2].split()[0] for one in threads}
