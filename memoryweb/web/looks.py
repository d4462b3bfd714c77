"""Who opened an owner's memory, why, and how often they read."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from memoryweb.agents.break_glass import grants_about
from memoryweb.audit.queries import reads_of_owners


@dataclass(frozen=True)
class Look:
    user: str
    reason: str
    created_at: datetime
    reads_count: int


def looks(team_id: UUID, owner_ids: Collection[UUID]) -> list[Look]:
    """The last 50 grants; in two statements."""
    reads = reads_of_owners(team_id, owner_ids)
    return [
        Look(str(grant.user), grant.reason, grant.created_at, reads.get(str(grant.pk), 0))
        for grant in grants_about(owner_ids).select_related("user")[:50]
    ]
