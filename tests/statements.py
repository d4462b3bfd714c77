"""Counting SQL statements; transaction control is not counted."""

from django.test.utils import CaptureQueriesContext

_CONTROL = ("BEGIN", "COMMIT", "ROLLBACK", "SAVEPOINT", "RELEASE", "PRAGMA")


def statements(queries: CaptureQueriesContext) -> list[str]:
    sqls = [query["sql"] for query in queries.captured_queries]
    return [sql for sql in sqls if not sql.lstrip().upper().startswith(_CONTROL)]
