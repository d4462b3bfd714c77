"""A whole copy of the database as it is at one moment, while others write; and one put back."""

import os
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

from django.db import connection

# Of a connection, what PostgreSQL's own programs of any version understand.
_WHERE = {"dbname", "host", "port", "sslcert", "sslkey", "sslmode", "sslrootcert", "user"}


class CopyFailed(Exception):
    """Says what PostgreSQL's own program said."""


def dump(path: Path) -> None:
    if connection.vendor != "sqlite":
        _postgresql("pg_dump", "--format=custom", f"--file={path}")
        return
    connection.ensure_connection()
    with closing(sqlite3.connect(path)) as copy:
        connection.connection.backup(copy)


def load(path: Path) -> None:
    """Into an empty one, in one transaction."""
    if connection.vendor != "sqlite":
        only = ("--no-owner", "--exit-on-error", "--single-transaction")
        _postgresql("pg_restore", *only, str(path))
        return
    connection.close()
    with closing(sqlite3.connect(path)) as copy, closing(sqlite3.connect(_file())) as target:
        copy.backup(target)


def place() -> str:
    """Without its password."""
    given = connection.settings_dict
    return " ".join(str(given[name]) for name in ("HOST", "PORT", "NAME") if given.get(name))


def is_empty() -> bool:
    return not connection.introspection.table_names()


def empty() -> None:
    """Only what `load` began may go."""
    if connection.vendor != "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("DROP SCHEMA public CASCADE")
            cursor.execute("CREATE SCHEMA public")
        return
    connection.close()
    for ending in ("", "-wal", "-shm", "-journal"):
        _file().with_name(f"{_file().name}{ending}").unlink(missing_ok=True)


def _file() -> Path:
    return Path(connection.settings_dict["NAME"])


def _postgresql(program: str, *options: str) -> None:
    """The password goes by the environment: whoever lists processes reads arguments."""
    from psycopg.conninfo import make_conninfo  # noqa: PLC0415 - not on SQLite

    connection.ensure_connection()
    info = connection.connection.info
    given = {name: value for name, value in info.get_parameters().items() if name in _WHERE}
    where = f"--dbname={make_conninfo(**given)}"
    command, environment = [program, where, *options], os.environ | {"PGPASSWORD": info.password}
    connection.close()
    try:
        subprocess.run(command, env=environment, capture_output=True, check=True)
    except FileNotFoundError:
        raise CopyFailed(f"{program} is not installed here: it comes with PostgreSQL.") from None
    except subprocess.CalledProcessError as error:
        raise CopyFailed(f"{program}: {error.stderr.decode(errors='replace').strip()}") from None
