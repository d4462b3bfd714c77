"""Who is next: teams take turns, and in a team whoever has waited longest."""

from collections.abc import Collection
from datetime import datetime
from uuid import UUID

from django.conf import settings
from django.db.models import (
    Case,
    Count,
    DateTimeField,
    Exists,
    IntegerField,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    When,
)
from django.db.models.functions import Coalesce
from django.db.models.lookups import LessThan

from memoryweb.runs.models import Run

WAITING = (Run.Status.QUEUED, Run.Status.FAILED)


def due(now: datetime) -> QuerySet[Run]:
    """Queued, or failed with a next try, whose time has come. Finished runs have no `due_at`."""
    return Run.objects.filter(status__in=WAITING, due_at__lte=now)


def startable(now: datetime) -> QuerySet[Run]:
    """Due, its team below its share, and its (agent, owner, kind) not running already."""
    twins = _live(now).filter(agent=OuterRef("agent"), kind=OuterRef("kind"))
    shared_twin = Q(owner=None) & Exists(twins.filter(owner=None))
    return due(now).filter(
        ~Exists(twins.filter(owner=OuterRef("owner"))),
        ~shared_twin,
        LessThan(_team_running(now), settings.RUNS_PER_TEAM),
    )


def fairest(
    now: datetime, *, kinds: Collection[str] | None = None, run_id: UUID | None = None
) -> QuerySet[Run]:
    """The startable runs, fairest first, in one statement over the waiting and running rows."""
    runs = startable(now)
    if kinds is not None:
        runs = runs.filter(kind__in=list(kinds))
    if run_id is not None:
        runs = runs.filter(pk=run_id)
    return runs.order_by(
        _team_running(now), _last_finished().asc(nulls_first=True), "due_at", "created_at", "pk"
    ).select_related("team", "agent", "owner")


def _live(now: datetime) -> QuerySet[Run]:
    """The team's running runs, for a subquery. One whose lease ran out takes no one's place."""
    return Run.objects.filter(
        team=OuterRef("team"), status=Run.Status.RUNNING, lease_until__gt=now
    ).order_by()


def _team_running(now: datetime) -> Coalesce:
    counted = _live(now).values("team").annotate(count=Count("pk")).values("count")
    return Coalesce(Subquery(counted, output_field=IntegerField()), 0)


def _last_finished() -> Case:
    # Two subqueries and not one with OR: each can then walk the index to its newest row.
    finished = Run.objects.filter(
        agent=OuterRef("agent"), kind=OuterRef("kind"), finished_at__isnull=False
    ).order_by("-finished_at")
    return Case(
        When(owner=None, then=Subquery(finished.filter(owner=None).values("finished_at")[:1])),
        default=Subquery(finished.filter(owner=OuterRef("owner")).values("finished_at")[:1]),
        output_field=DateTimeField(),
    )
