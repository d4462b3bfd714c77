"""What the dreams of one night did to statements, each with what is known of it now."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, time, timedelta
from itertools import islice
from typing import Any
from uuid import UUID

from django.db.models import Case, Count, OuterRef, Q, QuerySet, Subquery, When
from django.utils import timezone

from memoryweb.accounts.models import User
from memoryweb.agents.models import Agent, Owner
from memoryweb.core.prepared_queries import PreparedQuery
from memoryweb.dreaming.models import Operation, Report, Seen
from memoryweb.dreaming.operations import Waits
from memoryweb.dreaming.queries import day_of, local_day
from memoryweb.dreaming.story import Tally
from memoryweb.language.statement_comparison import fingerprint
from memoryweb.memory.models import AuthorKind, Contradiction, Evidence, Fact, Proposal
from memoryweb.memory.statements.listing import counted
from memoryweb.memory.visible.hidden import MARK, hiding, is_hidden
from memoryweb.memory.visible.readable import To, cited, statement
from memoryweb.memory.writing.changes import brings, not_taken
from memoryweb.runs.models import Run

# The filter for what a reader reaches, by the name of the owner's field.
Reach = Callable[[str], Q]
# What statements stand on, by their ids, the latest first.
Cite = Callable[[tuple[UUID, ...]], Sequence[Any]]
_WHOSE = ("owner__person", "owner__integration")
_SHOWN = ("report__run", *(f"report__{one}" for one in _WHOSE))
_ORDER = ("report__dreamt_at", "report", "position")
_NAMED = (
    "owner__source",
    "owner__external_id",
    "owner__person__name",
    "owner__person__email",
    "owner__integration__name",
)
_DONE = Count("operations", filter=Q(operations__code="", operations__waits=""))
_WORDS = (AuthorKind.PERSON, AuthorKind.AGENT)
_EDITS = 5  # of one statement that are followed to what it says now


@dataclass(frozen=True)
class NightResult:
    """One operation. `fact` is the statement that it made, or the one that it took away; None
    where that is gone. `said` is the latest message under it. Where a person put it in other words
    since, `fact` is theirs and `was` the one before. `became`: see `outcomes`;
    `replaces`: the latest message under what stood there before."""

    operation: Any
    report: Report
    fact: Any | None = None
    said: Evidence | None = None
    was: Any | None = None
    became: str = ""
    replaces: Evidence | None = None

    @property
    def kind(self) -> str:
        """As `Operation.kind`, but for what waited: what people decided since."""
        found = {"accepted": self.operation.change, "rejected": "rejected", "left_out": "skipped"}
        kind: str = self.operation.kind
        return found.get(self.became, kind) if kind == "waits" else kind

    @property
    def stands(self) -> str:
        """What a person has put it in since; empty where they left it as it was."""
        return statement(self.fact, To.PAGE).text if self.was and self.fact else ""

    @property
    def is_disputed(self) -> bool:
        """A person is asked about it."""
        about = self.fact.contradiction if self.fact else None
        return bool(about and about.state == Contradiction.State.OPEN)

    @property
    def holds(self) -> bool:
        """Nothing has undone it since: what came in stands, what left did not come back."""
        if self.fact is None:
            return True
        if self.operation.outcome == "retire":
            return self.fact.file_id is None
        return self.fact.state not in Fact.OVER and self.fact.hidden_at is None

    @property
    def is_new(self) -> bool:
        """Its reader has not been told of it."""
        seen = getattr(self.operation, "seen_at", None)
        done = self.report.run.finished_at
        return seen is None or (done is not None and done > seen)


@dataclass
class AgentNight:
    """An agent's dreams of one local date. `asked`: what a person decides about; `others`: owner →
    how many operations were on what this reader may only count; `people`: who those are."""

    agent: Agent
    day: date
    reports: list[Report] = field(default_factory=list)
    learned: list[NightResult] = field(default_factory=list)
    asked: list[NightResult] = field(default_factory=list)
    others: Counter[UUID] = field(default_factory=Counter)
    people: dict[UUID, Owner] = field(default_factory=dict)

    @property
    def is_any(self) -> bool:
        return bool(self.learned or self.asked or self.others)

    @property
    def tally(self) -> Tally:
        return Tally.of(one.kind for one in self.learned)

    def add_others(self, report: Any) -> None:
        """`n` operations of a report that this reader doesn't read."""
        if report.owner:
            self.others[report.owner.pk] += report.n
            self.people[report.owner.pk] = report.owner


