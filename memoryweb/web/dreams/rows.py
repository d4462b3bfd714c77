"""A dream's report as its page prints it: phases, scores, checks, differences."""

from typing import Any

from django.utils.formats import date_format
from django.utils.timezone import localtime
from django.utils.translation import gettext as _

from memoryweb.dreaming import gates
from memoryweb.dreaming.models import Candidate, Report
from memoryweb.markdown.diff import counts, side_by_side
from memoryweb.memory.models import File
from memoryweb.memory.visible.readable import Look, To
from memoryweb.memory.visible.text_matching import Sought
from memoryweb.runs.models import Run
from memoryweb.web import wording
from memoryweb.web.access import TeamRequest
from memoryweb.web.htmx import to
from memoryweb.web.wording import Choice, owner_query

_PHASES: list[Run.Phase] = [phase for phase in Run.Phase if phase != Run.Phase.NONE]


def title_of(run: Run) -> str:
    if run.night:
        return night_of(run)
    if run.kind not in {Run.Kind.DREAM, Run.Kind.EXTRACTION}:
        return str(run.get_kind_display())
    if run.trigger == Run.Trigger.BACKFILL and "weeks" in run.result:
        said = _("Backfill: week {week} of {weeks}")
        return said.format(week=run.result["week"], weeks=run.result["weeks"])
    said = _("Dream of {when}") if run.kind == Run.Kind.DREAM else _("Extraction of {when}")
    return said.format(when=date_format(localtime(wording.happened_at(run)), _("j F, H:i")))


def night_of(run: Run) -> str:
    return _("Night of {night}").format(night=date_format(run.night, _("j F"))) if run.night else ""


def method_of(run: Run) -> str:
    """What decided: a model by its name, or the rules."""
    if run.consolidator == "model":
        return run.model
    return _("rules, no model") if run.consolidator else _("not decided yet")


def steps_of(run: Run) -> list[dict[str, Any]]:
    """Phases are stored when they are complete, so the next one is what runs now."""
    at = _PHASES.index(Run.Phase(run.phase)) if run.phase else -1
    if run.finished_at and run.status not in {Run.Status.FAILED, Run.Status.SKIPPED}:
        at = len(_PHASES)
    states = {"running": "now", "failed": "broke"}
    next_one = states.get(run.status, "")
    return [
        {
            "label": phase.label,
            "state": "done" if number <= at else next_one if number == at + 1 else "",
        }
        for number, phase in enumerate(_PHASES)
    ]


def looked_at(request: TeamRequest, run: Run) -> list[dict[str, str]]:
    """The notes that the run froze, at their revisions."""
    notes = run.inputs.get("notes", []) if isinstance(run.inputs, dict) else []
    return [
        {
            "label": note["path"],
            "url": _url(request, run, "agents_revision", note["path"], note["revision"]),
        }
        for note in notes
        if note.get("revision")
    ]


def changes_of(request: TeamRequest, run: Run, report: Report) -> list[dict[str, Any]]:
    """What really changed, read from the revisions themselves; MEMORY.md first."""
    ids = [change["file"] for change in report.changes]
    files = run.agent.files.of(run.agent_id, run.owner_id).filter(pk__in=ids)
    by_id = {str(file.pk): file for file in files}
    found = [
        _change(request, run, by_id[change["file"]], change["before"], change["after"])
        for change in report.changes
        if change["file"] in by_id
    ]
    return sorted(found, key=lambda change: change["path"] != "MEMORY.md")


def considered(
    request: TeamRequest, run: Run, candidate: Candidate, away: Sought
) -> dict[str, Any]:
    """A candidate with its reasons; without its text where that is another person's, and without
    what is `away`: it is to be forgotten."""
    reads = request.visit.reads(run.owner_id)
    is_added = candidate.verdict == Candidate.Verdict.PROMOTED
    memory_line = candidate.memory_line if reads and not run.reverted_at else None
    return {
        "chip": wording.of_verdict(candidate.verdict),
        "is_added": is_added,
        "reason": "" if is_added else gates.why(candidate.reason, candidate.gates),
        "score": candidate.score,
        "scores": _scored(candidate),
        "least": round(100 * gates.Thresholds.min_score),
        "gates": [{**gate, "detail": gates.sentence(gate)} for gate in candidate.gates],
        "text": away.without(candidate.text) if reads else "",
        "places": [source_shown(request, run, one) for one in candidate.sources] if reads else [],
        "memory_url": _line_url(request, run, "MEMORY.md", memory_line) if memory_line else "",
    }


def verdict_choices(report: Report, current: str) -> list[Choice]:
    return [
        Choice(f"{label} {count}", f"?verdict={verdict}" if verdict else "?", verdict == current)
        for verdict, label, count in (
            ("", _("All"), report.promoted + report.kept + report.rejected),
            ("promoted", _("Remembered"), report.promoted),
            ("kept", _("Kept for later"), report.kept),
            ("rejected", _("Not kept"), report.rejected),
        )
    ]


def _scored(candidate: Candidate) -> list[dict[str, Any]]:
    """The parts of its score one after another, of 100 for a whole."""
    at, parts = 0.0, []
    for number, (name, label) in enumerate(wording.COMPONENTS.items()):
        value = candidate.components.get(name, 0.0)
        width = round(100 * value, 1)
        parts.append({"label": label, "value": value, "x": at, "width": width, "tone": number % 2})
        at = round(at + width, 1)
    return parts


def _change(request: TeamRequest, run: Run, file: File, before: int, after: int) -> dict[str, Any]:
    look = Look(To.PAGE, files=[file])
    rows = side_by_side(look.at(file, before), look.at(file, after))
    added, removed = counts(rows)
    compare = _url(request, run, "agents_compare", file.path)
    join = "&" if "?" in compare else "?"
    return {
        "path": file.path,
        "before": before,
        "after": after,
        "added": added,
        "removed": removed,
        "rows": rows if file.path == "MEMORY.md" else [],
        "url": _url(request, run, "agents_file", file.path),
        "compare_url": f"{compare}{join}from={before}&to={after}",
    }


def source_shown(request: TeamRequest, run: Run, source: dict[str, Any]) -> dict[str, str]:
    path, line = source["path"], source["line"]
    return {"label": f"{path}:{line}", "url": _line_url(request, run, path, line)}


def _line_url(request: TeamRequest, run: Run, path: str, line: int) -> str:
    return f"{_url(request, run, 'agents_file', path)}#L{line}"


def _url(request: TeamRequest, run: Run, name: str, *place: Any) -> str:
    query = owner_query(request.visit, run.owner_id)
    return to(request, name, run.agent_id, *place, query=query)
