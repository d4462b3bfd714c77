"""The net under every tenant query: outside a team's scope a query raises instead of answering.

The scope itself is django-scopes' (`scope(team=…)`, `scopes_disabled()`); only the manager is
ours, because the library makes its managers in a function, which type checkers cannot follow.
"""

from typing import TypeVar

from django.db import models
from django_scopes import get_scope
from django_scopes.manager import DisabledQuerySet

AnyModel = TypeVar("AnyModel", bound=models.Model, covariant=True)


class TeamManager(models.Manager[AnyModel]):
    def get_queryset(self) -> models.QuerySet[AnyModel]:
        scope = get_scope()
        if not scope.get("_enabled", True):
            return super().get_queryset()
        if "team" not in scope:
            disabled: models.QuerySet[AnyModel] = DisabledQuerySet(
                self.model, using=self._db, missing_scopes={"team"}
            )
            return disabled
        # Filtered once for the team that was asked about last: to clone is a fifth of the work.
        team = scope["team"]
        last, rows = vars(self).get("_last", (None, None))
        if rows is None or last != (team, self._db):
            rows = super().get_queryset()
            is_one = not isinstance(team, tuple)
            rows = rows.filter(team=team) if is_one else rows.filter(team__in=team)
            self._last = (team, self._db), rows
        found: models.QuerySet[AnyModel] = rows.all()
        return found


class MemoryRefused(Exception):
    """What a door refuses, with a sentence for whoever asked; `code` is stable."""

    code = "refused"
