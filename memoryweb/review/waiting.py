"""What of some owners' memory waits for a person to decide."""

from collections.abc import Collection
from dataclasses import dataclass
from uuid import UUID

from memoryweb.accounts.models import Team
from memoryweb.workspace.models import HeldSecret, LineOrigin
from memoryweb.workspace.queries import waiting_for


@dataclass(frozen=True)
class Waiting:
    proposals: int
    secrets: int
    marks: int


def waiting_about(team: Team, owner_ids: Collection[UUID]) -> Waiting:
    marked = LineOrigin.objects.filter(
        team=team, file__owner__in=owner_ids, file__deleted_at=None
    ).exclude(marks="")
    held = HeldSecret.objects.filter(team=team, owner__in=owner_ids, state=HeldSecret.State.WAITING)
    return Waiting(
        proposals=waiting_for(team, owner_ids, shared=False).count(),
        secrets=held.count(),
        marks=marked.values("file", "line").distinct().count(),
    )
