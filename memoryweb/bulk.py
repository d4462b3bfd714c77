"""Many rows of one table in one statement, without an object a row: a long text has thousands.

Values travel as one JSON parameter, so no limit on parameters splits a statement, whatever the
number of rows; what is written behind the models' backs here has no signals and no cascades.
"""

import json
from collections.abc import Iterable, Sequence
from typing import Any
from uuid import UUID

from django.db import connections, models, router
from django.db.backends.base.base import BaseDatabaseWrapper

# Which the database takes from JSON as they are.
_PLAIN = (str, int, float, bool, type(None))
# A key may come as text, which SQLite would keep as it is written.
_KEYS = (models.ForeignKey, models.UUIDField)
_IDS = (int, type(None))


def insert(pattern: models.Model, names: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Rows like `pattern` but for the columns `names`: of each those values (of keys the raw
    ones, as in `file_id`)."""
    model = type(pattern)
    connection, table = _table(model)
    fields = [field for field in model._meta.concrete_fields if not field.primary_key]
    by_name = {field.attname: field for field in fields}
    varying = {name: by_name[name] for name in names}
    same = [field for field in fields if field.attname not in varying]
    data = _json(connection, list(varying.values()), rows)
    if data == "[]":
        return
    quote = connection.ops.quote_name
    columns = ", ".join(quote(str(field.column)) for field in [*same, *varying.values()])
    constants = [_constant(connection, field) for field in same]
    values = [_value(connection, at, field) for at, field in enumerate(varying.values())]
    _execute(
        connection,
        f"INSERT INTO {table} ({columns})"
        f" SELECT {', '.join([*constants, *values])} FROM {_source(connection)}",
        [*(_prepared(connection, field, getattr(pattern, field.attname)) for field in same), data],
    )


def remove(model: type[models.Model], file_id: UUID, spans: Sequence[tuple[int, int]]) -> None:
    """A file's rows of the lines from … to …, both included; ascending."""
    if not spans:
        return
    connection, table = _table(model)
    key = _key(connection, model, file_id)
    if connection.vendor == "sqlite":
        _execute(
            connection,
            f"DELETE FROM {table} WHERE id IN (SELECT t.id FROM {_spans(table, 0)})",
            [json.dumps(spans), key],
        )
        return
    firsts, inside = _thresholds(spans)
    _execute(
        connection,
        f"DELETE FROM {table} WHERE file_id = %s AND line BETWEEN %s AND %s AND {_STRETCH} = 1",
        [key, spans[0][0], spans[-1][1], inside[0], firsts],
    )


def shift(
    model: type[models.Model],
    file_id: UUID,
    columns: Sequence[str],
    shifts: Sequence[tuple[int, ...]],
) -> None:
    """Add to columns of a file's rows: of the lines from … to …, to each column so much.

    Ascending; all spans speak of the lines before any of it.
    """
    if not shifts:
        return
    connection, table = _table(model)
    key = _key(connection, model, file_id)
    if connection.vendor == "sqlite":
        chosen = ", ".join(["t.id", *(f"v.c{at}" for at in range(2, 2 + len(columns)))])
        grown = (f"{name} = {table}.{name} + w.c{at}" for at, name in enumerate(columns, start=2))
        _execute(
            connection,
            # Materialised: SQLite would look at every row of the table for each span.
            f"WITH w AS MATERIALIZED (SELECT {chosen} FROM {_spans(table, len(columns))})"
            f" UPDATE {table} SET {', '.join(grown)} FROM w WHERE {table}.id = w.id",
            [json.dumps(shifts), key],
        )
        return
    firsts, (inside, *by) = _thresholds(shifts)
    changes = ", ".join(f"{name} = {name} + {_STRETCH}" for name in columns)
    _execute(
        connection,
        f"UPDATE {table} SET {changes}"
        f" WHERE file_id = %s AND line BETWEEN %s AND %s AND {_STRETCH} = 1",
        [
            *(param for amounts in by for param in (amounts, firsts)),
            *(key, shifts[0][0], shifts[-1][1], inside, firsts),
        ],
    )


# A binary search in sorted arrays: a join with spans goes wrong where the planner thinks few.
_STRETCH = "(CAST(%s AS bigint[]))[width_bucket(line, CAST(%s AS integer[]))]"


def _thresholds(spans: Sequence[tuple[int, ...]]) -> tuple[list[int], list[list[int]]]:
    """The lines with which stretches begin, within spans and between them; for each of them
    whether it is within, and the amounts of its span."""
    firsts = [line for first, last, *_by in spans for line in (first, last + 1)]
    inside = [1, 0] * len(spans)
    by = [[amount for one in column for amount in (one, 0)] for column in zip(*spans, strict=True)]
    return firsts, [inside, *by[2:]]


def _spans(table: str, amounts: int) -> str:
    """On SQLite a file's rows `t` of the lines of the spans `v`, which are looked up one by one."""
    columns = [f"json_extract(value, '$[{at}]') AS c{at}" for at in range(2 + amounts)]
    return (
        f"(SELECT {', '.join(columns)} FROM json_each(%s)) AS v CROSS JOIN {table} AS t"
        " WHERE t.file_id = %s AND t.line BETWEEN v.c0 AND v.c1"
    )


def _table(model: type[models.Model]) -> tuple[BaseDatabaseWrapper, str]:
    connection = connections[router.db_for_write(model)]
    return connection, connection.ops.quote_name(model._meta.db_table)


def _execute(connection: BaseDatabaseWrapper, sql: str, params: Sequence[Any]) -> None:
    with connection.cursor() as cursor:
        cursor.execute(sql, params)


def _source(connection: BaseDatabaseWrapper) -> str:
    """The elements of the JSON parameter as rows; each row's is called `value`."""
    if connection.vendor == "sqlite":
        return "json_each(%s)"
    return "jsonb_array_elements(CAST(%s AS jsonb)) AS given (value)"


def _constant(connection: BaseDatabaseWrapper, field: Any) -> str:
    # SQLite would make a number of a date.
    sqlite = connection.vendor == "sqlite"
    return "%s" if sqlite else f"CAST(%s AS {_type(connection, field)})"


def _value(connection: BaseDatabaseWrapper, at: int, field: Any) -> str:
    if connection.vendor == "sqlite":
        return f"json_extract(value, '$[{at}]')"
    return f"CAST(value ->> {at} AS {_type(connection, field)})"


def _type(connection: BaseDatabaseWrapper, field: Any) -> str:
    """Without its length: a cast would cut silently what an insert refuses."""
    return str(field.db_type(connection)).split("(")[0]


def _json(
    connection: BaseDatabaseWrapper, fields: Sequence[Any], rows: Iterable[Sequence[Any]]
) -> str:
    plain = [_IDS if isinstance(field, _KEYS) else _PLAIN for field in fields]
    prepared = (
        [
            value if isinstance(value, kinds) else _prepared(connection, field, value)
            for field, kinds, value in zip(fields, plain, row, strict=True)
        ]
        for row in rows
    )
    return json.dumps(list(prepared), default=str, ensure_ascii=False)


def _prepared(connection: BaseDatabaseWrapper, field: Any, value: Any) -> Any:
    return field.get_db_prep_save(value, connection)


def _key(connection: BaseDatabaseWrapper, model: type[models.Model], file_id: UUID) -> Any:
    return _prepared(connection, model._meta.get_field("file"), file_id)
