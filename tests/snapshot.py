"""Scenes as rows: lived once a process through the real doors, then put back in bulk."""

import pickle
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from django.apps import apps
from django.core.management.color import no_style
from django.db import connection, models, transaction
from django_scopes import scopes_disabled
from pytest_django import DjangoDbBlocker

from tests.world import World, build_world

T = TypeVar("T")
Rows = dict[Any, models.Model]


@dataclass(frozen=True)
class _Change:
    """What became of one table."""

    model: type[models.Model]
    lost: list[Any]
    made: list[models.Model]
    changed: list[models.Model]


@dataclass(frozen=True)
class _Snapshot:
    """`statements` are filled when the rows are put back for the first time, and said again."""

    scene: bytes
    changes: bytes
    statements: list[tuple[str, Any]] = field(default_factory=list)


_taken: dict[tuple[str, str], _Snapshot] = {}


def restored_world() -> World:
    """A world like any other, but for its ids, which are the same each time."""
    return restored("world", build_world)


class StandingWorld:
    """A world in a transaction around the tests that want one: each takes back what it did alone,
    and to put the world back would be most of what a small test takes."""

    def __init__(self, blocker: DjangoDbBlocker) -> None:
        self.blocker = blocker
        self.around: transaction.Atomic | None = None

    def stand(self) -> None:
        if connection.closed_in_transaction or connection.needs_rollback:
            self.leave()
        if self.around is None:
            with self.blocker.unblock(), scopes_disabled():
                self.around = transaction.atomic()
                self.around.__enter__()
                restored_world()

    def leave(self) -> None:
        if self.around is not None:
            with self.blocker.unblock():
                transaction.set_rollback(True)
                self.around.__exit__(None, None, None)
            self.around = None

    def seen(self) -> World:
        """Anew for each test: what one does to its objects, the next does not see."""
        world: World = pickle.loads(_taken[connection.vendor, "world"].scene)
        return world


def restored(name: str, build: Callable[[], T]) -> T:
    """What `build` makes of the database as it is, which must be the same each time."""
    snapshot = _taken.get((connection.vendor, name))
    if snapshot is None:
        scene, _taken[connection.vendor, name] = _built(build)
        return scene
    with transaction.atomic():
        if snapshot.statements:
            _say_again(snapshot.statements)
        else:
            with connection.execute_wrapper(_Listening(snapshot.statements)):
                _put_all(pickle.loads(snapshot.changes))
    restored_scene: T = pickle.loads(snapshot.scene)
    return restored_scene


@dataclass(frozen=True)
class _Listening:
    heard: list[tuple[str, Any]]

    def __call__(
        self, execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any
    ) -> Any:
        assert not many
        self.heard.append((sql, params))
        return execute(sql, params, many, context)


def _say_again(statements: list[tuple[str, Any]]) -> None:
    """Django takes ten times as long to make these statements as the database to follow them.

    PostgreSQL takes them in one piece, so that the way to it and back is gone once.
    """
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql" and len(statements) > 1:
            said = [cursor.mogrify(sql, params) for sql, params in statements]
            statements[:] = [(";\n".join(said), None)]
        for sql, params in statements:
            cursor.execute(sql, params)


def _built(build: Callable[[], T]) -> tuple[T, _Snapshot]:
    before = {model: _rows(model) for model in _tables()}
    scene = build()
    changes = [change for model, known in before.items() if (change := _change(model, known))]
    return scene, _Snapshot(pickle.dumps(scene), pickle.dumps(changes))


def _change(model: type[models.Model], known: Rows) -> _Change | None:
    rows = _rows(model)
    lost = list(known.keys() - rows.keys())
    made = [row for key, row in rows.items() if key not in known]
    changed = [row for key, row in rows.items() if key in known and _differs(row, known[key])]
    return _Change(model, lost, made, changed) if lost or made or changed else None


def _tables() -> list[type[models.Model]]:
    return [model for model in apps.get_models() if model._meta.managed and not model._meta.proxy]


def _rows(model: type[models.Model]) -> Rows:
    return {row.pk: row for row in model._base_manager.all()}


def _differs(one: models.Model, other: models.Model) -> bool:
    names = [field.attname for field in one._meta.concrete_fields]
    return any(getattr(one, name) != getattr(other, name) for name in names)


def _put_all(changes: list[_Change]) -> None:
    for change in changes:
        _put(change)
    _move_sequences([change.model for change in changes])


def _put(change: _Change) -> None:
    rows = change.model._base_manager
    if change.lost:
        # Each table has its own list: no cascade.
        rows.filter(pk__in=change.lost)._raw_delete(rows.db)
    rows.bulk_create(change.made)
    if change.changed:
        fields = [field for field in change.model._meta.concrete_fields if not field.primary_key]
        rows.bulk_update(change.changed, [field.name for field in fields])


def _move_sequences(kinds: list[type[models.Model]]) -> None:
    """PostgreSQL's sequences know nothing of rows that came with their keys."""
    statements = connection.ops.sequence_reset_sql(no_style(), kinds)
    if statements:
        with connection.cursor() as cursor:
            cursor.execute("\n".join(statements))
