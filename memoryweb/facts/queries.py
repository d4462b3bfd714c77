"""Named reads of statements."""

from uuid import UUID

from django.db.models import QuerySet

from memoryweb.facts.models import Fact


def corrections(agent_id: UUID, owner_id: UUID | None) -> "QuerySet[Fact]":
    """What people took back in one workspace, each with what stands in its place."""
    found = Fact.objects.of(agent_id, owner_id).filter(corrected_at__isnull=False)
    return found.select_related("superseded_by")


def of_key(fact: Fact) -> "QuerySet[Fact]":
    """All that was ever said of the same thing in that workspace, the newest first."""
    same = Fact.objects.of(fact.agent_id, fact.owner_id).filter(
        subject=fact.subject, attribute=fact.attribute
    )
    return (same if fact.attribute else same.filter(pk=fact.pk)).order_by("-changed_at", "pk")
