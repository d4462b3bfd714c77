"""An installation of its own for a measurement: migrated, empty, gone afterwards."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

import django
from django.core.management import call_command


@contextmanager
def fresh_installation() -> Iterator[None]:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memoryweb.settings")
    with tempfile.TemporaryDirectory(prefix="memoryweb-bench-") as home:
        os.environ["MEMORYWEB_HOME"] = home
        django.setup()
        call_command("migrate", verbosity=0, interactive=False)
        yield
