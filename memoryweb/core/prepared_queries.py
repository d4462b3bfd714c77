"""Queries whose SQL is made once: Django takes longer to build one than the database to answer it.

One is built with stand-ins for its arguments and for the team in scope, so that only their values
differ from run to run. A stand-in that was left in the place of a value finds nothing.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from itertools import count
from threading import local
from typing import Any, Generic, TypeVar
from uuid import UUID, uuid4

from django.core.exceptions import EmptyResultSet
from django.db import connections
from django.db.models import Model, Q, QuerySet
from django.db.models.base import ModelState
from django_scopes import get_scope, scope

from memoryweb.core.row_batches import as_stored

Row = TypeVar("Row")


class PreparedQuery(Generic[Row]):
    """`build` makes the query of its arguments alone (ids, texts, numbers, times, None, tuples of
    them, or filters that hold such): whatever else it read would stay as it was the first time.
    Called, it gives rows."""

    def __init__(self, build: Callable[..., QuerySet[Any, Row]]) -> None:
        self._build = build
        self._made = local()  # what is compiled belongs to one connection, and that to one thread

    def __call__(self, *given: Any) -> list[Row]:
        now = get_scope()
        is_scoped = now.get("_enabled", True) and "team" in now
        values = tuple(map(_padded, (_keys(now["team"]) if is_scoped else None, *given)))
        shape = str((now.get("_enabled", True), *map(_shape, values)))
        made: _CompiledQuery[Row] | None = vars(self._made).get(shape)
        if made is None or made.compiler.connection is not connections[made.rows.db]:
            made = vars(self._made)[shape] = self._compiled(values, is_scoped=is_scoped)
        return made.run(values)

    def _compiled(self, values: tuple[Any, ...], *, is_scoped: bool) -> "_CompiledQuery[Row]":
        team, *given = stand_ins = tuple(map(_stand_in, values))
        if is_scoped:
            with scope(team=team):
                rows = self._build(*given)
        else:
            rows = self._build(*given)
        connection = connections[rows.db]
        compiler = rows.query.get_compiler(connection=connection)
        vars(rows.query)["get_compiler"] = lambda *_of, **_options: compiler
        try:
            sql, params = compiler.as_sql()
        except EmptyResultSet:
            return _CompiledQuery(rows, compiler, {}, "", (), ())
        converters = compiler.get_converters([column for column, _sql, _name in compiler.select])
        vars(compiler)["execute_sql"] = lambda **_options: None  # what it found is given by `run`
        if compiler.klass_info:
            _make_plainly(compiler.klass_info)
        at = {value: number for number, value in enumerate(_flat(stand_ins))}
        places = tuple(at.get(one) if isinstance(one, _PLAIN) else None for one in params)
        if missing := {at[one] for one in _flat(given)}.difference(places):
            raise TypeError(f"{self._build} changes {len(missing)} of its arguments.")
        return _CompiledQuery(rows, compiler, converters, sql, tuple(params), places)


@dataclass(frozen=True)
class _CompiledQuery(Generic[Row]):
    """`places`: which argument each parameter of the SQL is, None for those that never change."""

    rows: QuerySet[Any, Row]
    compiler: Any
    converters: Any
    sql: str
    params: tuple[Any, ...]
    places: tuple[int | None, ...]

    def run(self, values: tuple[Any, ...]) -> list[Row]:
        if not self.sql:
            return []
        flat = list(_flat(values))
        both = zip(self.params, self.places, strict=True)
        params = tuple(own if at is None else flat[at] for own, at in both)
        with self.compiler.connection.cursor() as cursor:
            cursor.execute(self.sql, params)
            found: Any = cursor.fetchall()
        if self.compiler.has_extra_select:
            found = [row[: self.compiler.col_count] for row in found]
        if self.converters:
            found = map(tuple, self.compiler.apply_converters(found, self.converters))
        self.compiler.results_iter = lambda *_results, **_options: iter(found)
        iterable: Any = self.rows._iterable_class
        return list(iterable(self.rows))


class _PlainRows:
    """In the place of a model where Django makes its objects: its own way sets each column by a
    call and asks two signals, which takes longer than the database does."""

    def __init__(self, model: type[Model]) -> None:
        self._model, self._meta = model, model._meta

    def from_db(self, db: str, names: Iterable[str], values: Iterable[Any]) -> Model:
        made = self._model.__new__(self._model)
        state = ModelState()
        state.adding, state.db = False, db
        vars(made).update(zip(names, values, strict=True), _state=state)
        return made


def _make_plainly(info: dict[str, Any]) -> None:
    info["model"] = _PlainRows(info["model"])
    for related in info.get("related_klass_infos", ()):
        _make_plainly(related)


_PLAIN = str | int | UUID | date
_numbers = count()


def _keys(team: Any) -> Any:
    return tuple(map(_keys, team)) if isinstance(team, tuple) else getattr(team, "pk", team)


def _padded(value: Any) -> Any:
    """A list is one of `IN`, where its last may stand twice: few lengths are compiled."""
    if isinstance(value, _PLAIN):
        return value
    if isinstance(value, Q):
        return _in_filter(value, _padded)
    if isinstance(value, Model):
        return value.pk
    if not isinstance(value, tuple | list | set | frozenset):
        return value
    keys = tuple(map(_padded, value))
    return keys + keys[-1:] * ((1 << max(0, len(keys) - 1).bit_length()) - len(keys))


def _shape(value: Any) -> Any:
    """What the SQL depends on."""
    if isinstance(value, Q):
        return str(_in_filter(value, _shape))
    if isinstance(value, bool):
        return value
    return len(value) if isinstance(value, tuple) else value is not None and type(value).__name__


def _stand_in(value: Any) -> Any:
    """One that no row has, and that no other value of the SQL equals."""
    number = next(_numbers) % 1_000_000
    match value:
        case None | bool():
            return value
        case Q():
            return _in_filter(value, _stand_in)
        case tuple():
            return tuple(map(_stand_in, value))
        case UUID():
            return uuid4()
        case datetime():
            return datetime(9000, 1, 1, tzinfo=UTC) + timedelta(microseconds=number)
        case date():
            return date(5000, 1, 1) + timedelta(days=number)
        case int():
            return 2**30 + number
        case str():
            return uuid4().hex
    raise TypeError(f"No query is prepared with {value!r}.")


def _flat(values: Iterable[Any]) -> Iterator[Any]:
    """None, yes and no stand in the SQL itself."""
    for one in values:
        if isinstance(one, tuple):
            yield from _flat(one)
        elif isinstance(one, Q):
            yield from _flat(_value_of(part) for part in one.children)
        elif one is not None and not isinstance(one, bool):
            yield as_stored(one)


def _value_of(part: Any) -> Any:
    return part if isinstance(part, Q) else part[1]


def _in_filter(which: Q, change: Callable[[Any], Any]) -> Q:
    """The same with other values."""
    found = Q(_connector=which.connector, _negated=which.negated)
    for part in which.children:
        value = change(_value_of(part))
        found.children.append(value if isinstance(part, Q) else (str(part[0]), value))  # type: ignore[index]
    return found
