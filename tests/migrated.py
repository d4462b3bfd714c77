"""A migrated SQLite database to copy: the migrations take longer than many a room's tests."""

import fcntl
import hashlib
import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

from django.conf import settings

ROOT = Path(__file__).resolve().parent.parent
# To look for garbage among the many states of all models takes a third of it.
MIGRATE = """
import gc
gc.disable()
from django.core.management import execute_from_command_line
execute_from_command_line(["manage.py", "migrate", "--verbosity", "0", "--skip-checks"])
"""


def copy_migrated(to: Path) -> None:
    """Made by whoever needs it first; processes that start beside it wait."""
    folder = settings.HOME / "test-databases"
    folder.mkdir(exist_ok=True)
    migrated = folder / f"{_fingerprint()}.sqlite3"
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not migrated.exists():
            for old in folder.glob("*.sqlite3*"):
                old.unlink()
            _migrate(new := migrated.with_suffix(".sqlite3-new"))
            new.rename(migrated)
        shutil.copyfile(migrated, to)


def _fingerprint() -> str:
    """Of all that may decide what migrations make: our code, and the versions of others'."""
    files = [*sorted((ROOT / "memoryweb").rglob("*.py")), ROOT / "constraints.txt"]
    return hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()[:16]


def _migrate(path: Path) -> None:
    environment = {
        "DJANGO_SETTINGS_MODULE": "memoryweb.settings",
        "MEMORYWEB_DATABASE_URL": f"sqlite:///{path}",
    }
    subprocess.run(
        [sys.executable, "-c", MIGRATE], cwd=ROOT, env=os.environ | environment, check=True
    )
    with closing(sqlite3.connect(path)) as database:
        database.execute("DELETE FROM audit_keys")  # whoever takes a copy has keys of their own
        database.commit()
