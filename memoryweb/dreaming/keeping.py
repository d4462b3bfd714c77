"""How long a team keeps what runs that are over told, beside what they wrote."""

from collections.abc import Iterator
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
            found = [(rows, _some(rows), left) for rows, left in _told(over)]
            if any(keys for _rows, keys, _left in found):
                _forget(team, found)


def _over(team: Team, before: datetime) -> "QuerySet[Run]":
    runs = Run.objects.filter(team=team, due_at=None, finished_at__lt=before)
    for agent_id, owner_id in forgetting.lasting_holds(team.pk).values_list("agent", "owner"):
        held = Q() if agent_id is None else Q(agent=agent_id)
        held &= Q() if owner_id is None else Q(owner=owner_id)
        runs = runs.exclude(held) if held else runs.none()
    return runs


def _told(over: "QuerySet[Run]") -> "Iterator[tuple[QuerySet[Any], dict[str, Any]]]":
    """Rows, and what their columns hold then; with none the rows go."""
    runs = over.values("pk")
    facts = Fact.objects.filter(agent=OuterRef("report__agent"), fingerprint=OuterRef("key"))
    stands = Q(Exists(facts.filter(owner=OuterRef("report__owner"))))
    stands |= Q(Exists(facts.filter(owner=None)), report__owner=None)
    weighed = Candidate.objects.filter(report__run__in=runs).exclude(stands)
    yield weighed.exclude(verdict=Candidate.Verdict.KEPT), {}
    yield Operation.objects.filter(report__run__in=runs).exclude(code=""), {}
    answered = Q(answer__isnull=False) | Q(checked__isnull=False)
    yield over.filter(answered), {"answer": None, "checked": None}
    extractions: Any = Run._meta.get_field("extractions").related_model
    done = extractions.objects.filter(run__in=runs).exclude(status="answered")
    yield done.exclude(answer={}), {"answer": {}}


def _some(rows: "QuerySet[Any]") -> list[Any]:
    return list(rows.values_list("pk", flat=True)[:A_TICK])


def _forget(team: Team, found: "list[tuple[QuerySet[Any], list[Any], dict[str, Any]]]") -> None:
    with write_transaction(team) as tx:
        for rows, keys, left in found:
            its = rows.model._default_manager.filter(pk__in=keys)
            its.update(**left) if left else its.delete()
        counts = {rows.model.__name__.lower(): len(keys) for rows, keys, _left in found}
        tx.record("reports.expired", details=counts)
