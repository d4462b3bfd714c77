"""What waits for an agent's next dream."""

from collections import Counter
from collections.abc import Collection
from datetime import datetime
from uuid import UUID

from django.db.models import Count, F, OuterRef, Q, Subquery, Window
from django.db.models.functions import RowNumber

from memoryweb.agents.models import Agent
from memoryweb.dreaming import inputs
from memoryweb.dreaming.models import Candidate, Report
from memoryweb.provenance.models import LineOrigin
from memoryweb.search.models import Passage


def waiting(agents: Collection[Agent], visible: Q, now: datetime) -> dict[UUID, int]:
    """Agent → statements that the latest dreams kept for a later night, and blocks of notes that
    no dream has looked at yet. `visible` filters rows by `owner`. In three statements."""
    latest = _latest(agents, visible)
    found = Counter(_kept(latest, now))
    found.update(_unseen(agents, visible, latest, now))
    return dict(found)


def _latest(agents: Collection[Agent], visible: Q) -> list[Report]:
    """Of each agent and owner."""
    newest_first = Window(
        RowNumber(), partition_by=[F("agent"), F("owner")], order_by=F("dreamt_at").desc()
    )
    reports = Report.objects.filter(visible, agent__in=agents).annotate(place=newest_first)
    return list(reports.filter(place=1).select_related("run").only("run__inputs").order_by())


def _kept(latest: Collection[Report], now: datetime) -> dict[UUID, int]:
    kept = Candidate.objects.filter(
        report__in=latest,
        verdict=Candidate.Verdict.KEPT,
        file__note_date__range=inputs.window(now),
    )
    rows = kept.values_list("report__agent").annotate(Count("pk"))
    return dict(rows.order_by())


def _unseen(
    agents: Collection[Agent], visible: Q, latest: Collection[Report], now: datetime
) -> Counter[UUID]:
    """A note's block is new when its line is younger than the revision that was looked at."""
    seen = {
        note["file"]: note["revision"]
        for report in latest
        for note in (report.run.inputs or {}).get("notes", ())
    }
    lines = LineOrigin.objects.filter(file=OuterRef("file"), line=OuterRef("line"))
    passages = Passage.objects.filter(
        visible, agent__in=agents, file__note_date__range=inputs.window(now)
    )
    rows = passages.annotate(since=Subquery(lines.order_by("-since").values("since")[:1]))
    counted = rows.values_list("agent", "file", "since").annotate(Count("pk")).order_by()
    unseen: Counter[UUID] = Counter()
    for agent, file, since, blocks in counted:
        if (since or 1) > seen.get(str(file), 0):
            unseen[agent] += blocks
    return unseen
