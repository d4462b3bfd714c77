import os
import socket
import sys
from pathlib import Path
from typing import Any, NoReturn

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import DatabaseError, connections

from memoryweb.commands import base
from memoryweb.core import home_lock, upgrade
from memoryweb.core.database_unavailable import refusal as refusal_of


class Command(base.Command):
    help = "Set up the database and start the web server and a worker."

    def act(self, options: dict[str, Any]) -> base.Outcome:
        try:
            home_lock.check()
            port = _port()
            _reserve(port)
            if not home_lock.claim():
                raise CommandError(_already_running())
            self._keep_copy()
            call_command("migrate", interactive=False, verbosity=0, skip_checks=False)
            call_command("createcachetable", verbosity=0)
            call_command("collectstatic", interactive=False, verbosity=0)
            call_command("first_start", stdout=self.stdout)
        except KeyboardInterrupt:
            said = "Stopped. The next start goes on from here."
            raise CommandError(said, returncode=130) from None
        said = f"memoryweb is running at http://127.0.0.1:{port}. Press Ctrl-C to stop it."
        self.stdout.write(said)
        self.stdout.flush()
        _become_processes()

    def _keep_copy(self) -> None:
        """Of a database that this version can upgrade; `migrate` refuses others."""
        try:
            copy = None if upgrade.refusal() else upgrade.keep_copy()
        except DatabaseError as error:
            if not (why := refusal_of(error)):
                raise
            said = (
                f"{why} The database could not be copied before the upgrade: nothing was changed."
            )
            raise CommandError(said) from None
        if copy:
            self.stdout.write(
                f"The database as it was is kept in {copy}. Delete it when all is well: what is"
                " forgotten from now on still stands in it."
            )


def _port() -> int:
    text = os.environ.get("PORT", "8000")
    if text.isdecimal() and 0 < int(text) < 65536:
        return int(text)
    said = f"PORT is “{text}”. Set it to a number from 1 to 65535: PORT=8001 make run"
    raise CommandError(said)


def _reserve(port: int) -> None:
    """Held, but not listened at, until the processes that we become end.

    Web servers share a port with whoever else asks to share it (SO_REUSEPORT), so that two of
    them would each get some of the calls. A socket that doesn't ask is refused by any other.
    """
    try:
        with socket.socket() as alone:
            alone.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            alone.bind(("127.0.0.1", port))
        reserved = socket.socket()
        reserved.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        reserved.bind(("127.0.0.1", port))
    except PermissionError:
        said = f"Port {port} is for the system's own programs."
        raise CommandError(f"{said} Choose another: PORT=8000 make run") from None
    except OSError:
        if home_lock.holders():  # ours, perhaps left over: that is what has to be stopped
            raise CommandError(_already_running()) from None
        said = f"Port {port} is in use by another program."
        raise CommandError(f"{said} Choose another: PORT={port + 1} make run") from None
    os.set_inheritable(reserved.detach(), True)


def _already_running() -> str:
    """Names what runs: who killed a start may have no terminal left in which to stop the rest."""
    said = (
        f"memoryweb is already running on {settings.HOME}. Stop it first, or set"
        " MEMORYWEB_HOME to another folder."
    )
    if holders := home_lock.holders():
        numbers = " ".join(str(pid) for pid in holders)
        said += f"\nIf its terminal is gone, this stops it: kill {numbers}"
    return said


def _become_processes() -> NoReturn:
    connections.close_all()
    here = Path(sys.executable).parent
    # The processes are named as they are in the Procfile, and stand beside our Python.
    os.environ["PATH"] = os.pathsep.join([str(here), os.environ.get("PATH", os.defpath)])
    # Forked from the web server, the worker shares its memory.
    os.environ["MEMORYWEB_WORK_TOO"] = "1"
    honcho = str(here / "honcho")
    os.execv(honcho, [honcho, "start", "--app-root", str(settings.BASE_DIR), "web"])
