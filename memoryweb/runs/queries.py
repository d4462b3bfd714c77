"""Named reads of runs."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from django.db.models import Count, OuterRef, Q, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce, TruncDate
from django.utils.translation import gettext as _

from memoryweb.accounts.models import Team
from memoryweb.llm.models import ChatUsage
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


# What models were asked and what it cost: by the runs that asked, and in chats.


@dataclass(frozen=True)
class TokenUse:
    times: int = 0  # runs, or answers in a chat
    tokens_in: int = 0
    tokens_out: int = 0
    cost_micros: int = 0

    @property
    def tokens(self) -> int:
        return self.tokens_in + self.tokens_out

    def __add__(self, other: "TokenUse") -> "TokenUse":
        return TokenUse(
            self.times + other.times,
            self.tokens_in + other.tokens_in,
            self.tokens_out + other.tokens_out,
            self.cost_micros + other.cost_micros,
        )

    @property
    def cost(self) -> float:
        return self.cost_micros / 1_000_000


def asking(team: Team, since: datetime) -> "QuerySet[Run]":
    """Runs that asked a model, by when they did so in truth: a simulated night costs today."""
    asked = Q(tokens_in__gt=0) | Q(tokens_out__gt=0)
    return Run.objects.filter(asked, team=team, created_at__gte=since)


def chats(team: Team, since: datetime) -> Sequence[tuple[date, str, TokenUse]]:
    """Of each UTC day and agent, what answering in chats took."""
    rows = ChatUsage.objects.filter(team_id=team.pk, day__gte=since.astimezone(UTC).date())
    names = dict(
        team.agents.filter(pk__in={row.agent_id for row in rows}).values_list("pk", "name")
    )
    return [
        (
            row.day,
            names.get(row.agent_id, _("A deleted agent")),
            TokenUse(row.asked, row.used_in, row.used_out, row.cost_micros),
        )
        for row in rows
    ]


def by_day(runs: "QuerySet[Run]", zone: ZoneInfo) -> dict[date, TokenUse]:
    day = TruncDate(Coalesce("started_at", "created_at"), tzinfo=zone)
    return _summed(runs.annotate(day=day), "day")


def by_agent(runs: "QuerySet[Run]") -> dict[str, TokenUse]:
    return _summed(runs, "agent__name")


def by_kind(runs: "QuerySet[Run]") -> dict[str, TokenUse]:
    return {str(Run.Kind(kind).label): used for kind, used in _summed(runs, "kind").items()}


def with_chats(
    found: dict[Any, TokenUse], chats: Iterable[tuple[Any, TokenUse]]
) -> Mapping[Any, TokenUse]:
    for key, used in chats:
        found[key] = found.get(key, TokenUse()) + used
    return found


def _summed(runs: "QuerySet[Any]", key: str) -> dict[Any, TokenUse]:
    rows = runs.order_by().values_list(key)
    sums = (Sum("tokens_in"), Sum("tokens_out"), Sum("cost_micros"))
    return {row[0]: TokenUse(*row[1:]) for row in rows.annotate(Count("pk"), *sums).order_by(key)}
