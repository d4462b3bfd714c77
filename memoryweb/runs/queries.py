"""Named reads of runs."""

from collections.abc import Collection
from uuid import UUID

from django.db.models import OuterRef, QuerySet, Subquery

from memoryweb.runs.models import Run


def last_runs_of_owners(team_id: UUID, owner_ids: Collection[UUID]) -> dict[UUID, Run]:
    """The newest run of each owner, in one statement."""
    newest = Run.objects.filter(owner=OuterRef("owner")).order_by("-created_at").values("pk")[:1]
    rows = Run.objects.filter(team=team_id, owner__in=owner_ids, pk=Subquery(newest))
    return {run.owner_id: run for run in rows.select_related("report") if run.owner_id}


def runs_of_owner(team_id: UUID, owner_id: UUID) -> "QuerySet[Run]":
    """The latest first, with what their outcome needs."""
    rows = Run.objects.filter(team=team_id, owner=owner_id).order_by("-created_at")
    return rows.select_related("agent", "report")
