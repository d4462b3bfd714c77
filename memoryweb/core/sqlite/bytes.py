"""SQLite's log keeps earlier versions of pages until it is emptied into the database."""

from django.db import connection


def truncate_log() -> bool:
    """Whether nothing is left in the log; readers can stand in the way for a moment."""
    if connection.vendor != "sqlite" or connection.in_atomic_block:
        return connection.vendor != "sqlite"
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        (busy, _pages, _moved) = cursor.fetchone()
    return not busy
