"""How much is kept about somebody."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import Count, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from memoryweb.accounts.models import Team
from memoryweb.agents.models import Agent
from memoryweb.memory.models import Conversation, File, LineOrigin
from memoryweb.memory.my_memory.contents import STANDING, Wanted, passages


@dataclass(frozen=True)
class Kept:
    """What one agent keeps about some owners."""

    agent: Agent
    files: int
    lines: int
    conversations: int
    standing: int = 0  # sentences outside notes and diary


def kept_about(team: Team, owner_ids: Collection[UUID]) -> list[Kept]:
    """In one statement, however many agents there are."""
    files = File.objects.filter(owner__in=owner_ids, deleted_at=None)
    lines = LineOrigin.objects.filter(
        file__owner__in=owner_ids, file__deleted_at=None, file__path="MEMORY.md"
    )
    talks = Conversation.objects.filter(owner__in=owner_ids)
    standing = passages(team, owner_ids, Wanted(kinds=STANDING))
    agents = team.agents.live().annotate(
        kept_files=_of_each(files, "agent", Count("pk")),
        kept_lines=_of_each(lines, "file__agent", Count("line", distinct=True)),
        kept_talks=_of_each(talks, "agent", Count("pk")),
        kept_standing=_of_each(standing, "agent", Count("pk")),
    )
    found: Iterable[Any] = agents.filter(Q(kept_files__gt=0) | Q(kept_talks__gt=0))
    return [
        Kept(one, one.kept_files, one.kept_lines, one.kept_talks, one.kept_standing)
        for one in found
    ]


def _of_each(rows: "QuerySet[Any]", agent: str, count: Count) -> Coalesce:
    counted = rows.filter(**{agent: OuterRef("pk")}).order_by().values(agent).annotate(n=count)
    return Coalesce(Subquery(counted.values("n")), 0)
