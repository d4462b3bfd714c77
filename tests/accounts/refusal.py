"""A database that refuses audit events, for proving that nothing changes without one."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection

_NAME = "refuse_audit_events"


@contextmanager
def refusing_events() -> Iterator[None]:
    """Events cannot be inserted inside: a real trigger of the database sees to it."""
    with connection.cursor() as cursor:
        for statement in _CREATE[connection.vendor]:
            cursor.execute(statement)
    yield
    with connection.cursor() as cursor:
        cursor.execute(_DROP[connection.vendor])


_CREATE = {
    "sqlite": [
        f"CREATE TRIGGER {_NAME} BEFORE INSERT ON audit_event"
        " BEGIN SELECT RAISE(ABORT, 'no events today'); END"
    ],
    "postgresql": [
        f"CREATE OR REPLACE FUNCTION {_NAME}() RETURNS trigger LANGUAGE plpgsql AS $$"
        " BEGIN RAISE EXCEPTION 'no events today'"
        " USING ERRCODE = 'integrity_constraint_violation'; END $$",
        f"CREATE TRIGGER {_NAME} BEFORE INSERT ON audit_event"
        f" FOR EACH STATEMENT EXECUTE FUNCTION {_NAME}()",
    ],
}
_DROP = {
    "sqlite": f"DROP TRIGGER {_NAME}",
    "postgresql": f"DROP TRIGGER {_NAME} ON audit_event",
}
