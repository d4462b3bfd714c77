"""Counting SQL statements; transaction control is not counted."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connection
from django.test.utils import CaptureQueriesContext

_CONTROL = ("BEGIN", "COMMIT", "ROLLBACK", "SAVEPOINT", "RELEASE", "PRAGMA")


def statements(queries: CaptureQueriesContext) -> list[str]:
    return without_control([query["sql"] for query in queries.captured_queries])


def without_control(sqls: list[str]) -> list[str]:
    return [sql for sql in sqls if not sql.lstrip().upper().startswith(_CONTROL)]


@contextmanager
def listening() -> Iterator[list[str]]:
    """Statements without their values: to quote these, SQLite would be asked once more for each."""
    told: list[str] = []

    def note(execute: Callable[..., Any], sql: str, *more: Any) -> Any:
        told.append(sql)
        return execute(sql, *more)

    with connection.execute_wrapper(note):
        yield told


def counted(look: Callable[[], object]) -> int:
    """How many it takes."""
    with listening() as told:
        look()
    return len(without_control(told))
