"""The net under every tenant query: outside a team's scope a query raises instead of answering."""

from typing import Any, TypeVar, cast

from django.db import models
from django_scopes import ScopedManager

AnyManager = TypeVar("AnyManager", bound="models.Manager[Any]")


def scoped(manager: type[AnyManager]) -> AnyManager:
    return cast(AnyManager, ScopedManager(team="team", _manager_class=manager))
