"""Django's SQLite backend with SQLite's real limit on parameters, and with ids that are read once.

Django assumes 999 (SQLite before 3.32) and splits bulk inserts accordingly, so the number of
statements of a write would grow with its lines. 32 766 is SQLite's own default since 3.32;
most distributions allow 250 000.
"""

import sqlite3
from functools import cached_property, lru_cache
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.backends.sqlite3 import base, features, operations


class DatabaseFeatures(features.DatabaseFeatures):
    @cached_property
    def max_query_params(self) -> int:  # type: ignore[override]
        self.connection.ensure_connection()
        connection: sqlite3.Connection = self.connection.connection
        return connection.getlimit(sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER)


class CursorWrapper(base.SQLiteCursorWrapper):
    """Prepared queries come again and again with the same text."""

    def convert_query(self, query: str, *, param_names: list[str] | None = None) -> str:
        if param_names is None:
            return _converted(query)
        return super().convert_query(query, param_names=param_names)


@lru_cache(maxsize=256)
def _converted(query: str) -> str:
    return base.FORMAT_QMARK_REGEX.sub("?", query).replace("%%", "%")


class DatabaseOperations(operations.DatabaseOperations):
    """Most rows that are read at once have the same keys, each of which takes 2 µs to make."""

    def convert_uuidfield_value(self, value: str | None, *_column: object) -> UUID | None:
        return _key(value) if value else None


_key = lru_cache(maxsize=8192)(UUID)


class DatabaseWrapper(base.DatabaseWrapper):
    features_class = DatabaseFeatures
    ops_class = DatabaseOperations

    def create_cursor(self, name: str | None = None) -> Any:
        return self.connection.cursor(factory=CursorWrapper)


def truncate_log() -> bool:
    """SQLite's log keeps earlier versions of pages until it is emptied into the database. Whether
    nothing is left in it; readers can stand in the way for a moment."""
    if connection.vendor != "sqlite" or connection.in_atomic_block:
        return connection.vendor != "sqlite"
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        (busy, _pages, _moved) = cursor.fetchone()
    return not busy
