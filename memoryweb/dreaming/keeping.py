"""How long a team keeps what runs that are over told, beside what they wrote."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet
from django_scopes import scope

from memoryweb.accounts.models import Team
from memoryweb.dreaming.models import Candidate, Operation
from memoryweb.memory import forgetting
from memoryweb.memory.models import Fact
from memoryweb.memory.models.writer import write_transaction
from memoryweb.runs.models import Run

A_TICK = 500  # rows of each kind, so that no tick holds up what writes


def expire(now: datetime) -> None:
    """Once a minute, some of what is too old; nothing under a legal hold. What a night did stays,
    and so does what was weighed of a statement that stands or can be restored, or that waits."""
    for team in Team.objects.filter(reports_days__isnull=False):
        with scope(team=team):
            over = _over(team, now - timedelta(days=team.reports_days or 0))
            found = {rows.model.__name__.lower(): _some(rows) for rows in _told(over)}
            if any(found.values()):
                _forget(team, found)


def _over(team: Team, before: datetime) -> "QuerySet[Run]":
    runs = Run.objects.filter(team=team, due_at=None, finished_at__lt=before)
    for agent_id, owner_id in forgetting.lasting_holds(team.pk).values_list("agent", "owner"):
        held = Q() if agent_id is None else Q(agent=agent_id)
        held &= Q() if owner_id is None else Q(owner=owner_id)
        runs = runs.exclude(held) if held else runs.none()
    return runs


def _told(over: "QuerySet[Run]") -> "tuple[QuerySet[Any], ...]":
    runs = over.values("pk")
    its = Fact.objects.filter(agent=OuterRef("report__agent"), fingerprint=OuterRef("key"))
    stands = Exists(its.filter(owner=OuterRef("report__owner"))) | Q(report__owner=None) & Q(
        Exists(its.filter(owner=None))
    )
    weighed = Candidate.objects.filter(report__run__in=runs)
    extractions: Any = Run._meta.get_field("extractions").related_model
    return (
        weighed.exclude(verdict=Candidate.Verdict.KEPT).exclude(stands),
        Operation.objects.filter(report__run__in=runs).exclude(code=""),
        over.filter(Q(answer__isnull=False) | Q(checked__isnull=False)),
        extractions.objects.filter(run__in=runs).exclude(answer={}).exclude(status="answered"),
    )


def _some(rows: "QuerySet[Any]") -> list[Any]:
    return list(rows.values_list("pk", flat=True)[:A_TICK])


def _forget(team: Team, found: dict[str, list[Any]]) -> None:
    extractions: Any = Run._meta.get_field("extractions").related_model
    ways: dict[str, Callable[[list[Any]], object]] = {
        "candidate": lambda keys: Candidate.objects.filter(pk__in=keys).delete(),
        "operation": lambda keys: Operation.objects.filter(pk__in=keys).delete(),
        "run": lambda keys: Run.objects.filter(pk__in=keys).update(answer=None, checked=None),
        "extraction": lambda keys: extractions.objects.filter(pk__in=keys).update(answer={}),
    }
    with write_transaction(team) as tx:
        for name, keys in found.items():
            ways[name](keys)
        tx.record("reports.expired", details={name: len(keys) for name, keys in found.items()})
