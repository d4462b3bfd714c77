"""What docs/operations.md says about backups, carried out to the letter."""

import os
import re
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection

from tests.migrated import copy_migrated
from tests.workers import ROOT, database_url

pytestmark = pytest.mark.slow  # a process a command


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """An installation's folder, whose home is `var`."""
    (tmp_path / "manage.py").symlink_to(ROOT / "manage.py")
    (tmp_path / "var").mkdir()
    return tmp_path


def shell(place: Path, script: str, **environment: str) -> str:
    here = {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    home = {"MEMORYWEB_HOME": str(place / "var")}
    done = subprocess.run(
        ["sh", "-eux", "-c", script],
        cwd=place,
        env=os.environ | here | home | environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def recipe(name: str) -> str:
    text = (ROOT / "docs/operations.md").read_text(encoding="utf-8")
    found = re.search(rf"<!-- {name} -->\n```\n(.*?)```", text, re.DOTALL)
    assert found, name
    return found[1]


def make_team(name: str) -> str:
    return f"python manage.py create_team --name {name}"


SIGN = """python manage.py shell -c "
from django.utils import timezone
from memoryweb.audit import checkpoints
checkpoints.sign_moved(timezone.now())"
"""


def teams(place: Path, **environment: str) -> str:
    code = "from memoryweb.accounts.models import Team; print(*Team.objects.values_list('name'))"
    return shell(place, f'python manage.py shell -v 0 -c "{code}"', **environment)


@pytest.mark.only_on("sqlite", why="the recipe is SQLite's")
def test_a_restored_sqlite_has_what_it_had_when_it_was_copied(place: Path) -> None:
    database = place / "var/memoryweb.sqlite3"
    here = {"MEMORYWEB_DATABASE_URL": f"sqlite:///{database}"}
    copy_migrated(database)
    with closing(sqlite3.connect(database)) as in_use:
        in_use.execute("SELECT count(*) FROM accounts_team").fetchone()
        shell(place, f"{make_team('Before')}\n{SIGN}", **here)
        shell(place, recipe("backup: sqlite"), **here)
        shell(place, make_team("After"), **here)
        # As a machine that lost its power leaves it.
        shutil.copytree(place / "var", place / "crashed")
    shutil.rmtree(place / "var")
    (place / "crashed").rename(place / "var")
    assert (place / "var/memoryweb.sqlite3-wal").stat().st_size
    shell(place, recipe("restore: sqlite"), **here)
    assert ("Before" in (said := teams(place, **here)), "After" in said) == (True, False)
    assert "the chain is whole" in shell(place, recipe("after a restore"), **here)


@pytest.mark.django_db(transaction=True)
@pytest.mark.only_on("postgresql", why="the recipe is PostgreSQL's")
def test_a_restored_postgresql_has_what_it_had_when_it_was_copied(place: Path) -> None:
    here = {"MEMORYWEB_DATABASE_URL": database_url()}
    (place / "var/secret-key").write_text(settings.SECRET_KEY)
    (place / "var/checkpoint-key").write_text(settings.CHECKPOINT_SECRET)
    shell(place, f"{make_team('Before')}\n{SIGN}", **here)
    shell(place, recipe("backup: postgresql"), **here)
    shell(place, make_team("After"), **here)
    connection.close()
    shell(place, recipe("restore: postgresql"), **here)
    assert ("Before" in (said := teams(place, **here)), "After" in said) == (True, False)
    shell(place, recipe("after a restore"), **here)
