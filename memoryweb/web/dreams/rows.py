"""A dream's report as its page prints it: phases, scores, gates, differences."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from django.utils.functional import Promise
from django.utils.translation import gettext as _

from memoryweb.dreaming.models import Candidate, Report
from memoryweb.markdown.diff import Row, counts, side_by_side
from memoryweb.runs.models import Run
from memoryweb.web import wording
from memoryweb.web.access import TeamRequest
from memoryweb.web.htmx import to
from memoryweb.web.naming import Choice
from memoryweb.workspace.models import File
from memoryweb.workspace.revisions import content_of

Text = str | Promise
_PHASES: list[Run.Phase] = [phase for phase in Run.Phase if phase != Run.Phase.NONE]


@dataclass(frozen=True)
class Step:
    label: Text
    state: str  # done | now | broke | ""


@dataclass(frozen=True)
class Place:
    label: str
    url: str


@dataclass(frozen=True)
class Change:
    path: str
    before: int
    after: int
    added: int
    removed: int
    rows: list[Row]
    url: str
    compare_url: str


@dataclass(frozen=True)
class Score:
    label: Text
    value: float
    percent: int


@dataclass(frozen=True)
class Weighed:
    """A candidate with its reasons; without its text where that is another person's."""

    candidate: Candidate
    chip: wording.Chip
    text: str
    places: list[Place]
    scores: list[Score]
    memory_url: str


def steps_of(run: Run) -> list[Step]:
    """Phases are stored when they are complete, so the next one is what runs now."""
    at = _PHASES.index(Run.Phase(run.phase)) if run.phase else -1
    if run.finished_at and run.status not in {Run.Status.FAILED, Run.Status.SKIPPED}:
        at = len(_PHASES)
    steps = []
    for number, phase in enumerate(_PHASES):
        state = "done" if number <= at else ""
        if number == at + 1 and run.status == Run.Status.RUNNING:
            state = "now"
        if number == at + 1 and run.status == Run.Status.FAILED:
            state = "broke"
        steps.append(Step(phase.label, state))
    return steps


def looked_at(request: TeamRequest, run: Run) -> list[Place]:
    """The notes that the run froze, at their revisions."""
    notes = run.inputs.get("notes", []) if isinstance(run.inputs, dict) else []
    return [_place(request, run, n["path"], n["revision"]) for n in notes if n.get("revision")]


def changes_of(request: TeamRequest, run: Run, report: Report) -> list[Change]:
    """What really changed, read from the revisions themselves; MEMORY.md first."""
    files = {str(file.pk): file for file in _files(run, report)}
    found = [
        _change(request, run, files[change["file"]], change)
        for change in report.changes
        if change["file"] in files
    ]
    return sorted(found, key=lambda change: change.path != "MEMORY.md")


def score_rows(request: TeamRequest, run: Run, candidate: Candidate) -> Weighed:
    reads = request.visit.reads(run.owner_id)
    parts = {name: candidate.components.get(name, 0.0) for name in wording.COMPONENTS}
    most = max([*parts.values(), *wording.WEIGHTS.values()])
    return Weighed(
        candidate=candidate,
        chip=wording.of_verdict(candidate.verdict),
        text=candidate.text if reads else "",
        places=[_source(request, run, s) for s in candidate.sources] if reads else [],
        scores=[
            Score(wording.COMPONENTS[name], value, round(100 * value / most))
            for name, value in parts.items()
        ],
        memory_url=_memory_url(request, run, candidate) if reads and not run.reverted_at else "",
    )


def verdict_choices(report: Report, current: str) -> list[Choice]:
    total = report.promoted + report.kept + report.rejected
    return [
        Choice(f"{_('All')} {total}", "?", not current),
        Choice(f"{_('Promoted')} {report.promoted}", "?verdict=promoted", current == "promoted"),
        Choice(f"{_('Kept')} {report.kept}", "?verdict=kept", current == "kept"),
        Choice(f"{_('Rejected')} {report.rejected}", "?verdict=rejected", current == "rejected"),
    ]


def workspace_query(request: TeamRequest, owner_id: UUID | None) -> str:
    if owner_id is None:
        return ""
    return "?owner=me" if owner_id == request.visit.me.pk else f"?owner={owner_id}"


def _files(run: Run, report: Report) -> "QuerySet[File]":
    ids = [change["file"] for change in report.changes]
    return run.agent.files.of(run.agent_id, run.owner_id).filter(pk__in=ids)


def _change(request: TeamRequest, run: Run, file: File, change: dict[str, Any]) -> Change:
    before = content_of(file, change["before"]) if change["before"] else ""
    after = content_of(file, change["after"])
    rows = side_by_side(before, after)
    added, removed = counts(rows)
    query = workspace_query(request, run.owner_id)
    compare = to(request, "agents_compare", run.agent_id, file.path, query=query)
    join = "&" if query else "?"
    return Change(
        path=file.path,
        before=change["before"],
        after=change["after"],
        added=added,
        removed=removed,
        rows=rows if file.path == "MEMORY.md" else [],
        url=to(request, "agents_file", run.agent_id, file.path, query=query),
        compare_url=f"{compare}{join}from={change['before']}&to={change['after']}",
    )


def _place(request: TeamRequest, run: Run, path: str, revision: int) -> Place:
    query = workspace_query(request, run.owner_id)
    url = to(request, "agents_revision", run.agent_id, path, revision, query=query)
    return Place(path, url)


def _source(request: TeamRequest, run: Run, source: dict[str, Any]) -> Place:
    query = workspace_query(request, run.owner_id)
    path, line = source["path"], source["line"]
    url = to(request, "agents_file", run.agent_id, path, query=query)
    return Place(f"{path}:{line}", f"{url}#L{line}")


def _memory_url(request: TeamRequest, run: Run, candidate: Candidate) -> str:
    if not candidate.memory_line:
        return ""
    query = workspace_query(request, run.owner_id)
    url = to(request, "agents_file", run.agent_id, "MEMORY.md", query=query)
    return f"{url}#L{candidate.memory_line}"
