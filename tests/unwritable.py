"""A database that really takes no change for a while: its disk full, locked by another, or read
only. Pages can still be read from each."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager

from django.db import connection

REASONS = {"sqlite": ("full", "locked"), "postgresql": ("read only",)}


@contextmanager
def unwritable(reason: str) -> Iterator[str]:
    """Says how the reason reads."""
    makers = {"full": _full, "locked": _locked, "read only": _read_only}
    with makers[reason]() as sentence:
        yield sentence


@contextmanager
def _full() -> Iterator[str]:
    with connection.cursor() as cursor:
        cursor.execute("VACUUM")  # what earlier tests have left free would be room
        cursor.execute("PRAGMA max_page_count = 1")  # SQLite makes that what it has now
        try:
            yield "The disk is full."
        finally:
            cursor.execute("PRAGMA max_page_count = 1073741823")


@contextmanager
def _locked() -> Iterator[str]:
    with (
        closing(sqlite3.connect(connection.settings_dict["NAME"])) as other,
        connection.cursor() as cursor,
    ):
        cursor.execute("PRAGMA busy_timeout = 0")
        other.execute("BEGIN IMMEDIATE")
        try:
            yield "The database is busy with another change."
        finally:
            other.rollback()
            cursor.execute("PRAGMA busy_timeout = 20000")


@contextmanager
def _read_only() -> Iterator[str]:
    with connection.cursor() as cursor:
        cursor.execute("SET default_transaction_read_only = on")
        try:
            yield "The database can be read only."
        finally:
            cursor.execute("SET default_transaction_read_only = off")
