"""Reports: what a dream looked at, decided and changed."""

from typing import Literal

from django.db.models import Q
from ninja import Query, Router
from pydantic import Field

from memoryweb.accounts.permissions import Permission, Scope
from memoryweb.agents.models import Agent
from memoryweb.api import redaction, runs
from memoryweb.api import visibility as reaching
from memoryweb.api.auth import Caller, Request, known_id
from memoryweb.api.cursors import page
from memoryweb.api.exceptions import NotFound
from memoryweb.api.operations import Reach, ReachPaging, operation
from memoryweb.api.schemas import Items
from memoryweb.api.visibility import Reach as Visible
from memoryweb.dreaming.models import Report
from memoryweb.markdown.diff import unified
from memoryweb.runs.models import Run
from memoryweb.workspace.revisions import content_of

router = Router(tags=["Dreaming"])

BASE = "/memory/{agent_id}/dream/reports"
EXAMPLE = {
    **runs.EXAMPLE,
    "mode": "nightly",
    "topic": "",
    "candidateCount": 5,
    "promotedCount": 2,
    "keptCount": 2,
    "rejectedCount": 1,
    "diff": "MEMORY.md\n+ - Inês's son is allergic to nuts.",
    "diary": "## 2026-11-20\n\nLooked at 5 notes; kept 2 lines.",
    "consolidator": "rules",
    "model": "",
}


Mode = Literal["nightly", "manual", "focused"]


class ReportOut(runs.RunOut):
    """A run's fields and what came of the dream. Text is null where it may not be shown."""

    mode: Mode
    topic: str | None
    candidate_count: int
    promoted_count: int
    kept_count: int
    rejected_count: int
    diff: str | None = Field(description="Null in lists.")
    diary: str | None
    consolidator: str
    model: str


@router.get(
    BASE,
    **operation(
        Items[ReportOut],
        summary="List dream reports, the latest first",
        takes=(Permission.READ, Scope.MEMORY_READ),
        example={"items": [{**EXAMPLE, "diff": None}], "cursor": None},
    ),
)
def list_reports(request: Request, agent_id: str, reach: Query[ReachPaging]) -> Items[ReportOut]:
    agent, visible = _readable(request, agent_id, reach.owner)
    reports = agent.reports.filter(visible.rows()).select_related("run", "owner__integration")
    found = page(reports, ["-dreamt_at", "-id"], reach.cursor, reach.limit)
    return Items[ReportOut](
        items=[_described(report, visible, diff=None) for report in found.rows],
        cursor=found.cursor,
    )


@router.get(
    BASE + "/{report_id}",
    **operation(
        ReportOut,
        summary="Read a dream's report by its run's id",
        takes=(Permission.READ, Scope.MEMORY_READ),
        example=EXAMPLE,
    ),
)
def read_report(request: Request, agent_id: str, report_id: str, reach: Query[Reach]) -> ReportOut:
    agent, visible = _readable(request, agent_id, reach.owner)
    wanted = known_id(report_id)
    reports = agent.reports.filter(visible.rows()).select_related("run", "owner__integration")
    report = reports.filter(Q(run=wanted) | Q(pk=wanted)).first()
    if report is None:
        raise NotFound
    return _described(report, visible, diff=_diff(request.auth, agent, report))


def _readable(request: Request, agent_id: str, owner: str | None) -> tuple[Agent, Visible]:
    agent = request.auth.agent(agent_id)
    request.auth.require(Permission.READ, Scope.MEMORY_READ)
    return agent, reaching.reach(request.auth, owner)


def _described(report: Report, visible: Visible, *, diff: str | None) -> ReportOut:
    run = report.run
    run.owner = report.owner
    shows = visible.shows(report.owner)
    return ReportOut(
        **runs.described(run, visible).model_dump(),
        mode=_mode(run),
        topic=run.topic if shows else None,
        candidate_count=report.promoted + report.kept + report.rejected,
        promoted_count=report.promoted,
        kept_count=report.kept,
        rejected_count=report.rejected,
        diff=diff if shows else None,
        diary=report.diary if shows else None,
        consolidator=run.consolidator,
        model=run.model,
    )


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
    parts = []
    for change in report.changes:
        file = files.get(str(change["file"]))
        if file:
            before, after = (
                redaction.then(caller, file, content_of(file, change[when])) if change[when] else ""
                for when in ("before", "after")
            )
            parts.append(f"{file.path}\n{unified(before, after)}")
    return "\n\n".join(parts)
