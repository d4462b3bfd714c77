"""Who may look at an owner's memory and who did: people for an hour, programs until withdrawn."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from memoryweb.accounts.integrations import reading_across
from memoryweb.accounts.models import Team
from memoryweb.agents.break_glass import grants_about
from memoryweb.audit.queries import reads_of_owners


@dataclass(frozen=True)
class Look:
    """A person's grant, or a program's (`created_at` None)."""

    name: str
    reason: str
    created_at: datetime | None
    reads_count: int


def looks(team: Team, owner_ids: Collection[UUID]) -> dict[str, list[Look]]:
    """`programs` that may read now and the last 50 `grants`, in three statements."""
    reads = reads_of_owners(team.pk, owner_ids)
    grants = grants_about(owner_ids).select_related("user")[:50]
    return {
        "programs": [
            Look(one.name, one.personal_read_reason, None, reads.get(str(one.pk), 0))
            for one in reading_across(team)
        ],
        "grants": [
            Look(str(one.user), one.reason, one.created_at, reads.get(str(one.pk), 0))
            for one in grants
        ],
    }
