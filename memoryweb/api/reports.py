"""Reports: what a dream read, decided and changed."""

from collections.abc import Callable
from functools import partial
from typing import Annotated, Literal
from uuid import UUID

from django.db.models import Q
from ninja import Query
from pydantic import Field

from memoryweb.agents.models import Agent
from memoryweb.api import acting_owner, dreaming, facts, forgetting
from memoryweb.api.acting_owner import Visibility
from memoryweb.api.auth import Caller, Request, Right, known_id
from memoryweb.api.facts import FactEdit, FactText
from memoryweb.api.forgetting import ForgetIn, ForgetOut
from memoryweb.api.problems import or_not_found
from memoryweb.api.routing import Router
from memoryweb.api.schemas import Camel, IdOrNull, Items, NamedRowQuery, OwnerPaging, one_of, page
from memoryweb.dreaming import night_results
from memoryweb.dreaming.models import Report
from memoryweb.dreaming.night_results import learned_of
from memoryweb.dreaming.operations import DECIDED, OUTCOMES
from memoryweb.markdown.diff import unified
from memoryweb.memory import facts as memory_facts
from memoryweb.memory.models import Fact
from memoryweb.memory.models.writer import Memory
from memoryweb.memory.visible.readable import Look
from memoryweb.memory.visible.request_contents import away_of
from memoryweb.memory.visible.text_matching import Sought
from memoryweb.runs.models import Run

router = Router(tags=["Dreaming"])

BASE = "/memory/{agent_id}/dream/reports"
ENTRY = BASE + "/{report_id}/entries/{key}"
Mode = Literal["nightly", "manual", "focused"]
Away = Callable[[UUID | None], Sought]


class OperationOut(Camel):
    """A change that a dream made or skipped. Texts are null where you may not read them."""

    key: str = Field(description="Of this entry, in the addresses that decide about it.")
    fact_id: IdOrNull = Field(
        description="The statement that it made or took away; null where that is gone."
    )
    outcome: Annotated[str, one_of([*OUTCOMES, *DECIDED])] = Field(
        description="`accepted` or `rejected` once a person decided what waited."
    )
    old: list[str] | None
    new: str | None
    against: str | None
    code: str = Field(description="Why it was skipped; empty if it was not.")
    reason: str


class ReportOut(dreaming.RunOut):
    """A run's fields and what came of the dream. Text is null where it may not be shown."""

    mode: Mode
    topic: str | None
    candidate_count: int
    promoted_count: int
    kept_count: int
    rejected_count: int
    operations: list[OperationOut] | None = Field(description="Null in lists.")
    diff: str | None = Field(description="Null in lists.")
    diary: str | None
    consolidator: str
    model: str


@router.operation("GET", BASE, Right.READ)
def list_reports(request: Request, agent_id: str, query: Query[OwnerPaging]) -> Items[ReportOut]:
    """List dream reports, newest first."""
    agent, visible = acting_owner.reach(request.auth, agent_id, query.owner)
    reports = agent.reports.filter(visible.rows()).select_related("run", "owner__integration")
    shown = partial(
        _described,
        visible=visible,
        diff=None,
        away=away_of(agent.pk, visible.readable("request__owner")),
    )
    return page(reports, ["-dreamt_at", "-id"], query, shown)


@router.operation("GET", BASE + "/{report_id}", Right.READ)
def read_report(
    request: Request, agent_id: str, report_id: str, query: Query[NamedRowQuery]
) -> ReportOut:
    """Read a dream report by its run's id."""
    agent, wanted = request.auth.agent(agent_id), known_id(report_id)
    reports = agent.reports.filter(Q(run=wanted) | Q(pk=wanted))
    visible = acting_owner.of_one(request.auth, query.owner, reports)
    found = reports.filter(visible.rows()).select_related("run", "owner__integration")
    report = or_not_found(found.first())
    diff = _diff(request.auth, agent, report)
    return _described(
        report, visible, diff=diff, away=away_of(agent.pk, visible.readable("request__owner"))
    )


