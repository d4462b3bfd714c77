"""What stands in a memory now, for an agent's home: how much there is, and the statements."""

from collections.abc import Collection
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Count, OuterRef, Q, QuerySet, Subquery

from memoryweb.agents.models import Agent
from memoryweb.memory.models import Fact
from memoryweb.memory.statements.listing import weighed
from memoryweb.memory.statements.validity import in_states, today
from memoryweb.memory.visible.hidden import remembered

_STANDING = (Fact.State.ACTIVE, Fact.State.DISPUTED)


def amounts(agent: Agent, owners: Collection[UUID], now: datetime) -> dict[UUID | None, int]:
    """How many statements hold now, in the shared memory (None) and in that of these owners."""
    reach = Q(agent=agent) & (Q(owner=None) | Q(owner__in=owners))
    found = remembered(reach).filter(in_states(_STANDING, today(now, agent.zone)))
    return dict(found.order_by().values_list("owner").annotate(Count("pk")))


def standing(agent: Agent, owner_id: UUID | None, now: datetime) -> "QuerySet[Any]":
    """The statements of exactly one memory, the latest first, weighed. `was`: the value before."""
    found = remembered(in_states(_STANDING, today(now, agent.zone)))
    found = found.filter(agent=agent, owner=owner_id)
    earlier = remembered(Q(superseded_by=OuterRef("pk"))).order_by("-changed_at")
    was = Subquery(earlier.values("value")[:1])
    listed: QuerySet[Any] = weighed(found).annotate(was=was)
    return listed.order_by("-changed_at", "-pk")