def night_of_each(
    days: Mapping[Agent, date],
    *,
    open_to: Reach,
    counted: Reach | None,
    whose: Mapping[str, Any],
) -> dict[UUID, AgentNight]:
    """Agent → its night of that day. `open_to` filters what this reader reads, `counted` what they
    may know the count of; None: nothing. `whose` says of whom `Seen` tells. In two statements:
    what is known of the results now is found by `detail`."""
    nights = {agent.pk: AgentNight(agent, day) for agent, day in days.items()}
    if not nights:
        return nights
    around = _around(days)
    reports: dict[UUID, Report] = {}
    for one in _done(*around, open_to("report__owner"), Q(**whose)):
        night = nights[one.report.agent_id]
        if one.day == night.day:
            if one.report_id not in reports:
                reports[one.report_id] = one.report
                night.reports.append(one.report)
            one.report = reports[one.report_id]
            results = night.asked if one.waits else night.learned
            results.append(NightResult(one, one.report))
    if counted is not None:
        for one in _of_others(*around, open_to("owner"), counted("owner")):
            night = nights[one.agent_id]
            if one.day == night.day:
                night.add_others(one)
    return nights


def detail(nights: Iterable[AgentNight], cite: Cite = cited) -> None:
    """With what is known of each result now; what was asked is left out once a person decided."""
    those = list(nights)
    done = [one.operation for night in those for one in (*night.learned, *night.asked)]
    found = iter(_results_of(done, cite))
    for night in those:
        night.learned = list(islice(found, len(night.learned)))
        night.asked = [one for one in islice(found, len(night.asked)) if one.is_disputed]


def of_dream(run: Run, *, open_to: Q, counted: Q, is_alone: bool) -> AgentNight:
    """What a dream did and what it skipped. Unless `is_alone`, one of a night comes with its
    agent's others of that night, as far as this reader may read or count them."""
    night, which = AgentNight(run.agent, day_of(run)), Q(run=run)
    if run.night and not (run.reverted_at or is_alone):
        which |= Q(run__night=run.night, run__reverted_at=None)
    dreams = run.agent.reports.filter(which).select_related(*_WHOSE, "run").order_by("dreamt_at")
    reached = open_to | counted if counted else Q()
    is_open = Case(When(open_to, then=True), default=False)
    rows: QuerySet[Any] = dreams.filter(reached).annotate(n=_DONE, is_open=is_open)
    for other in rows:
        if other.is_open:
            night.reports.append(other)
        elif other.n:
            night.add_others(other)
    of_each: dict[UUID, list[Operation]] = {one.pk: [] for one in night.reports}
    for one in Operation.objects.filter(report__in=of_each).order_by("position"):
        of_each[one.report_id].append(one)
    for report in night.reports:
        report.run.agent = run.agent
        for one in of_each[report.pk]:
            one.report = report
    done = [one for report in night.reports for one in of_each[report.pk]]
    became = [it for one in night.reports for it in outcomes(one.run, of_each[one.pk])]
    shown = zip(learned_of(done), became, strict=True)
    night.learned = [replace(one, became=outcome) for one, outcome in shown]
    return night


def learned_of(operations: Sequence[Operation]) -> list[NightResult]:
    """These, in their order, with what is known of them now."""
    return _results_of(operations) if operations else []


def _around(days: Mapping[Agent, date]) -> tuple[tuple[UUID, ...], datetime, datetime]:
    """A little more than asked for: zones differ, and so may the clock of a run."""
    first, last = min(days.values()), max(days.values())
    since = timezone.make_aware(datetime.combine(first, time.min)) - timedelta(days=2)
    until = timezone.make_aware(datetime.combine(last, time.max)) + timedelta(days=2)
    return tuple(agent.pk for agent in days), since, until


def _reports(agents: Sequence[UUID], since: datetime, until: datetime) -> "QuerySet[Any]":
    found = Report.objects.filter(agent__in=agents, run__reverted_at=None)
    found = found.filter(dreamt_at__gte=since, dreamt_at__lte=until)
    return found.annotate(day=local_day("run__"))


@PreparedQuery
def _done(
    agents: Sequence[UUID], since: datetime, until: datetime, open_to: Q, whose: Q
) -> "QuerySet[Any]":
    reports = _reports(agents, since, until).values("pk")
    done = Operation.objects.filter(
        open_to, code="", waits__in=("", Waits.RIVAL), report__in=reports
    )
    seen = Seen.objects.filter(whose, agent=OuterRef("report__agent")).values("at")[:1]
    done = done.annotate(day=local_day("report__run__"), seen_at=Subquery(seen))
    return done.select_related(*_SHOWN).order_by(*_ORDER)


