"""Many rows of a file at once, in plain statements of limited size."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime
from itertools import groupby, islice
from operator import itemgetter
from typing import Any, TypeVar
from uuid import UUID

from django.db import connection
from django.db.models import (
    AutoField,
    BooleanField,
    Case,
    CharField,
    DateTimeField,
    F,
    IntegerField,
    JSONField,
    Model,
    QuerySet,
    TextField,
    Value,
    When,
)

T = TypeVar("T")
# Stretches of lines that one statement moves: the database looks at each for every row.
_STRETCHES = 500
_AS_IT_IS = BooleanField, CharField, IntegerField, TextField


def batches(items: Iterable[T], size: int = 5_000) -> Iterator[list[T]]:
    rest = iter(items)
    while batch := list(islice(rest, size)):
        yield batch


def insert(rows: Iterable[Model]) -> None:
    """New rows of one table whose numbers nobody asks for. Django prepares each value in eight
    calls, which takes longer than the database does."""
    made = list(rows)
    if not made:
        return
    table = made[0]._meta
    fields = [field for field in table.concrete_fields if not isinstance(field, AutoField)]
    _run_for_each(_insert_of(type(made[0]), fields), made, fields)
    for row in made:
        row._state.adding, row._state.db = False, connection.alias


def insert_values(model: type[Model], names: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """The same of what was never made a row: each has a value for each of the columns."""
    values = list(zip(*rows, strict=True))
    if not values:
        return
    fields = [model._meta.get_field(name) for name in names]
    columns = [_column(column, field) for column, field in zip(values, fields, strict=True)]
    with connection.cursor() as cursor:
        cursor.executemany(_insert_of(model, fields), list(zip(*columns, strict=True)))


def _insert_of(model: type[Model], fields: Sequence[Any]) -> str:
    quote = connection.ops.quote_name
    columns = ", ".join(quote(str(field.column)) for field in fields)
    places = ", ".join(["%s"] * len(fields))
    return f"INSERT INTO {quote(model._meta.db_table)} ({columns}) VALUES ({places})"


def update(rows: Iterable[Model], names: Iterable[str]) -> None:
    """These fields of rows of one table. Django's own way makes a CASE of every row and field."""
    made = list(rows)
    if not made:
        return
    table, quote = made[0]._meta, connection.ops.quote_name
    fields: list[Any] = [table.get_field(name) for name in names]
    setting = ", ".join(f"{quote(field.column)} = %s" for field in fields)
    key = f"{quote(str(table.pk.column))} = %s"
    _run_for_each(
        f"UPDATE {quote(table.db_table)} SET {setting} WHERE {key}", made, [*fields, table.pk]
    )


def _run_for_each(sql: str, rows: Sequence[Model], fields: Sequence[Any]) -> None:
    columns = [_column([getattr(row, field.attname) for row in rows], field) for field in fields]
    with connection.cursor() as cursor:
        cursor.executemany(sql, list(zip(*columns, strict=True)))


def _column(values: Sequence[Any], field: Any) -> Sequence[Any]:
    """As they are stored. Most rows have the same keys and times, which are made ready once."""
    if isinstance(field, _AS_IT_IS):
        return values
    if isinstance(field, JSONField):
        return [_value(value, field) for value in values]
    ready = {value: _value(value, field) for value in set(values)}
    return [ready[value] for value in values]


def _value(value: Any, field: Any) -> Any:
    if value is None:
        return value
    is_plain = isinstance(value, UUID | int) or isinstance(field, DateTimeField)
    return as_stored(value) if is_plain else field.get_db_prep_save(value, connection)


def as_stored(value: Any) -> Any:
    """As the driver takes it."""
    if isinstance(value, int | str):
        return value
    if isinstance(value, UUID):
        return value if connection.features.has_native_uuid_field else value.hex
    if isinstance(value, datetime):
        return connection.ops.adapt_datetimefield_value(value)
    return connection.ops.adapt_datefield_value(value) if isinstance(value, date) else value


def remove(rows: QuerySet[Any], keys: Iterable[int]) -> None:
    for some in batches(keys):
        rows.filter(pk__in=some).delete()


def shift(rows: QuerySet[Any], columns: Sequence[str], by: Mapping[int, tuple[int, ...]]) -> None:
    """Add to the columns, of which the first is `line`, what `by` says for the row's line.

    Lines go through negative numbers, so that none comes upon one that is still to be moved.
    """
    stretches = []
    for amounts, stretch in groupby(sorted(by.items()), key=itemgetter(1)):
        lines = [line for line, _amounts in stretch]
        if any(amounts):
            stretches.append((lines[0], lines[-1], amounts))
    for some in batches(stretches, _STRETCHES):
        added = {
            name: F(name)
            + Case(
                *(When(line__range=(a, b), then=Value(amounts[at])) for a, b, amounts in some),
                default=Value(0),
            )
            for at, name in enumerate(columns)
        }
        added["line"] = -added["line"]
        rows.filter(line__range=(some[0][0], some[-1][1])).update(**added)
    if stretches:
        rows.filter(line__lt=0).update(line=-F("line"))
