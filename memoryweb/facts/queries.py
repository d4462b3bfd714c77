"""Named reads of statements."""

from uuid import UUID

from django.db.models import QuerySet

from memoryweb.facts.models import Fact


def corrections(agent_id: UUID, owner_id: UUID | None) -> "QuerySet[Fact]":
    """What people took back in one workspace, each with what stands in its place."""
    found = Fact.objects.of(agent_id, owner_id).filter(corrected_at__isnull=False)
    return found.select_related("superseded_by")
