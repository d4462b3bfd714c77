"""What models were asked and what it cost, read from the runs that asked."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any
from zoneinfo import ZoneInfo

from django.db.models import Count, Q, QuerySet, Sum
from django.db.models.functions import Coalesce, TruncDate

from memoryweb.accounts.models import Team
from memoryweb.runs.models import Run


@dataclass(frozen=True)
class Used:
    runs: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost_micros: int = 0

    @property
    def tokens(self) -> int:
        return self.tokens_in + self.tokens_out

    @property
    def cost(self) -> float:
        return self.cost_micros / 1_000_000


def asking(team: Team, since: datetime) -> "QuerySet[Run]":
    """Runs that asked a model, by when they did so in truth: a simulated night costs today."""
    asked = Q(tokens_in__gt=0) | Q(tokens_out__gt=0)
    return Run.objects.filter(asked, team=team, created_at__gte=since)


def by_day(runs: "QuerySet[Run]", zone: ZoneInfo) -> Mapping[date, Used]:
    day = TruncDate(Coalesce("started_at", "created_at"), tzinfo=zone)
    return _summed(runs.annotate(day=day), "day")


def by_agent(runs: "QuerySet[Run]") -> Mapping[str, Used]:
    return _summed(runs, "agent__name")


def by_kind(runs: "QuerySet[Run]") -> Mapping[str, Used]:
    return _summed(runs, "kind")


def _summed(runs: "QuerySet[Any]", key: str) -> dict[Any, Used]:
    rows = runs.order_by().values_list(key)
    sums = (Sum("tokens_in"), Sum("tokens_out"), Sum("cost_micros"))
    return {row[0]: Used(*row[1:]) for row in rows.annotate(Count("pk"), *sums).order_by(key)}
