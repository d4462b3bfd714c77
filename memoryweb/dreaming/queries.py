"""What the pages ask about dreams, each in a number of queries that rows do not change."""

from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db.models import (
    Count,
    DateField,
    Max,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
)
from django.db.models.functions import Coalesce, TruncDate
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from memoryweb.accounts.models import Team
from memoryweb.agents.models import Agent
from memoryweb.core.prepared_queries import PreparedQuery
from memoryweb.dreaming.models import Candidate, Operation
from memoryweb.dreaming.status import LATE, of_endpoint
from memoryweb.dreaming.story import Tally, counts
from memoryweb.memory.models import Conversation
from memoryweb.memory.models.writer import Memory
from memoryweb.memory.visible.outdated import ending
from memoryweb.memory.visible.request_contents import away_from
from memoryweb.runs.healthcheck import with_ticks
from memoryweb.runs.models import ACTIVE, Run

NIGHTS = 14
_MOST = 500  # agents that a page speaks of
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
    """All dreams of an agent on one local date. `status` is the one that matters most; `added` and
    `changed` count the statements that came in, and those that were changed or left, of what the
    reader may read, `promoted` all that came in, the last of them at `at`."""

    day: date
    status: str = ""
    promoted: int = 0
    added: int = 0
    changed: int = 0
    at: datetime | None = None


@dataclass(frozen=True)
class AgentNights:
    agent: Agent
    nights: list[Night]
    last: Run | None = None
    last_night: Night | None = None
    running: Run | None = None
    late: int = 0  # dreams of nights that still wait
    is_late: bool = False

    @property
    def told_at(self) -> datetime | None:
        """Of what is told of it: what the last night added, else the last dream."""
        if self.last_night and self.last_night.promoted:
            return self.last_night.at
        return ended_at(self.last) if self.last else None

    @property
    def has_failed(self) -> bool:
        return bool(self.last and self.last.status == Run.Status.FAILED and not self.running)


@dataclass
class _Counts:
    nights: dict[UUID, dict[date, Night]]
    last: dict[UUID, Run] = field(default_factory=dict)
    running: dict[UUID, Run] = field(default_factory=dict)
    late: Counter[UUID] = field(default_factory=Counter)


def nights_of(
    agents: Sequence[Agent], visible: Q, now: datetime, open_to: Q | None = None
) -> list[AgentNights]:
    """The last 14 nights and the next one of each agent, in two statements. `visible` filters rows
    by `owner`, `open_to` those whose text may be read."""
    counts = _counts(agents, visible, now, open_to or visible)
    return [_of_agent(agent, counts, now) for agent in agents]


@PreparedQuery
def live_agents(
    team: UUID, owners: Collection[UUID], soon: tuple[date, date], until: datetime
) -> "QuerySet[Any]":
    """`ending`: how many statements about these owners leave memory on one of these days."""
    leaving = ending(owners, soon).order_by().values("team").annotate(n=Count("pk")).values("n")
    agents = Agent.objects.live().filter(team=team)
    return with_ticks(agents.annotate(ending=Coalesce(Subquery(leaving), 0)), until)[:_MOST]


@dataclass(frozen=True)
class Dreamt:
    """A dream that is over, with what it changed."""

    run: UUID
    status: str
    day: date
    ended_at: datetime
    seconds: int
    changes: list[Operation]


def dreamt(memory: Memory, now: datetime, days: int = NIGHTS) -> list[Dreamt]:
    """The dreams of exactly one memory, the latest first, without what is to be forgotten."""
    away = away_from(*memory.key)
    found: dict[UUID, Dreamt] = {}
    since = now - timedelta(days=days + 1)
    for row in _dreams(memory.agent.pk, memory.owner_id, since):
        run = found.get(row["pk"]) or _dreamt(memory.agent, row)
        found[row["pk"]] = run
        one = Operation(**{name: row[f"report__operations__{name}"] for name in _DID})
        texts = filter(None, (one.after, *(one.before or ())))
        if one.does and not one.code and not one.waits and not any(map(away.is_in, texts)):
            run.changes.append(one)
    return list(found.values())


_DID = ("does", "why", "code", "waits", "before", "after")


@PreparedQuery
def _dreams(agent: UUID, owner: UUID | None, since: datetime) -> "QuerySet[Any, Any]":
    runs = Run.objects.filter(agent=agent, owner=owner, kind=Run.Kind.DREAM)
    runs = runs.filter(finished_at__gte=since, reverted_at=None)
    rows: QuerySet[Any, Any] = runs.annotate(at=Coalesce("clock", "finished_at"))
    rows = rows.order_by("-at", "pk", "report__operations__position")
    columns = ("pk", "status", "night", "at", "started_at", "finished_at")
    return rows.values(*columns, *(f"report__operations__{name}" for name in _DID))


def _dreamt(agent: Agent, row: dict[str, Any]) -> Dreamt:
    day = row["night"] or row["at"].astimezone(agent.zone).date()
    took = row["finished_at"] - (row["started_at"] or row["finished_at"])
    return Dreamt(row["pk"], row["status"], day, row["at"], round(took.total_seconds()), [])


