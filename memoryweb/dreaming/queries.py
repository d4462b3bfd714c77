"""What the pages ask about dreams, each in a number of queries that rows do not change."""

from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db.models import (
    Case,
    Count,
    DateField,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Sum,
    When,
)
from django.db.models.functions import Coalesce, TruncDate
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from memoryweb.accounts.models import Team
from memoryweb.agents.models import Agent
from memoryweb.conversations.models import Conversation
from memoryweb.dreaming import inputs
from memoryweb.dreaming.earlier import last_reports
from memoryweb.dreaming.models import Candidate, Operation, Report
from memoryweb.dreaming.status import LATE, late_dreams, of_endpoint, repeating
from memoryweb.provenance.models import LineOrigin
from memoryweb.review.models import Proposal
from memoryweb.runs.models import Run
from memoryweb.search.models import Passage

NIGHTS = 14
_MATTERS = (
    Run.Status.FAILED,
    Run.Status.NEEDS_REVIEW,
    Run.Status.SUCCEEDED,
    Run.Status.NO_CHANGE,
    Run.Status.SKIPPED,
)


def local_day(run: str = "") -> Coalesce:
    """A run's night, or the UTC date of one that was asked for. `run`: the way to it, with `__`."""
    asked = TruncDate(Coalesce(f"{run}clock", f"{run}created_at"), tzinfo=UTC)
    return Coalesce(f"{run}night", asked, output_field=DateField())


@dataclass(frozen=True)
class Night:
    """All dreams of an agent on one local date. `status` is the one that matters most."""

    day: date
    status: str = ""
    promoted: int = 0
    runs: int = 0


@dataclass(frozen=True)
class AgentNights:
    agent: Agent
    nights: list[Night]
    last: Run | None = None
    last_night: Night | None = None
    running: Run | None = None
    waiting: int = 0
    owners: int = 0
    proposals: int = 0
    is_late: bool = False
    repeats: bool = False

    @property
    def has_failed(self) -> bool:
        return bool(self.last and self.last.status == Run.Status.FAILED and not self.running)


@dataclass
class _Counts:
    nights: dict[UUID, dict[date, Night]]
    last: dict[UUID, Run] = field(default_factory=dict)
    running: dict[UUID, Run] = field(default_factory=dict)
    waiting: dict[UUID, int] = field(default_factory=dict)
    owners: dict[UUID, int] = field(default_factory=dict)
    proposals: dict[UUID, int] = field(default_factory=dict)
    repeats: set[UUID] = field(default_factory=set)


def nights_of(agents: Sequence[Agent], visible: Q, now: datetime) -> list[AgentNights]:
    """The last 14 nights and the next one of each agent. `visible` filters rows by `owner`."""
    counts = _counts(agents, visible, now)
    return [_of_agent(agent, counts, now) for agent in agents]


@dataclass(frozen=True)
class Dreamt:
    """A dream that is over, with what it changed: (outcome, text, what stood there before)."""

    run: UUID
    status: str
    day: date
    ended_at: datetime
    seconds: int
    changes: list[tuple[str, str, list[str]]]


def dreamt(agent: Agent, owner_id: UUID | None, now: datetime, days: int = NIGHTS) -> list[Dreamt]:
    """The dreams of exactly one memory, the latest first, in one statement."""
    runs = Run.objects.filter(agent=agent, owner=owner_id, kind=Run.Kind.DREAM)
    runs = runs.filter(finished_at__gte=now - timedelta(days=days + 1), reverted_at=None)
    at = Coalesce("clock", "finished_at")
    its = ("does", "why", "code", "waits", "before", "after")
    rows = runs.annotate(at=at).order_by("-at", "pk", "report__operations__position")
    columns = ("pk", "status", "night", "at", "started_at", "finished_at")
    found: dict[UUID, Dreamt] = {}
    for row in rows.values(*columns, *(f"report__operations__{name}" for name in its)):
        run = found.get(row["pk"]) or _dreamt(agent, row)
        found[row["pk"]] = run
        one = Operation(**{name: row[f"report__operations__{name}"] for name in its})
        if one.does and not one.code and not one.waits:
            run.changes.append((one.outcome, one.after, one.before))
    return list(found.values())


def _dreamt(agent: Agent, row: dict[str, Any]) -> Dreamt:
    day = row["night"] or row["at"].astimezone(agent.zone).date()
    took = row["finished_at"] - (row["started_at"] or row["finished_at"])
    return Dreamt(row["pk"], row["status"], day, row["at"], round(took.total_seconds()), [])


