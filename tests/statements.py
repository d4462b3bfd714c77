"""Counting SQL statements; transaction control is not counted."""

from collections.abc import Callable
from typing import Any

from django.db import connection
from django.test.utils import CaptureQueriesContext

_CONTROL = ("BEGIN", "COMMIT", "ROLLBACK", "SAVEPOINT", "RELEASE", "PRAGMA")


def statements(queries: CaptureQueriesContext) -> list[str]:
    sqls = [query["sql"] for query in queries.captured_queries]
    return [sql for sql in sqls if not sql.lstrip().upper().startswith(_CONTROL)]


def counted(look: Callable[[], object]) -> int:
    """How many it takes. Nothing is kept of them: to quote the values, SQLite would be asked once
    more for each."""
    told: list[str] = []

    def note(execute: Callable[..., Any], sql: str, *more: Any) -> Any:
        told.append(sql)
        return execute(sql, *more)

    with connection.execute_wrapper(note):
        look()
    return sum(not sql.lstrip().upper().startswith(_CONTROL) for sql in told)
