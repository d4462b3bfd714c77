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

from memoryweb.core import database_copies
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


def teams(place: Path, **environment: str) -> str:
    code = "from memoryweb.accounts.models import Team; print(*Team.objects.values_list('name'))"
    return shell(place, f'python manage.py shell -v 0 -c "{code}"', **environment)


def removed(place: Path, team: str, **environment: str) -> None:
    """A token that the backup holds and that was revoked since."""
    shell(place, f"python manage.py revoke_token --team {team} ci", **environment)


def made(place: Path, **environment: str) -> None:
    (place / "passphrase").write_text("correct horse")
    (place / "second").mkdir()
    new_token = (
        "python manage.py create_integration --team before --name Bot\n"
        "python manage.py create_token --team before --integration Bot --name ci"
    )
    shell(place, f"{make_team('Before')}\n{new_token}", **environment)
    shell(place, recipe("backup"), **environment)
    shell(place, make_team("After"), **environment)
    removed(place, "before", **environment)


def is_as_it_was(place: Path, restored: str, **environment: str) -> None:
    assert "All checks passed" in restored
    assert "1 other act since: revoked, removed or switched off again" in restored
    assert ("Before" in (said := teams(place, **environment)), "After" in said) == (True, False)
    verified = shell(place, "python manage.py audit_verify", **environment)
    assert "the chain is whole" in verified
    assert "Declared gap" in verified


@pytest.mark.only_on("sqlite", why="an empty place is another one there")
@pytest.mark.parametrize("lost", ["database", "home"])
def test_a_restored_sqlite_has_what_it_had_and_no_more(place: Path, lost: str) -> None:
    database = place / "var/memoryweb.sqlite3"
    here = {"MEMORYWEB_DATABASE_URL": f"sqlite:///{database}"}
    here["MEMORYWEB_LEDGER_DIR"] = str(place / "second")
    copy_migrated(database)
    with closing(sqlite3.connect(database)) as in_use:
        in_use.execute("SELECT count(*) FROM accounts_team").fetchone()
        made(place, **here)
    if lost == "home":
        shutil.rmtree(place / "var")
    else:
        for path in (place / "var").glob("memoryweb.sqlite3*"):
            path.unlink()
    is_as_it_was(place, shell(place, recipe("restore"), **here), **here)


@pytest.mark.django_db(transaction=True)
@pytest.mark.only_on("postgresql", why="an empty place is another one there")
def test_a_restored_postgresql_has_what_it_had_and_no_more(place: Path) -> None:
    here = {"MEMORYWEB_DATABASE_URL": database_url()}
    here["MEMORYWEB_LEDGER_DIR"] = str(place / "second")
    for name in ("secret-key", "checkpoint-key", "ledger-key"):
        secret = name.upper().replace("-KEY", "_SECRET").replace("SECRET_SECRET", "SECRET_KEY")
        (place / "var" / name).write_text(getattr(settings, secret))
    made(place, **here)
    database_copies.empty()
    connection.close()
    is_as_it_was(place, shell(place, recipe("restore"), **here), **here)


@pytest.mark.only_on("sqlite", why="of the command alone")
def test_a_restore_that_was_cut_short_is_done_again(place: Path) -> None:
    database = place / "var/memoryweb.sqlite3"
    here = {"MEMORYWEB_DATABASE_URL": f"sqlite:///{database}"}
    here["MEMORYWEB_LEDGER_DIR"] = str(place / "second")
    copy_migrated(database)
    made(place, **here)
    (place / "var/restoring").write_text(str(database))
    for command in ("work", "start"):
        with pytest.raises(AssertionError, match="was cut short"):
            shell(place, f"python manage.py {command}", **here)
    is_as_it_was(place, shell(place, recipe("restore"), **here), **here)
    assert not (place / "var/restoring").exists()
    with pytest.raises(AssertionError, match="is not empty"):
        shell(place, recipe("restore"), **here)