def by_verdict(report: Report) -> "QuerySet[Candidate]":
    """Promoted first, then kept, then rejected; the best score first in each."""
    order = Case(
        *(When(verdict=verdict, then=at) for at, verdict in enumerate(Candidate.Verdict)),
        default=9,
    )
    return report.candidates.order_by(order, "-score", "key")


def team_warnings(team: Team) -> list[str]:
    """Sentences about what stops every dream of the team."""
    said = []
    if not settings.DREAMING:
        said.append(_("Dreaming is turned off for this installation."))
    if late := late_dreams(timezone.now()).filter(team=team).count():
        told = ngettext(
            "{n} dream is more than two hours late.",
            "{n} dreams are more than two hours late.",
            late,
        )
        said.append(told.format(n=late))
    return [*said, *of_endpoint(team)]


def _counts(agents: Sequence[Agent], visible: Q, now: datetime) -> _Counts:
    ids = [agent.pk for agent in agents]
    dreams = Run.objects.filter(visible, agent__in=ids, kind=Run.Kind.DREAM)
    counts = _Counts(_nights(dreams, now))
    newest = dreams.filter(agent=OuterRef("agent"), finished_at__isnull=False)
    newest_first = newest.order_by(Coalesce("clock", "finished_at").desc()).values("pk")
    for run in dreams.filter(pk=Subquery(newest_first[:1])).select_related("report"):
        counts.last[run.agent_id] = run
    for run in dreams.active().order_by("-created_at"):
        counts.running[run.agent_id] = run
    counts.waiting = waiting(agents, visible, now)
    counts.repeats = repeating(ids, now)
    owners = Conversation.objects.filter(agent__in=ids).values_list("agent")
    counts.owners = dict(owners.annotate(Count("owner", distinct=True)).order_by())
    pending = Proposal.objects.filter(
        file__agent__in=ids, run__in=dreams.values("pk"), state=Proposal.State.PENDING
    ).values_list("file__agent")
    counts.proposals = dict(pending.annotate(Count("pk")).order_by())
    return counts


def _nights(dreams: "QuerySet[Run]", now: datetime) -> dict[UUID, dict[date, Night]]:
    """Agent → local date → its dreams. One grouped query; a dream by hand counts by UTC date."""
    since = now - timedelta(days=NIGHTS + 1)
    rows = (
        dreams.filter(Q(night__gte=since.date()) | Q(night=None, created_at__gte=since))
        .filter(finished_at__isnull=False)
        .annotate(day=local_day())
        .values_list("agent", "day", "status")
        .annotate(Sum("report__promoted"), Count("pk"))
        .order_by()
    )
    nights: dict[UUID, dict[date, Night]] = defaultdict(dict)
    for agent_id, on, status, promoted, runs in rows:
        before = nights[agent_id].get(on, Night(on))
        nights[agent_id][on] = Night(
            on, _worse(before.status, status), before.promoted + (promoted or 0), before.runs + runs
        )
    return nights


def _worse(one: str, other: str) -> str:
    return min(one or other, other, key=_MATTERS.index)


def _of_agent(agent: Agent, counts: _Counts, now: datetime) -> AgentNights:
    nights = counts.nights.get(agent.pk, {})
    today = now.astimezone(agent.zone).date()
    days = [today - timedelta(days=ago) for ago in reversed(range(NIGHTS))]
    last = counts.last.get(agent.pk)
    due = agent.next_dream_at
    return AgentNights(
        agent=agent,
        nights=[nights.get(day, Night(day)) for day in days],
        last=last,
        last_night=nights.get(day_of(last)) if last else None,
        running=counts.running.get(agent.pk),
        waiting=counts.waiting.get(agent.pk) or 0,
        owners=counts.owners.get(agent.pk, 0),
        proposals=counts.proposals.get(agent.pk, 0),
        repeats=agent.pk in counts.repeats,
        is_late=agent.dreaming and due is not None and due < now - LATE,
    )


def day_of(run: Run) -> date:
    return run.night or (run.clock or run.created_at).astimezone(UTC).date()


def waiting(agents: Collection[Agent], visible: Q, now: datetime) -> dict[UUID, int]:
    """Agent → statements that the latest dreams kept for a later night, and blocks of notes that
    no dream has looked at yet. `visible` filters rows by `owner`. In three statements."""
    latest = _latest(agents, visible)
    found = Counter(_kept(latest, now))
    found.update(_unseen(agents, visible, latest, now))
    return dict(found)


def _latest(agents: Collection[Agent], visible: Q) -> list[Report]:
    """Of each agent and owner."""
    last = last_reports(Report.objects.filter(visible, agent__in=agents))
    return list(last.select_related("run").only("run__inputs").order_by())


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
