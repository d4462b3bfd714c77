"""A dream's report as its page prints it: phases, scores, checks, differences."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any
from uuid import UUID

from django.utils.formats import date_format
from django.utils.timezone import localtime
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from memoryweb.dreaming import gates, night_results
from memoryweb.dreaming.models import Candidate, Operation, Report
from memoryweb.dreaming.night_results import learned_of
from memoryweb.dreaming.pipeline import AWAY
from memoryweb.language.statement_comparison import clean, fingerprint
from memoryweb.markdown import marks
from memoryweb.markdown.diff import counts, side_by_side
from memoryweb.memory.lines.revisions import contents_of
from memoryweb.memory.models import Fact, File
from memoryweb.memory.visible.readable import Look, To
from memoryweb.memory.visible.text_matching import Sought
from memoryweb.runs.models import Run
from memoryweb.web import wording
from memoryweb.web.access import TeamRequest
from memoryweb.web.pages import to, to_line
from memoryweb.web.statements import StatementRow, statement_rows, undoable
from memoryweb.web.wording import Choice, fact_url, owner_query

_WRITTEN = ("MEMORY.md", "PROFILE.md")  # what dreams write statements into
_PHASES: list[Run.Phase] = [phase for phase in Run.Phase if phase != Run.Phase.NONE]


def title_of(run: Run) -> str:
    if run.night:
        return wording.night_of(run)
    if run.kind not in {Run.Kind.DREAM, Run.Kind.EXTRACTION}:
        return str(run.get_kind_display())
    if run.trigger == Run.Trigger.BACKFILL and "weeks" in run.result:
        said = _("Backfill: week {week} of {weeks}")
        return said.format(week=run.result["week"], weeks=run.result["weeks"])
    said = _("Dream of {when}") if run.kind == Run.Kind.DREAM else _("Extraction of {when}")
    return said.format(when=date_format(localtime(wording.happened_at(run)), _("j F, H:i")))


def method_of(run: Run) -> str:
    """What decided: a model by its name, or the rules."""
    if run.consolidator == "model":
        return run.model
    if AWAY in (run.checked or {}):
        return _("rules: the model had been away for two nights")
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
        "rows": rows if file.path in _WRITTEN else [],
        "url": _url(request, run, "agents_file", file.path),
        "compare_url": f"{compare}{join}from={before}&to={after}",
    }


def source_shown(request: TeamRequest, run: Run, source: dict[str, Any]) -> dict[str, str]:
    path, line = source["path"], source["line"]
    return {"label": f"{path}:{line}", "url": _line_url(request, run, path, line)}


def _line_url(request: TeamRequest, run: Run, path: str, line: int) -> str:
    return to_line(_url(request, run, "agents_file", path), line)


def _url(request: TeamRequest, run: Run, name: str, *place: Any) -> str:
    query = owner_query(request.visit, run.owner_id)
    return to(request, name, run.agent_id, *place, query=query)


# What a dream did to statements: in numbers, as a flow, and one by one with what people said.

_SHOWN = 200  # a night looks at no more
_ENDS = {"add": "added", "back": "added", "replace": "changed", "merge": "changed"}
_ENDS |= {"end": "changed", "retire": "retired", "waits": "waits"}
_ENDS |= {"accepted": "accepted", "rejected": "rejected"}
_DONE = {"added", "changed", "retired"}
_WIDTH = 100
Row = dict[str, Any]


def operations_shown(
    request: TeamRequest, run: Run, done: Iterable[Operation], away: Sought, known: int = 0
) -> Row:
    """Without what is `away`: it is to be forgotten. `known`: how much of the notes was in memory
    before, so that it came to no operation."""
    operations = list(islice(done, _SHOWN))
    outcomes = night_results.outcomes(run, operations)
    rows = _rows(request, run, operations, outcomes, away)
    ends = Counter(row["end"] for row in rows)
    ends["known"] += known
    told = _statement_rows(request, run, operations, rows, away)
    return {
        "sentence": _sentence(ends),
        "flow": _flow(ends, len(operations) + known),
        "told": told,
        "operations": [
            row for row in rows if row["end"] in {*_ENDS.values()} and not row.get("is_told")
        ],
        "left_out": [row for row in rows if row["end"] == "left_out"],
        "known": [row for row in rows if row["end"] == "known"],
    }


def _statement_rows(
    request: TeamRequest,
    run: Run,
    operations: Sequence[Operation],
    rows: Sequence[Row],
    away: Sought,
) -> list[StatementRow]:
    """What this reader may read and nobody has taken back, to be decided in place. What says
    something that is to be forgotten is told as a row."""
    if not request.visit.reads(run.owner_id) or run.reverted_at or run._state.adding:
        return []
    places = {}
    for one, row in zip(operations, rows, strict=True):
        texts = [one.after, *one.before]
        row["is_told"] = row["end"] in _DONE and texts == [away.without(text) for text in texts]
        if row["is_told"]:
            places[one] = row["sources"]
    learned = learned_of([*places])
    told = (one for of_one in statement_rows(request, learned).values() for one in of_one)
    return [
        replace(undoable(row, one.before), sources=sources, source=None)
        for row, (one, sources) in zip(told, places.items(), strict=True)
    ]


def _end(one: Operation, outcome: str) -> str:
    return "known" if one.code == "known" else _ENDS.get(outcome, "left_out")


def _sentence(ends: Mapping[str, int]) -> str:
    """One of what was done; what only waits or was known is no change."""
    told = [
        (
            ends["added"],
            ngettext("It added {n} statement.", "It added {n} statements.", ends["added"]),
        ),
        (ends["changed"], ngettext("It changed {n}.", "It changed {n}.", ends["changed"])),
        (ends["retired"], ngettext("It retired {n}.", "It retired {n}.", ends["retired"])),
        (
            ends["waits"],
            ngettext("{n} waits for a person.", "{n} wait for a person.", ends["waits"]),
        ),
        (
            ends["accepted"],
            ngettext("{n} was accepted.", "{n} were accepted.", ends["accepted"]),
        ),
        (
            ends["rejected"],
            ngettext("{n} was rejected.", "{n} were rejected.", ends["rejected"]),
        ),
    ]
    said = " ".join(text.format(n=n) for n, text in told if n)
    return said or _("It changed nothing in memory.")


def _flow(ends: Mapping[str, int], total: int) -> list[Row]:
    """From what was said to what became of it: lengths of 100."""
    names = {
        "total": _("Looked at"),
        "known": _("Already known"),
        "left_out": _("Left out"),
        "waits": _("Waits for a person"),
        "rejected": _("Rejected"),
        "accepted": _("Accepted"),
        "added": _("Added"),
        "changed": _("Changed"),
        "retired": _("Retired"),
    }
    numbers = {**ends, "total": total}
    at, rows = 0.0, []
    for code, label in names.items():
        width = round(_WIDTH * numbers.get(code, 0) / (total or 1), 1)
        rows.append(
            {"code": code, "label": label, "n": numbers.get(code, 0), "x": at, "width": width}
        )
        at += 0 if code == "total" else width
    return rows if total else []


def _rows(
    request: TeamRequest,
    run: Run,
    operations: Sequence[Operation],
    outcomes: Sequence[str],
    away: Sought,
) -> list[Row]:
    """Without texts where those are another's."""
    reads = request.visit.reads(run.owner_id)
    quotes = _quotes(run, operations) if reads else {}
    facts = _facts(run, operations) if reads else {}
    rows = []
    for one, outcome in zip(operations, outcomes, strict=True):
        said = one.after or next(iter(one.before), "")
        fact = facts.get(fingerprint(said)) if reads else None
        rows.append(
            {
                "end": _end(one, outcome),
                "chip": wording.of_operation(outcome),
                "olds": [*map(away.without, one.before)] if reads else [],
                "new": marks.told(away.without(one.after)) if reads else "",
                "against": away.without(one.against) if reads else "",
                "said": away.without(said) if reads else "",
                "reason": one.reason if outcome == one.outcome else "",
                "sources": [
                    source_shown(request, run, place) | {"quote": quotes.get(_key(place), "")}
                    for place in one.sources
                ]
                if reads
                else [],
                "url": fact_url(request, fact) if fact else "",
            }
        )
    return rows


