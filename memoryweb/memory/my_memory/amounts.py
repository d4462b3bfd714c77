"""How much is kept about somebody."""

from collections.abc import Collection
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Count

from memoryweb.accounts.models import Team
from memoryweb.agents.models import Agent
from memoryweb.provenance.models import LineOrigin
from memoryweb.workspace.models import File


@dataclass(frozen=True)
class Kept:
    """What one agent keeps about some owners."""

    agent: Agent
    files: int
    lines: int
    conversations: int


def kept_about(team: Team, owner_ids: Collection[UUID]) -> list[Kept]:
    """In three statements, however many agents there are."""
    files = File.objects.filter(team=team, owner__in=owner_ids, deleted_at=None)
    counts = dict(files.values_list("agent").annotate(Count("pk")).order_by())
    lines = LineOrigin.objects.filter(file__in=files.values("pk"), file__path="MEMORY.md")
    said = dict(lines.values_list("file__agent").annotate(Count("line", distinct=True)).order_by())
    talks = dict(
        team.agents.filter(conversations__owner__in=owner_ids)
        .values_list("pk")
        .annotate(Count("conversations"))
        .order_by()
    )
    agents = team.agents.live().filter(pk__in={*counts, *talks})
    return [
        Kept(agent, counts.get(agent.pk, 0), said.get(agent.pk, 0), talks.get(agent.pk, 0))
        for agent in agents
    ]
