"""Permissions are given of models, by the app that a model had."""

from importlib import import_module

import pytest
from django.apps import apps
from django.contrib.auth.models import Group, Permission
from django.contrib.contenttypes.models import ContentType

from tests.world import World

moving = import_module("memoryweb.memory.migrations.0002_content_types")


@pytest.fixture(autouse=True)
def _no_others(db: None) -> None:
    ContentType.objects.all().delete()


def _of(label: str, model: str) -> Permission:
    kind = ContentType.objects.create(app_label=label, model=model)
    return Permission.objects.create(content_type=kind, codename=f"view_{model}", name="View")


def _all() -> set[tuple[str, str, str]]:
    return set(
        Permission.objects.values_list("content_type__app_label", "content_type__model", "codename")
    )


def _move(*, back: bool = False) -> None:
    (moving.move_back if back else moving.move)(apps, None)


def test_they_move_to_the_apps_of_now_and_back() -> None:
    names = (("workspace", "file"), ("webhooks", "endpoint"), ("forgetting", "request"))
    kept = [_of(*name).pk for name in (*names, ("runs", "run"))]
    before = _all()
    _move()
    assert _all() == {
        ("memory", "file", "view_file"),
        ("notify", "endpoint", "view_endpoint"),
        ("memory", "forgetrequest", "view_forgetrequest"),
        ("runs", "run", "view_run"),
    }
    _move(back=True)
    assert _all() == before
    assert set(Permission.objects.values_list("pk", flat=True)) == set(kept)


def test_where_both_are_there_those_who_had_the_old_one_have_the_new(world: World) -> None:
    old, new = _of("workspace", "file"), _of("memory", "file")
    only_old = Permission.objects.create(
        content_type=old.content_type, codename="print_file", name="Print"
    )
    group = Group.objects.create(name="Readers")
    group.permissions.add(old, only_old)
    world.bob.user_permissions.add(old)
    _move()
    assert not ContentType.objects.filter(app_label="workspace").exists()
    assert set(group.permissions.values_list("pk", flat=True)) == {new.pk, only_old.pk}
    assert list(world.bob.user_permissions.all()) == [new]


def test_what_a_model_left_behind_when_it_moved_before_goes() -> None:
    _of("workspace", "proposal")
    _of("review", "proposal")
    _move()
    assert _all() == {("memory", "proposal", "view_proposal")}
