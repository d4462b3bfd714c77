"""granian, with the product loaded before its workers are forked, so that they share its memory.

Where `manage.py start` asks for it, `manage.py work` is forked, too. Either ends with the other.
"""

import gc
import os
import runpy
import signal
import sys
import time
from importlib import import_module
from threading import Thread

import django
from django.conf import settings
from django.core.management import execute_from_command_line
from django.db import connections


def _load() -> None:
    """No connection of a database may go through a fork."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memoryweb.settings")
    django.setup()
    import_module(settings.ROOT_URLCONF)
    connections.close_all()
    gc.collect()
    gc.freeze()


def _fork_work() -> int:
    server = os.getpid()
    pid = os.fork()
    if pid == 0:
        Thread(target=_end_after, args=(server,), daemon=True).start()
        execute_from_command_line(["manage.py", "work"])
        sys.exit()
    return pid


def _end_after(server: int) -> None:
    while os.getppid() == server:
        time.sleep(1)
    os.killpg(os.getpgrp(), signal.SIGTERM)  # ours, and what it left of its own


def _end_with(worker: int) -> None:
    os.waitpid(worker, 0)
    os.kill(os.getpid(), signal.SIGTERM)


def _serve() -> None:
    runpy.run_module("granian", run_name="__main__")


def _serve_and_work() -> None:
    worker = _fork_work()
    watching = Thread(target=_end_with, args=(worker,), daemon=True)
    watching.start()
    try:
        _serve()
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)  # its end would interrupt ours
        if watching.is_alive():
            os.kill(worker, signal.SIGTERM)
        watching.join()


if __name__ == "__main__":
    _load()
    if os.environ.pop("MEMORYWEB_WORK_TOO", ""):
        _serve_and_work()
    else:
        _serve()
