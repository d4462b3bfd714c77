"""Rows made once for a module of tests, each of which undoes what it did to them."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from django.db import transaction
from django_scopes import scopes_disabled
from pytest_django import DjangoDbBlocker

Made = TypeVar("Made")


@contextmanager
def standing(blocker: DjangoDbBlocker, make: Callable[[], Made]) -> Iterator[Made]:
    with blocker.unblock(), transaction.atomic():
        with scopes_disabled():
            made = make()
        yield made
        transaction.set_rollback(True)