def left_of(reports: Collection[UUID]) -> "QuerySet[Candidate]":
    """What dreams did not take, the best score first."""
    found = Candidate.objects.filter(report__in=reports)
    return found.exclude(verdict=Candidate.Verdict.PROMOTED).order_by("-score", "key")


def is_known(candidate: Candidate) -> bool:
    """Memory said it already."""
    return any(one["name"] == "new" and not one["passed"] for one in candidate.gates)


def team_warnings(team: Team, late: int) -> list[str]:
    """Sentences about what stops every dream of the team."""
    said = []
    if not settings.DREAMING:
        said.append(_("Dreaming is turned off for this installation."))
    if late:
        told = ngettext(
            "{n} dream is more than two hours late.",
            "{n} dreams are more than two hours late.",
            late,
        )
        said.append(told.format(n=late))
    return [*said, *of_endpoint(team)]


def _counts(agents: Sequence[Agent], visible: Q, now: datetime, open_to: Q) -> _Counts:
    ids = tuple(agent.pk for agent in agents)
    counts = _Counts(_nights(ids, visible, now, open_to))
    for run in _shown(ids, visible):
        if run.pk == run.newest:
            counts.last[run.agent_id] = run
        if run.is_active:
            counts.running[run.agent_id] = run
            is_late = run.trigger == Run.Trigger.CRON and run.created_at < now - LATE
            counts.late[run.agent_id] += is_late
    return counts


@PreparedQuery
def _shown(agents: Sequence[UUID], visible: Q) -> "QuerySet[Any]":
    """What goes on, and the last dream of each agent."""
    dreams = Run.objects.filter(visible, agent__in=agents, kind=Run.Kind.DREAM)
    newest = dreams.filter(agent=OuterRef("agent"), finished_at__isnull=False)
    newest_first = newest.order_by(Coalesce("clock", "finished_at").desc()).values("pk")
    shown = dreams.filter(ACTIVE | Q(pk=Subquery(newest_first[:1]))).select_related("report")
    return shown.annotate(newest=Subquery(newest_first[:1])).order_by("-created_at")


def did_of(runs: Collection[UUID]) -> dict[UUID, Tally]:
    """What each dream did."""
    rows = Operation.objects.filter(report__run__in=runs).values_list("report__run")
    return {run: Tally(*did) for run, *did in rows.annotate(**counts()).order_by()}


def done_in(team: Team, reach: Q, **when: datetime) -> "QuerySet[Operation]":
    """What dreams did to statements of agents that are not archived, but for what was reverted."""
    return Operation.objects.filter(
        reach,
        team=team,
        code="",
        waits="",
        report__agent__archived_at=None,
        report__run__reverted_at=None,
        **when,
    )


def people_of(agents: Sequence[Agent]) -> dict[UUID, int]:
    """Agent → how many people talked to it."""
    owners = Conversation.objects.filter(agent__in=agents).values_list("agent")
    return dict(owners.annotate(Count("owner", distinct=True)).order_by())


@PreparedQuery
def _counted(
    agents: Sequence[UUID], visible: Q, day: date, since: datetime, open_to: Q
) -> "QuerySet[Any, Any]":
    """By agent, local date and outcome; a dream by hand counts by UTC date."""
    did = Q(report__operations__code="", report__operations__waits="")
    came = did & Q(report__operations__before=[])
    told = open_to & Q(reverted_at=None)
    changed = did & told & ~Q(report__operations__before=[])
    dreams = Run.objects.filter(visible, agent__in=agents, kind=Run.Kind.DREAM)
    recent = dreams.filter(Q(night__gte=day) | Q(night=None, created_at__gte=since))
    rows = recent.filter(finished_at__isnull=False).annotate(day=local_day())
    return (
        rows.values_list("agent", "day", "status")
        .annotate(
            promoted=Count("report__operations", filter=came),
            added=Count("report__operations", filter=came & told),
            changed=Count("report__operations", filter=changed),
            at=Max(Coalesce("clock", "finished_at"), filter=came),
        )
        .order_by()
    )


def _nights(
    agents: Sequence[UUID], visible: Q, now: datetime, open_to: Q
) -> dict[UUID, dict[date, Night]]:
    """Agent → local date → its dreams."""
    since = now - timedelta(days=NIGHTS + 1)
    rows = _counted(agents, visible, since.date(), since, open_to)
    nights: dict[UUID, dict[date, Night]] = defaultdict(dict)
    for agent_id, on, status, promoted, added, changed, at in rows:
        before = nights[agent_id].get(on, Night(on))
        nights[agent_id][on] = Night(
            on,
            _worse(before.status, status),
            before.promoted + promoted,
            before.added + added,
            before.changed + changed,
            max(filter(None, (before.at, at)), default=None),
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
        late=counts.late[agent.pk],
        is_late=agent.dreaming and due is not None and due < now - LATE,
    )


def ended_at(run: Run) -> datetime | None:
    """When it was over; a simulated night at the moment that it took for now."""
    return run.clock if run.clock and run.finished_at else run.finished_at


def day_of(run: Run) -> date:
    return run.night or (run.clock or run.created_at).astimezone(UTC).date()