@PreparedQuery
def _of_others(
    agents: Sequence[UUID], since: datetime, until: datetime, open_to: Q, counted: Q
) -> "QuerySet[Any]":
    found = _reports(agents, since, until).exclude(open_to).filter(counted)
    named = found.select_related(*_WHOSE).only("agent", *_NAMED)
    some: QuerySet[Any] = named.annotate(n=_DONE).filter(n__gt=0)
    return some


@PreparedQuery
def _facts(agents: Sequence[UUID], prints: Sequence[str]) -> "QuerySet[Any]":
    return _counted(Fact.objects.filter(agent__in=agents, fingerprint__in=prints))


def _by_id(facts: Sequence[UUID]) -> "QuerySet[Any]":
    return _counted(Fact.objects.filter(pk__in=facts))


def _counted(facts: "QuerySet[Fact]") -> "QuerySet[Any]":
    rows: QuerySet[Any] = counted(facts)
    hides = hiding(Q(fact=OuterRef("pk")))
    asked = {"asked_by": "request__owner", "erase_at": "request__erase_at"}
    of_request = {name: Subquery(hides.values(value)[:1]) for name, value in asked.items()}
    rows = rows.annotate(is_hidden=is_hidden(), **of_request)
    return rows.select_related("agent", "confirmed_by", "contradiction").order_by("changed_at")


def _results_of(operations: Sequence[Any], cite: Cite = cited) -> list[NightResult]:
    prints = {one.pk: fingerprint(one.after or next(iter(one.before), "")) for one in operations}
    texts = {text for one in operations for text in (one.after, one.against, *one.before) if text}
    agents = {one.report.agent_id for one in operations}
    facts: dict[tuple[UUID, UUID | None, str], Any] = {}
    for fact in _facts(tuple(agents), tuple({*map(fingerprint, texts)})):
        facts[fact.agent_id, fact.owner_id, fact.fingerprint] = fact
    said = _latest(cite(tuple(fact.pk for fact in facts.values())))
    newer = _reworded([*facts.values()])
    told = []
    for one in operations:
        place = (one.report.agent_id, one.report.owner_id)
        fact = facts.get((*place, prints[one.pk]))
        olds = (facts.get((*place, fingerprint(text))) for text in one.before if one.after)
        replaces = next((said[old.pk] for old in olds if old and old.pk in said), None)
        _withhold(one, facts)
        its = NightResult(one, one.report, fact, said.get(fact.pk) if fact else None)
        if fact and fact.pk in newer:
            its = replace(its, fact=newer[fact.pk], said=None, was=fact)
        told.append(replace(its, replaces=None if one.ended else replaces))
    return told


def _withhold(one: Any, facts: Mapping[tuple[UUID, UUID | None, str], Any]) -> None:
    """What it took away, or what stands against it, may be to be forgotten."""

    def told(text: str) -> str:
        fact = facts.get((one.report.agent_id, one.report.owner_id, fingerprint(text)))
        return MARK if fact and fact.is_hidden else text

    one.before, one.against = [told(text) for text in one.before], told(one.against)


def _reworded(facts: Sequence[Any]) -> dict[UUID, Any]:
    """Statement → what people made of it since, where they put it in other words."""
    found: dict[UUID, Any] = {}
    waiting = {one.pk: one for one in facts}
    for _step in range(_EDITS):
        after = {
            pk: one.superseded_by_id
            for pk, one in waiting.items()
            if one.why == Fact.Why.REWORDED and one.superseded_by_id
        }
        rows = {one.pk: one for one in _by_id([*after.values()])} if after else {}
        waiting = {pk: rows[newer] for pk, newer in after.items() if newer in rows}
        found |= waiting
    return found


def _latest(rows: Sequence[Any]) -> dict[UUID, Evidence]:
    """Statement → the message that said it last, else who wrote it down."""
    found: dict[UUID, Evidence] = {}
    for row in reversed(rows):
        if row.message:
            row.message.is_meant = row.is_meant
        elif row.fact_id in found or row.root.author_kind not in _WORDS:
            continue
        found[row.fact_id] = row
    return found


# What somebody was told of an agent's dreams: marked where they look, and kept per person.


def who(user: User | None, owner: Owner | None = None) -> dict[str, Any]:
    """A person is one, whichever of their accounts or the pages they use."""
    if user is None and owner is not None and owner.person_id:
        return {"user_id": owner.person_id, "owner_id": None}
    return {
        "user_id": user.pk if user else None,
        "owner_id": None if user or not owner else owner.pk,
    }


