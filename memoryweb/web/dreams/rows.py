"""A dream as its page tells it: what it did to each memory, what it left as it was, how it ran."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from django.utils.formats import date_format
from django.utils.timezone import localtime
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from memoryweb.agents.models import Owner
from memoryweb.dreaming import gates
from memoryweb.dreaming.models import Candidate, Operation, Report
from memoryweb.dreaming.night_results import AgentNight, NightResult
from memoryweb.dreaming.operations import DECIDED, Does
from memoryweb.dreaming.pipeline import AWAY
from memoryweb.dreaming.queries import is_known, left_of
from memoryweb.language.statement_comparison import fingerprint
from memoryweb.memory.visible.text_matching import Sought
from memoryweb.runs.models import Run
from memoryweb.web import wording
from memoryweb.web.access import TeamRequest
from memoryweb.web.pages import to, to_line
from memoryweb.web.statements import StatementRow, foretold, statement_rows, undoable
from memoryweb.web.wording import owner_name, owner_query, owner_title

_PHASES: list[Run.Phase] = [phase for phase in Run.Phase if phase != Run.Phase.NONE]
_LEFT = ("known", "skipped")  # nothing came of it
_SHOWN = 200  # a night looks at no more
Away = Callable[[UUID | None], Sought]


def title_of(run: Run) -> str:
    if run.night:
        return wording.night_of(run)
    if run.kind not in {Run.Kind.DREAM, Run.Kind.EXTRACTION}:
        return str(run.get_kind_display())
    if run.trigger == Run.Trigger.BACKFILL and "weeks" in run.result:
        said = _("Backfill: week {week} of {weeks}")
        return said.format(week=run.result["week"], weeks=run.result["weeks"])
    is_dream = run.kind == Run.Kind.DREAM
    said = _("Dream of {when}") if is_dream else _("Conversations read on {when}")
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
    states = {"running": "now", "failed": "broke"}
    next_one = states.get(run.status, "")
    return [
        {
            "label": phase.label,
            "state": "done" if number <= at else next_one if number == at + 1 else "",
        }
        for number, phase in enumerate(_PHASES)
    ]


# What a dream did to one memory, on its page and on its agent's card of the night.


@dataclass(frozen=True)
class Part:
    """The shared memory, or this person's. `run`: what wrote it last."""

    is_shared: bool
    whose: str
    told: list[StatementRow]
    more: int
    run: Run


def parts_of(
    request: TeamRequest, reports: Iterable[Report], told: dict[UUID, list[StatementRow]], most: int
) -> list[Part]:
    """Shared memory first. `told`: by report; `most` are shown of a part."""
    rows: dict[UUID | None, list[StatementRow]] = {}
    last: dict[UUID | None, Report] = {}
    for report in reports:
        owner_id = None if report.owner_id in request.visit.shared_owners else report.owner_id
        rows.setdefault(owner_id, []).extend(told.get(report.pk, []))
        last[owner_id] = report

    def whose(owner_id: UUID | None) -> Owner | None:
        return last[owner_id].owner if owner_id else None

    return [
        Part(
            owner_id is None,
            owner_name(request.visit, whose(owner_id)),
            its[:most],
            max(0, len(its) - most),
            last[owner_id].run,
        )
        for owner_id, its in sorted(rows.items(), key=lambda item: item[0] is not None)
        if its
    ]


def others_of(night: AgentNight) -> str:
    """A count: what it is stays theirs."""
    count = sum(night.others.values())
    if not count:
        return ""
    if len(night.people) == 1:
        [owner] = night.people.values()
        said = ngettext(
            "{n} sentence about {name}, private", "{n} sentences about {name}, private", count
        )
        return said.format(n=count, name=owner_title(owner))
    said = _("{n} sentences about {people} people, private")
    return said.format(n=count, people=len(night.others))


def story_of(request: TeamRequest, run: Run, night: AgentNight, away: Away) -> dict[str, Any]:
    """Each sentence once; what is `away`, to be forgotten, is left out of it."""
    night.learned = [_without(one, away(one.report.owner_id)) for one in night.learned]
    done = sorted((one for one in night.learned if one.kind not in _LEFT), key=_order)
    told = statement_rows(request, done)
    for report_id, rows in told.items():
        its = (one for one in done if one.report.pk == report_id)
        told[report_id] = [_row(row, one) for row, one in zip(rows, its, strict=True)]
    parts = parts_of(request, night.reports, told, _SHOWN)
    left = (_left(one.operation, one.kind) for one in night.learned if one.kind in _LEFT)
    rest = [*left, *_left_candidates(request, night, away)]
    return {
        "headline": night.tally.sentence(run.agent.name),
        "parts": parts,
        "others": others_of(night),
        "rest": rest,
        "rest_told": _rest_told(rest),
        "here": request.get_full_path(),
        "runs": [ran(request, one.run, one) for one in night.reports] or [ran(request, run, None)],
        "notes": sum(one.notes for one in night.reports),
    }


