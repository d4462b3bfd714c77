"""What of some owners' memory, and of shared memory, waits for a person to decide."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import Count, Q, QuerySet, Value

from memoryweb.accounts.models import Team
from memoryweb.provenance.flags import waiting_flags
from memoryweb.review.models import HeldSecret, Proposal


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
            ("marks", waiting_flags(team, owner_ids, shared=shared)),
        )
    )
    return Waiting(**dict(proposals.union(secrets, marks, all=True)))


def _counted(name: str, rows: "QuerySet[Any]") -> "QuerySet[Any, tuple[str, int]]":
    """One row with the name, or none where there is nothing to count."""
    named = rows.order_by().select_related(None).annotate(name=Value(name))
    counted: QuerySet[Any, tuple[str, int]] = named.values_list("name").annotate(Count("pk"))
    return counted


def proposals_of(team: Team) -> "QuerySet[Proposal]":
    return Proposal.objects.filter(team=team).select_related(
        "file__agent", "file__owner__integration", "run__report", "token__integration", "decided_by"
    )


def waiting_for(team: Team, owner_ids: Collection[UUID], *, shared: bool) -> "QuerySet[Proposal]":
    """Undecided ones about these owners, and about shared memory for who decides on it."""
    reach = Q(file__owner__in=owner_ids)
    if shared:
        reach |= Q(file__owner=None)
    return proposals_of(team).filter(reach, state=Proposal.State.PENDING)


def waiting_secrets(
    team: Team, owner_ids: Collection[UUID], *, shared: bool
) -> "QuerySet[HeldSecret]":
    """Likely passwords that nobody has decided about yet, of the same reach."""
    reach = Q(owner__in=owner_ids)
    if shared:
        reach |= Q(owner=None)
    waiting = HeldSecret.objects.filter(team=team, state=HeldSecret.State.WAITING)
    return waiting.filter(reach, agent__archived_at=None)
