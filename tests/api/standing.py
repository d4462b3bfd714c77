"""Rows made once for a module of tests, each of which undoes what it did to them."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from django.db import transaction
from django_scopes import scopes_disabled

from tests.snapshot import StandingWorld

Made = TypeVar("Made")


@contextmanager
def standing(world: StandingWorld, make: Callable[[], Made]) -> Iterator[Made]:
    """In place of the world that stands for other modules."""
    world.leave()
    with world.blocker.unblock(), transaction.atomic():
        with scopes_disabled():
            made = make()
        yield made
        transaction.set_rollback(True)
