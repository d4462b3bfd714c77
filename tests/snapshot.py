"""The world as rows: built once a process through the real doors, then put back in bulk."""

import pickle
from dataclasses import dataclass
from typing import Any

from django.apps import apps
from django.core.management.color import no_style
from django.db import connection, models

from tests.world import World, build_world


@dataclass(frozen=True)
class _Snapshot:
    world: bytes
    rows: bytes
    models: tuple[type[models.Model], ...]


_taken: dict[str, _Snapshot] = {}


def restored_world() -> World:
    """A world like any other, for tests that roll back; its ids are the same each time."""
    snapshot = _taken.get(connection.vendor)
    if snapshot is None:
        world, _taken[connection.vendor] = _built()
        return world
    for rows in pickle.loads(snapshot.rows):
        type(rows[0])._base_manager.bulk_create(rows)
    _move_sequences(snapshot.models)
    world = pickle.loads(snapshot.world)
    assert isinstance(world, World)
    return world


def _built() -> tuple[World, _Snapshot]:
    before = {model: set(_keys(model)) for model in _tables()}
    world = build_world()
    made: list[list[models.Model]] = []
    for model, known in before.items():
        rows: list[models.Model] = [row for row in model._base_manager.all() if row.pk not in known]
        made += [rows] if rows else []
    kinds = tuple(type(rows[0]) for rows in made)
    return world, _Snapshot(pickle.dumps(world), pickle.dumps(made), kinds)


def _tables() -> list[type[models.Model]]:
    return [model for model in apps.get_models() if model._meta.managed and not model._meta.proxy]


def _keys(model: type[models.Model]) -> "models.QuerySet[Any, Any]":
    return model._base_manager.values_list("pk", flat=True)


def _move_sequences(kinds: tuple[type[models.Model], ...]) -> None:
    """PostgreSQL's sequences know nothing of rows that came with their keys."""
    statements = connection.ops.sequence_reset_sql(no_style(), kinds)
    if statements:
        with connection.cursor() as cursor:
            cursor.execute("\n".join(statements))
