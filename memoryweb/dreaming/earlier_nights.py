"""What earlier dreams of one memory did, which this one does not undo from older notes."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db.models import F, QuerySet, Window
from django.db.models.functions import RowNumber
from django.utils import timezone

from memoryweb.core.prepared_queries import PreparedQuery
from memoryweb.dreaming.models import Candidate, Operation, Report
from memoryweb.dreaming.operations import Correction, Why
from memoryweb.language.extraction_rules import claim_of
from memoryweb.memory.writing.put_back import UNTOLD
from memoryweb.runs.models import Run

RETIRED_DAYS = 30


def done_before(run: Run) -> list[Operation]:
    """What earlier dreams did, of which the notes may still be there to be read."""
    since, until = run.now - timedelta(days=RETIRED_DAYS), run.now
    if run.trigger == Run.Trigger.BACKFILL:  # what left later does not come back from before
        until = timezone.now()
    return _done(run.agent_id, run.owner_id, run.pk, since, until)


@PreparedQuery
def _done(
    agent_id: UUID, owner_id: UUID | None, run_id: UUID, since: datetime, until: datetime
) -> QuerySet[Operation]:
    rows = Operation.objects.filter(report__owner=owner_id, report__agent=agent_id)
    rows = rows.filter(code="", waits="", report__dreamt_at__range=(since, until))
    rows = rows.exclude(report__run=run_id).exclude(report__run__reverted_at__isnull=False)
    rows = rows.exclude(why=Why.ROOM).order_by("report__dreamt_at", "position")
    return rows.select_related("report")


def retired(done: Iterable[Operation]) -> Iterator[tuple[Correction, str]]:
    for one in done:
        for text in (text for text in one.before if text != UNTOLD):
            at = one.report.dreamt_at
            yield Correction(text, claim_of(text), at, is_persons=False), one.why


def is_held(gates: Iterable[Mapping[str, Any]]) -> bool:
    """Left to a person, whatever else was wanting."""
    return any(gate["name"] == "reviewed" and not gate["passed"] for gate in gates)


def last_reports(reports: QuerySet[Report]) -> QuerySet[Report]:
    """Of each agent and owner."""
    newest_first = Window(
        RowNumber(), partition_by=[F("agent"), F("owner")], order_by=F("dreamt_at").desc()
    )
    return reports.annotate(place=newest_first).filter(place=1)


def kept_last(reports: QuerySet[Report]) -> QuerySet[Candidate]:
    """What the last of these dreams of each memory kept for later, but for those on a topic."""
    last = last_reports(reports.filter(run__topic=""))
    return Candidate.objects.filter(report__in=last.values("pk"), verdict=Candidate.Verdict.KEPT)


def held(run: Run) -> dict[str, UUID]:
    """Statements that last time were left to a person, with their notes."""
    rows = _kept_before(run.agent_id, run.owner_id, run.pk, run.now)
    return {key: file for key, file, gates in rows if file and is_held(gates)}


@PreparedQuery
def _kept_before(
    agent_id: UUID, owner_id: UUID | None, run_id: UUID, now: datetime
) -> QuerySet[Candidate, tuple[str, UUID | None, Any]]:
    reports = Report.objects.filter(owner=owner_id, agent=agent_id)
    kept = kept_last(reports.filter(dreamt_at__lte=now).exclude(run=run_id))
    return kept.values_list("key", "file", "gates")
