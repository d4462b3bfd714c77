"""Named reads of conversations that start from no single one."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import Count, Max

from memoryweb.accounts.models import Team
from memoryweb.conversations.models import Conversation, Message


@dataclass(frozen=True)
class Talks:
    """How often an owner talked, and when last."""

    count: int = 0
    last_at: datetime | None = None


def talks_per_owner(team: Team, owner_ids: Collection[UUID]) -> dict[UUID, Talks]:
    rows = Conversation.objects.filter(team=team, owner__in=owner_ids)
    counted = rows.values_list("owner").annotate(Count("pk"), Max("last_message_at")).order_by()
    return {owner: Talks(count, last) for owner, count, last in counted}


def messages_with_talks(ids: Collection[int]) -> dict[int, Message]:
    """Each with its conversation and whose that is, for a reader to be asked about."""
    found = Message.objects.select_related("conversation__owner")
    return found.in_bulk(ids) if ids else {}