def _order(one: NightResult) -> tuple[Any, ...]:
    """As it was said, with what that ended right before it, and what is asked last."""
    places = [(place["path"], place["line"]) for place in one.operation.sources[:1]]
    return one.kind == "waits", not places, places, one.operation.does != Does.END


def foreseen(done: Iterable[Operation], away: Sought) -> dict[str, Any]:
    """What a dream would do."""
    shown = list(done)[:_SHOWN]
    for one in shown:
        _hide(one, away)
    return {
        "told": [foretold(one) for one in shown if one.kind not in _LEFT],
        "rest": (rest := [_left(one, one.kind) for one in shown if one.kind in _LEFT]),
        "rest_told": _rest_told(rest),
    }


def _without(one: NightResult, away: Sought) -> NightResult:
    """What says something that is to be forgotten is told without it, and can't be acted on."""
    is_changed = _hide(one.operation, away) and not (one.fact and one.fact.is_hidden)
    return replace(one, fact=None, said=None, was=None) if is_changed else one


def _hide(operation: Operation, away: Sought) -> bool:
    texts = [operation.after, operation.against, *operation.before]
    left = [away.without(text) for text in texts]
    operation.after, operation.against, *operation.before = left
    return left != texts


def _row(row: StatementRow, one: NightResult) -> StatementRow:
    if one.kind in ("waits", "ended"):
        row = replace(row, url=row.open_url)
    if row.open_url and not row.answers:
        row = replace(row, open_url="", note="")
    if one.report.run.reverted_at or one.kind == "waits":
        return replace(row, acts=(), answers=(), undo=None, edit_url="", trust="")
    if one.became in DECIDED:
        row = replace(row, note=str(DECIDED[one.became]), why="")
    return undoable(row, one.operation.before)


def _left(operation: Operation, kind: str) -> dict[str, Any]:
    text = operation.after or next(iter(operation.before), "")
    return {"kind": kind, "text": text, "reason": operation.reason}


def _left_candidates(
    request: TeamRequest, night: AgentNight, away: Away
) -> Iterable[dict[str, Any]]:
    """Statements of the notes that came to no operation, with what decided and where they stand."""
    reports = {one.pk: one for one in night.reports}
    done = [one.operation for one in night.learned]
    texts = {fingerprint(text) for one in done for text in (one.after, *one.before)}
    for one in left_of(reports)[:_SHOWN]:
        report = reports[one.report_id]
        if fingerprint(one.text) not in texts:
            kept = "waits" if one.verdict == Candidate.Verdict.KEPT else "skipped"
            yield {
                "kind": "known" if is_known(one) else kept,
                "text": away(report.owner_id).without(one.text),
                "reason": gates.why(one.reason, one.gates),
                "score": one.score,
                "label": f"{one.path}:{one.line}",
                "url": to_line(_url(request, report.run, "agents_file", one.path), one.line),
            }


def _rest_told(rest: Sequence[dict[str, Any]]) -> str:
    kinds = Counter(one["kind"] for one in rest)
    waits = ngettext("{n} waits a day", "{n} wait a day", kinds["waits"])
    told = {"known": _("{n} already known"), "skipped": _("{n} skipped"), "waits": waits}
    return ", ".join(said.format(n=kinds[kind]) for kind, said in told.items() if kinds[kind])


# How it ran.


def ran(request: TeamRequest, run: Run, report: Report | None) -> dict[str, Any]:
    tokens = _("{read} in, {written} out").format(read=run.tokens_in, written=run.tokens_out)
    took = run.finished_at - run.started_at if run.finished_at and run.started_at else None
    notes = run.inputs.get("notes", []) if isinstance(run.inputs, dict) else []
    return {
        "run": run,
        "owner": report.owner if report else run.owner,
        "method": method_of(run),
        "seconds": took.total_seconds() if took and not run.clock else None,
        "tokens": tokens if run.consolidator == "model" else _("0 (no model)"),
        "read": [
            (note["path"], _url(request, run, "agents_revision", note["path"], note["revision"]))
            for note in notes
            if note.get("revision") and request.visit.reads(run.owner_id)
        ],
        "wrote": [_change(request, run, one) for one in (report.changes if report else ())],
    }


def _change(request: TeamRequest, run: Run, change: dict[str, Any]) -> tuple[str, str]:
    compare = _url(request, run, "agents_compare", change["path"])
    join = "&" if "?" in compare else "?"
    return change["path"], f"{compare}{join}from={change['before']}&to={change['after']}"


def _url(request: TeamRequest, run: Run, name: str, *place: Any) -> str:
    query = owner_query(request.visit, run.owner_id)
    return to(request, name, run.agent_id, *place, query=query)
