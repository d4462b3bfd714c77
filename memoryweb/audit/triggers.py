"""Append-only in the database itself: triggers refuse to change or remove an audit event.

They yield only while the one row of `audit_maintenance` allows it (retention, tests). SQLite
drops a table's triggers when Django rebuilds the table, so they are made again after every
`migrate`, and a system check fails without them.
"""

import logging
from collections.abc import Sequence
from typing import Any

from django.core.checks import CheckMessage, Error
from django.db import DEFAULT_DB_ALIAS, connections, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.utils import CursorWrapper

logger = logging.getLogger(__name__)
_OPEN = "EXISTS (SELECT 1 FROM audit_maintenance WHERE allowed)"
_REFUSAL = "Audit events are append-only."

# INSERT OR REPLACE removes the row in its way without firing DELETE triggers.
_SQLITE = {
    "audit_event_no_update": f"BEFORE UPDATE ON audit_event WHEN NOT {_OPEN}",
    "audit_event_no_delete": f"BEFORE DELETE ON audit_event WHEN NOT {_OPEN}",
    "audit_event_no_replace": (
        f"BEFORE INSERT ON audit_event WHEN NOT {_OPEN} AND EXISTS (SELECT 1 FROM audit_event"
        " WHERE id = NEW.id OR (team_id = NEW.team_id AND seq = NEW.seq))"
    ),
}
_POSTGRESQL = "audit_event_append_only"
# A class-23 code, so that both databases raise Django's IntegrityError.
_POSTGRESQL_FUNCTION = f"""
CREATE OR REPLACE FUNCTION {_POSTGRESQL}() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT {_OPEN} THEN
        RAISE EXCEPTION '{_REFUSAL}' USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NULL;
END $$
"""


def create_triggers(using: str = DEFAULT_DB_ALIAS, **_signal: object) -> None:
    """Receiver of `post_migrate`; replaces what is there."""
    connection = connections[using]
    if "audit_event" not in connection.introspection.table_names():
        return
    with transaction.atomic(using), connection.cursor() as cursor:
        _warn(cursor, missing(using))
        drop_triggers(using)
        for statement in _creation(connection):
            cursor.execute(statement)


def drop_triggers(using: str = DEFAULT_DB_ALIAS) -> None:
    connection = connections[using]
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            for name in _SQLITE:
                cursor.execute(f"DROP TRIGGER IF EXISTS {name}")
        else:
            cursor.execute(f"DROP TRIGGER IF EXISTS {_POSTGRESQL} ON audit_event")


def _creation(connection: BaseDatabaseWrapper) -> list[str]:
    if connection.vendor == "sqlite":
        return [
            f"CREATE TRIGGER {name} {when} BEGIN SELECT RAISE(ABORT, '{_REFUSAL}'); END"
            for name, when in _SQLITE.items()
        ]
    return [
        _POSTGRESQL_FUNCTION,
        f"CREATE TRIGGER {_POSTGRESQL} BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_event"
        f" FOR EACH STATEMENT EXECUTE FUNCTION {_POSTGRESQL}()",
    ]


def check_triggers(databases: Sequence[str] | None = None, **_options: Any) -> list[CheckMessage]:
    return [
        Error(
            f"The database does not protect audit events: the trigger {name} is missing.",
            hint="Run “manage.py migrate”; it creates the triggers again.",
            id="audit.E001",
        )
        for using in databases or ()
        for name in missing(using)
    ]


def missing(using: str = DEFAULT_DB_ALIAS) -> list[str]:
    """The triggers that are not there, or on SQLite not as they were made."""
    connection = connections[using]
    if connection.vendor == "sqlite":
        wanted = dict(zip(_SQLITE, _creation(connection), strict=True))
        query = "SELECT name, sql FROM sqlite_master WHERE tbl_name = 'audit_event'"
    else:
        wanted = {_POSTGRESQL: "on"}
        query = (
            "SELECT 'audit_event', 'on' WHERE to_regclass('audit_event') IS NOT NULL UNION ALL "
            "SELECT tgname, 'on' FROM pg_trigger"
            " WHERE tgrelid = to_regclass('audit_event') AND tgenabled IN ('O', 'A')"
        )
    with connection.cursor() as cursor:
        cursor.execute(query)
        found = dict(cursor.fetchall())
    there = wanted if "audit_event" in found else ()
    return [name for name in sorted(there) if found.get(name) != wanted[name]]


def _warn(cursor: CursorWrapper, gone: Sequence[str]) -> None:
    """Events that stood unprotected are no matter to pass over in silence."""
    cursor.execute("SELECT 1 FROM audit_event LIMIT 1")
    if gone and cursor.fetchone():
        logger.warning("Audit events could be changed: their triggers were missing, and are back.")
