import os
import socket
import sys
from pathlib import Path
from typing import Any, NoReturn

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connections
from django.utils.translation import gettext as _

from memoryweb import home_lock
from memoryweb.commands import base


class Command(base.Command):
    help = _("Set up the database and start the web server and a worker.")

    def act(self, options: dict[str, Any]) -> base.Outcome:
        port = int(os.environ.get("PORT", "8000"))
        _reserve(port)
        if not home_lock.claim():
            raise CommandError(
                _(
                    "memoryweb is already running on {home}. Stop it first, or set"
                    " MEMORYWEB_HOME to another folder."
                ).format(home=settings.HOME)
            )
        call_command("migrate", interactive=False, verbosity=0, skip_checks=False)
        call_command("createcachetable", verbosity=0)
        call_command("collectstatic", interactive=False, verbosity=0)
        call_command("first_start", stdout=self.stdout)
        said = _("memoryweb is running at {url}. Press Ctrl-C to stop it.").format(
            url=f"http://127.0.0.1:{port}"
        )
        self.stdout.write(said)
        self.stdout.flush()
        _become_processes()


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
    except OSError:
        raise CommandError(
            _("Port {port} is in use by another program. Choose another: PORT={other} make run")
            .format(port=port, other=port + 1)
        ) from None  # fmt: skip
    os.set_inheritable(reserved.detach(), True)


def _become_processes() -> NoReturn:
    connections.close_all()
    here = Path(sys.executable).parent
    # The processes are named as they are in the Procfile, and stand beside our Python.
    os.environ["PATH"] = os.pathsep.join([str(here), os.environ.get("PATH", os.defpath)])
    honcho = str(here / "honcho")
    os.execv(honcho, [honcho, "start", "--app-root", str(settings.BASE_DIR)])