def _facts(run: Run, operations: Iterable[Operation]) -> dict[str, Fact]:
    """The statements that they came to be or were, by their prints: one that stands first."""
    texts = {text for one in operations for text in (one.after, *one.before) if text}
    rows = run.agent.facts.of(run.agent_id, run.owner_id)
    rows = rows.filter(fingerprint__in={fingerprint(text) for text in texts}, path__in=_WRITTEN)
    found = sorted(rows, key=lambda one: one.file_id is not None)
    return {one.fingerprint: one for one in found}


def _key(place: Mapping[str, Any]) -> tuple[str, int, int]:
    return str(place["file"]), place["revision"], place["line"]


def _quotes(run: Run, operations: Iterable[Operation]) -> dict[tuple[str, int, int], str]:
    """The note lines that were cited, as people read them."""
    cited = {_key(place) for one in operations for place in one.sources}
    wanted: dict[UUID, set[int]] = defaultdict(set)
    for file, revision, _line in cited:
        wanted[UUID(file)].add(revision)
    files = run.agent.files.of(run.agent_id, run.owner_id).in_bulk(list(wanted))
    contents = contents_of({key: wanted[key] for key in files})
    look = Look(To.PAGE, files=files.values())
    lines = {
        (str(key), number): look.then(files[key], text).split("\n")
        for key, its in contents.items()
        for number, text in its.items()
    }
    return {
        one: clean(lines[one[:2]][one[2] - 1])
        for one in cited
        if one[:2] in lines and one[2] <= len(lines[one[:2]])
    }