@router.operation(
    "POST", ENTRY + "/confirm", Right.FACTS_OWN, example={"trust": 0.8}, errors=(409,)
)
def confirm_report_entry(request: Request, agent_id: str, report_id: str, key: str) -> FactText:
    """Confirm what a dream did: from now on only people change it."""
    fact = _fact_of(request.auth, agent_id, report_id, key)
    return facts.acted(request.auth, agent_id, str(fact.pk), memory_facts.confirm)


@router.operation("POST", ENTRY + "/edit", Right.FACTS_OWN, errors=(409,))
def edit_report_entry(
    request: Request, agent_id: str, report_id: str, key: str, body: FactEdit
) -> FactText:
    """Reword what a dream wrote; the answer is the fact that takes its place."""
    fact = _fact_of(request.auth, agent_id, report_id, key)
    return facts.reworded(request.auth, agent_id, str(fact.pk), body)


@router.operation("POST", ENTRY + "/forget", Right.DECIDE_OWN, errors=(409,))
def forget_report_entry(request: Request, agent_id: str, report_id: str, key: str) -> ForgetOut:
    """Forget what a dream wrote, as `POST …/forget` does."""
    fact = _fact_of(request.auth, agent_id, report_id, key)
    body = ForgetIn(ids=[str(fact.pk)])
    return forgetting.forgotten(request.auth, Memory(fact.agent, fact.owner), body)


def _fact_of(caller: Caller, agent_id: str, report_id: str, key: str) -> Fact:
    """The statement of an entry. Raises NotFound, also where it is gone."""
    agent, wanted = caller.agent(agent_id), known_id(report_id)
    caller.require_person("Only a person can decide whether a fact is true.")
    reports = agent.reports.filter(acting_owner.seen_by(caller, None).readable())
    report = or_not_found(reports.filter(Q(run=wanted) | Q(pk=wanted)).first())
    done = report.operations.filter(code="", waits="")
    entry = or_not_found(next((one for one in done if str(one.position) == key), None))
    [learned] = learned_of([entry])
    fact: Fact | None = learned.fact
    return or_not_found(fact)


def _described(report: Report, visible: Visibility, *, diff: str | None, away: Away) -> ReportOut:
    """Without what is `away`: it is to be forgotten."""
    run, told = report.run, away(report.owner_id).without
    run.owner = report.owner
    shows = visible.shows(report.owner)
    return ReportOut(
        **dreaming.described(run, visible, away(report.owner_id)).model_dump(),
        mode=_mode(run),
        topic=told(run.topic) if shows else None,
        candidate_count=report.promoted + report.kept + report.rejected,
        promoted_count=report.promoted,
        kept_count=report.kept,
        rejected_count=report.rejected,
        operations=None if diff is None else _operations(report, away, shows=shows),
        diff=diff if shows else None,
        diary=told(report.diary) if shows else None,
        consolidator=run.consolidator,
        model=run.model,
    )


def _operations(report: Report, away: Away, *, shows: bool) -> list[OperationOut]:
    told = away(report.owner_id).without
    done = list(report.operations.order_by("position"))
    for one in done:
        one.report = report
    known = {one.operation.pk: one.fact for one in learned_of(done) if shows and one.fact}
    return [
        OperationOut(
            key=str(one.position),
            fact_id=known[one.pk].pk if one.pk in known else None,
            outcome=outcome,
            old=[*map(told, one.before)] if shows else None,
            new=told(one.after) if shows else None,
            against=told(one.against) if shows else None,
            code=one.code,
            reason=one.reason if outcome == one.outcome else "",
        )
        for one, outcome in zip(done, night_results.outcomes(report.run, done), strict=True)
    ]


def _mode(run: Run) -> Mode:
    if run.topic:
        return "focused"
    return "nightly" if run.night else "manual"


def _diff(caller: Caller, agent: Agent, report: Report) -> str:
    """What the dream changed, file by file, read from the revisions."""
    files = {
        str(file.pk): file
        for file in agent.files.filter(pk__in=[change["file"] for change in report.changes])
    }
    look, parts = Look(caller.to, files=files.values()), []
    for change in report.changes:
        file = files.get(str(change["file"]))
        if file:
            before, after = (look.at(file, change[when]) for when in ("before", "after"))
            parts.append(f"{file.path}\n{unified(before, after)}")
    return "\n\n".join(parts)