def mark(agents: Iterable[Agent], whose: dict[str, Any], at: datetime) -> None:
    """All that these agents did until then."""
    known = list(agents)
    if not any(whose.values()):
        return
    rows = [Seen(team_id=one.team_id, agent=one, at=at, **whose) for one in known]
    Seen.objects.bulk_create(rows, ignore_conflicts=True)
    Seen.objects.filter(agent__in=known, at__lt=at, **whose).update(at=at)


def last_night(agent: Agent, reach: Reach, whose: dict[str, Any]) -> AgentNight | None:
    """What the agent's last dream that a reader may read did."""
    reports = Report.objects.filter(reach("owner"), agent=agent, run__reverted_at=None)
    last = reports.select_related("run").order_by("-dreamt_at").first()
    if last is None:
        return None
    day = day_of(last.run)
    night = night_of_each({agent: day}, open_to=reach, counted=None, whose=whose)[agent.pk]
    detail([night])
    return night


State, Resolution = Proposal.State, Contradiction.Resolution


# What became of what a dream left to a person.


def outcomes(run: Run, operations: Sequence[Operation]) -> list[str]:
    """What each came to, in their order: its `outcome`, and `accepted` or `rejected` instead of
    `waits` once a person decided, or
    `left_out` where nobody was asked."""
    waiting = [one for one in operations if one.outcome == "waits"]
    if run._state.adding or not waiting:  # what a dream would do was given to nobody
        return [one.outcome for one in operations]
    became = _of_rivals(run, [one for one in waiting if one.waits == Waits.RIVAL])
    became |= _of_proposed(run, [one for one in waiting if one.waits != Waits.RIVAL])
    return [became.get(one.pk, one.outcome) for one in operations]


def _of_proposed(run: Run, waiting: Sequence[Operation]) -> dict[int, str]:
    made = run.proposals.select_related("file").order_by("-file__path") if waiting else ()
    proposals = [one for one in map(_standing, made) if one is not None]
    found: dict[int, str] = {}
    for proposal in proposals:
        theirs = [one for one in waiting if _of(one, proposals) is proposal]
        if proposal.state == State.REJECTED:
            found |= dict.fromkeys([one.pk for one in theirs], "rejected")
        elif proposal.state != State.PENDING:
            out, stayed = not_taken(proposal)
            found |= {
                one.pk: "rejected" if _is_out(one, out, stayed) else "accepted" for one in theirs
            }
    return found


def _of(one: Operation, proposals: Sequence[Proposal]) -> Proposal:
    """The one that brings what the operation says; what leaves, MEMORY.md's tells."""
    return next((it for it in proposals if one.after and brings(it, one.after)), proposals[-1])


def _standing(proposal: Proposal | None) -> Proposal | None:
    """A newer one of its file holds all that an undecided one held."""
    if proposal is None or proposal.state != State.REPLACED:
        return proposal
    newer = proposal.file.proposals.filter(run__isnull=False, created_at__gt=proposal.created_at)
    return newer.exclude(state=State.REPLACED).order_by("created_at").first()


def _is_out(one: Operation, out: Collection[str], stayed: Collection[str]) -> bool:
    if one.after:
        return fingerprint(one.after) in out
    return any(fingerprint(text) in stayed for text in one.before)


def _of_rivals(run: Run, waiting: Sequence[Operation]) -> dict[int, str]:
    prints = {one.pk: fingerprint(one.after) for one in waiting}
    facts = run.agent.facts.of(run.agent_id, run.owner_id).filter(fingerprint__in=prints.values())
    found: Mapping[str, Fact] = {
        one.fingerprint: one for one in facts.select_related("contradiction").order_by("changed_at")
    }
    became = {pk: _became(found.get(print_)) for pk, print_ in prints.items()}
    return {pk: outcome for pk, outcome in became.items() if outcome}


def _became(fact: Fact | None) -> str:
    """Empty while it waits. Nobody was asked about what there is no statement of, and nobody is
    again about what may stand beside the other one."""
    about = fact.contradiction if fact else None
    if fact is not None and fact.file_id is not None:
        return "" if about and about.state == Contradiction.State.OPEN else "accepted"
    if about is None or about.state == Contradiction.State.IGNORED:
        return "left_out"
    if about.state == Contradiction.State.OPEN:
        return ""
    return "accepted" if about.resolution == Resolution.MERGE else "rejected"
