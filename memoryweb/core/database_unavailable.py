"""When the database takes no change: told from a fault of ours, and said in a sentence."""

import errno
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings
from django.db import DatabaseError, connection, transaction
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

RETRY_SECONDS = 30
ROOM_BYTES = 32 * 1024 * 1024  # SQLite's log, and a database that vacuums, want some

FULL = _("The disk is full.")
BUSY = _("The database is busy with another change.")
READ_ONLY = _("The database can be read only.")
SILENT = _("The database does not answer.")
UNWRITABLE = _("The folder MEMORYWEB_HOME cannot be written to.")

_SQLITE = {
    sqlite3.SQLITE_BUSY: BUSY,
    sqlite3.SQLITE_LOCKED: BUSY,
    sqlite3.SQLITE_FULL: FULL,
    sqlite3.SQLITE_READONLY: READ_ONLY,
    sqlite3.SQLITE_IOERR: SILENT,
    sqlite3.SQLITE_CANTOPEN: SILENT,
}
_DISK = {errno.ENOSPC: FULL, errno.EDQUOT: FULL}
# PostgreSQL's codes (its manual, appendix A), the longest that fits; a lost connection has none.
_POSTGRESQL = {
    "25006": READ_ONLY,
    "40": BUSY,
    "53": BUSY,
    "53100": FULL,
    "55P03": BUSY,
    "57P": SILENT,
}


def refusal(error: BaseException | None) -> str | Promise:
    """Why the database, or the disk, cannot do it now; empty when that is not what went wrong."""
    if isinstance(error, OSError):
        is_ours = str(error.filename or "").startswith(str(settings.HOME))
        return _DISK.get(error.errno or 0, UNWRITABLE if is_ours else "")
    if not isinstance(error, DatabaseError):
        return ""
    cause = error.__cause__
    if isinstance(cause, sqlite3.Error):
        return _SQLITE.get(getattr(cause, "sqlite_errorcode", 0) & 0xFF, "")
    state: str | None = getattr(cause, "sqlstate", "")
    if state is None:
        return SILENT
    return next((_POSTGRESQL[state[:n]] for n in (5, 3, 2) if state[:n] in _POSTGRESQL), "")


def write_refusal(table: str) -> str | Promise:
    """The same, found by trying: a change that is not kept, and a look at the disk's room."""
    try:
        with _hurried(), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(f"DELETE FROM {connection.ops.quote_name(table)} WHERE 1 = 0")
    except DatabaseError as error:
        return refusal(error) or SILENT
    return FULL if shutil.disk_usage(_place()).free < ROOM_BYTES else ""


def _place() -> Path:
    if connection.vendor == "sqlite":
        return Path(connection.settings_dict["NAME"]).parent
    return Path(settings.HOME)


@contextmanager
def _hurried() -> Iterator[None]:
    """SQLite waits a second for a lock, not the many that a change of a person's waits."""
    if connection.vendor != "sqlite":
        yield
        return
    patience = connection.settings_dict["OPTIONS"]["timeout"]
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA busy_timeout = 1000")
        try:
            yield
        finally:
            cursor.execute(f"PRAGMA busy_timeout = {patience * 1000}")
