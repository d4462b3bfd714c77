"""What the dreams of one night did to statements, each with what is known of it now."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from typing import Any
from uuid import UUID

from django.db.models import Count, Q
from django.utils import timezone

from memoryweb.agents.models import Agent, Owner
from memoryweb.dreaming.models import Operation, Report
from memoryweb.dreaming.queries import day_of, local_day
from memoryweb.facts.listing import weighed
from memoryweb.facts.models import Evidence, Fact
from memoryweb.language.statements import fingerprint
from memoryweb.runs.models import Run

_DID = Q(code="", waits="")
_SHOWN = ("run", "owner__person", "owner__integration")


@dataclass(frozen=True)
class Learned:
    """One operation. `fact` is the statement that it made, or the one that it took away; None
    where that is gone. `said` is the latest message under it."""

    operation: Operation
    report: Report
    fact: Any | None = None
    said: Evidence | None = None


@dataclass
class AgentNight:
    """An agent's dreams of one local date. `others`: owner → how many operations were on what
    this reader may only count."""

    agent: Agent
    day: date
    reports: list[Report] = field(default_factory=list)
    learned: list[Learned] = field(default_factory=list)
    others: Counter[UUID] = field(default_factory=Counter)

    @property
    def learned_count(self) -> int:
        return self._count("add", "back")

    @property
    def changed_count(self) -> int:
        return self._count("replace", "merge")

    @property
    def retired_count(self) -> int:
        return self._count("retire")

    @property
    def changes(self) -> int:
        return len(self.learned)

    def _count(self, *outcomes: str) -> int:
        return sum(one.operation.outcome in outcomes for one in self.learned)


def night_of_each(
    days: Mapping[Agent, date], *, open_to: Q, counted: Q | None
) -> dict[UUID, AgentNight]:
    """Agent → its night of that day. `open_to` filters what this reader reads by `owner`, `counted`
    what they may know the count of; None: nothing. In five statements."""
    nights = {agent.pk: AgentNight(agent, day) for agent, day in days.items()}
    if not nights:
        return nights
    reports = _reports(days)
    for report in reports.filter(open_to).select_related(*_SHOWN).order_by("dreamt_at"):
        night = nights[report.agent_id]
        if day_of(report.run) == night.day:
            night.reports.append(report)
    shown = {report.pk: report for night in nights.values() for report in night.reports}
    for one in _told(shown):
        nights[one.report.agent_id].learned.append(one)
    if counted is not None:
        of_others = reports.filter(counted).exclude(open_to).annotate(day=local_day("run__"))
        rows = of_others.filter(operations__code="", operations__waits="")
        counts = rows.values_list("agent", "owner", "day").annotate(Count("operations"))
        for agent_id, owner_id, day, count in counts.order_by():
            if day == nights[agent_id].day and owner_id:
                nights[agent_id].others[owner_id] += count
    return nights


def counts_by_day(
    agents: Sequence[Agent], open_to: Q, since: date
) -> dict[tuple[UUID, date], tuple[int, int]]:
    """(agent, day) → statements that came in, and those that were changed or left. One statement;
    it counts what `night_of_each` tells."""
    dreams = Run.objects.filter(open_to, agent__in=agents, kind=Run.Kind.DREAM, reverted_at=None)
    did = Q(report__operations__code="", report__operations__waits="")
    came = Q(report__operations__before=[])
    rows = (
        dreams.annotate(day=local_day())
        .filter(day__gte=since)
        .values_list("agent", "day")
        .annotate(
            added=Count("report__operations", filter=did & came),
            changed=Count("report__operations", filter=did & ~came),
        )
        .order_by()
    )
    return {(agent, day): (added, changed) for agent, day, added, changed in rows}


def names_of(nights: Sequence[AgentNight]) -> dict[UUID, Owner]:
    """Those whose memory is only counted, where one of them alone is named."""
    alone = [next(iter(night.others)) for night in nights if len(night.others) == 1]
    owners = (
        Owner.objects.filter(pk__in=alone).select_related("person", "integration") if alone else ()
    )
    return {owner.pk: owner for owner in owners}


def _reports(days: Mapping[Agent, date]) -> Any:
    """A little more than asked for: zones differ, and so may the clock of a run."""
    first, last = min(days.values()), max(days.values())
    since = timezone.make_aware(datetime.combine(first, time.min)) - timedelta(days=2)
    until = timezone.make_aware(datetime.combine(last, time.max)) + timedelta(days=2)
    return Report.objects.filter(
        agent__in=[agent.pk for agent in days],
        dreamt_at__gte=since,
        dreamt_at__lte=until,
        run__reverted_at=None,
    )


def _told(reports: Mapping[UUID, Report]) -> list[Learned]:
    operations = list(
        Operation.objects.filter(_DID, report__in=reports).order_by("report", "position")
    )
    prints = {one.pk: fingerprint(one.after or next(iter(one.before), "")) for one in operations}
    agents = {report.agent_id for report in reports.values()}
    rows = weighed(Fact.objects.filter(agent__in=agents, fingerprint__in=set(prints.values())))
    facts: dict[tuple[UUID, UUID | None, str], Any] = {}
    for fact in rows.select_related("agent", "confirmed_by", "corrected_by").order_by("changed_at"):
        facts[fact.agent_id, fact.owner_id, fact.fingerprint] = fact
    said = _said([fact.pk for fact in facts.values()])
    told = []
    for one in operations:
        report = reports[one.report_id]
        fact = facts.get((report.agent_id, report.owner_id, prints[one.pk]))
        told.append(Learned(one, report, fact, said.get(fact.pk) if fact else None))
    return told


def _said(facts: Sequence[UUID]) -> dict[UUID, Evidence]:
    """Statement → the message that said it last."""
    rows = Evidence.objects.filter(fact__in=facts, message__isnull=False)
    rows = rows.select_related("message__conversation__owner").order_by("said_at", "pk")
    found: dict[UUID, Evidence] = defaultdict()
    for row in rows:
        found[row.fact_id] = row
    return found
