"""What of some owners' memory, and of shared memory, waits for a person to decide."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import Count, QuerySet, Value

from memoryweb.accounts.models import Team
from memoryweb.workspace.marked import waiting_marks
from memoryweb.workspace.queries import waiting_for, waiting_secrets


@dataclass(frozen=True)
class Waiting:
    proposals: int = 0
    secrets: int = 0
    marks: int = 0

    @property
    def total(self) -> int:
        return self.proposals + self.secrets + self.marks


def waiting_about(team: Team, owner_ids: Collection[UUID], *, shared: bool = False) -> Waiting:
    """How many of each, in one statement: every page with a rail asks."""
    proposals, secrets, marks = (
        _counted(name, rows)
        for name, rows in (
            ("proposals", waiting_for(team, owner_ids, shared=shared)),
            ("secrets", waiting_secrets(team, owner_ids, shared=shared)),
            ("marks", waiting_marks(team, owner_ids, shared=shared)),
        )
    )
    return Waiting(**dict(proposals.union(secrets, marks, all=True)))


def _counted(name: str, rows: "QuerySet[Any]") -> "QuerySet[Any, tuple[str, int]]":
    """One row with the name, or none where there is nothing to count."""
    named = rows.order_by().select_related(None).annotate(name=Value(name))
    counted: QuerySet[Any, tuple[str, int]] = named.values_list("name").annotate(Count("pk"))
    return counted
