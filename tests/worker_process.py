"""What a worker process of a test runs. It is forked from one that has imported this module, since
starting Python and Django anew takes a second and a half."""

import os
from importlib import import_module, reload
from pathlib import Path

import django
from asgiref.local import Local
from django.apps import AppConfig
from django.conf import settings
from django.core.management import execute_from_command_line
from django.db import connections

import memoryweb.settings

django.setup()
for name in ("run_pending", "snapshot", "work"):
    import_module(f"memoryweb.commands.management.commands.{name}")


def work(
    settings_module: str, environment: dict[str, str], output: Path, command: tuple[str, ...]
) -> None:
    """`manage.py command` in this environment, as the leader of a session of its own."""
    os.setsid()
    with output.open("ab") as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
    os.environ.clear()
    os.environ.update(environment, DJANGO_SETTINGS_MODULE=settings_module)
    _configure(settings_module)
    execute_from_command_line(["manage.py", *command])


def _configure(settings_module: str) -> None:
    loaded = set(settings.INSTALLED_APPS)
    reload(memoryweb.settings)  # reads the environment again
    module = import_module(settings_module)
    for name in filter(str.isupper, dir(module)):
        setattr(settings, name, getattr(module, name))
    # None has been opened: they only remember settings.
    vars(connections).update(_connections=Local(connections.thread_critical), _settings=None)
    vars(connections).pop("settings", None)
    for app in settings.INSTALLED_APPS:
        if app not in loaded:
            AppConfig.create(app).ready()
