"""How outcomes read: a word, a tone, and a sentence for every reason code."""

from dataclasses import dataclass
from datetime import datetime

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from memoryweb.dreaming.models import Candidate
from memoryweb.dreaming.queries import AgentNights, Night
from memoryweb.dreaming.reasons import OUTCOMES
from memoryweb.extraction.models import Extraction
from memoryweb.language.extraction_rules import Kind
from memoryweb.language.secrets.kind_names import secret_kind as secret_kind
from memoryweb.memory.models import Fact, Proposal, Revision
from memoryweb.runs.models import Run
from memoryweb.runs.reasons import reason as reason

Text = str | Promise


@dataclass(frozen=True)
class Chip:
    tone: str  # ok | warn | bad | run | wait | idle
    label: Text


_TONES = {
    Run.Status.QUEUED: "wait",
    Run.Status.RUNNING: "run",
    Run.Status.SUCCEEDED: "ok",
    Run.Status.NO_CHANGE: "idle",
    Run.Status.SKIPPED: "idle",
    Run.Status.FAILED: "bad",
    Run.Status.NEEDS_REVIEW: "warn",
}
_LABELS = {
    Run.Status.QUEUED: gettext_lazy("queued"),
    Run.Status.RUNNING: gettext_lazy("running"),
    Run.Status.SUCCEEDED: gettext_lazy("done"),
    Run.Status.NO_CHANGE: gettext_lazy("nothing new"),
    Run.Status.SKIPPED: gettext_lazy("skipped"),
    Run.Status.FAILED: gettext_lazy("failed"),
    Run.Status.NEEDS_REVIEW: gettext_lazy("needs review"),
}
_VERDICTS = {
    Candidate.Verdict.PROMOTED: Chip("ok", gettext_lazy("remembered")),
    Candidate.Verdict.KEPT: Chip("run", gettext_lazy("kept for later")),
    Candidate.Verdict.REJECTED: Chip("idle", gettext_lazy("not kept")),
}
COMPONENTS = {
    "recall": gettext_lazy("recall"),
    "recency": gettext_lazy("recency"),
    "diversity": gettext_lazy("diversity"),
    "freshness": gettext_lazy("freshness"),
    "spread": gettext_lazy("spread"),
}


def outcome(status: str, promoted: int = 0) -> Chip:
    if status == Run.Status.SUCCEEDED and promoted:
        return Chip("ok", _("{count} remembered").format(count=promoted))
    if not status:
        return Chip("idle", _("no dreams yet"))
    return Chip(_TONES[Run.Status(status)], _LABELS[Run.Status(status)])


def of_run(run: Run) -> Chip:
    if run.status == Run.Status.RUNNING and run.phase:
        return Chip("run", run.get_phase_display().lower())
    if run.reverted_at:
        return Chip("idle", _("reverted"))
    if run.status == Run.Status.FAILED and run.due_at:
        return Chip("bad", _("failed, will try again"))
    return outcome(run.status, run.report.promoted if has_report(run) else 0)


def of_night(night: Night) -> Chip:
    return outcome(night.status, night.promoted)


def standing(nights: AgentNights, *, sees_all: bool) -> tuple[Chip, str | Promise]:
    """What an agent is doing, or else did in its last night, and why. Who doesn't see the dreams
    of other owners is told nothing of whether there were any."""
    if nights.running and nights.running.status == Run.Status.RUNNING:
        return of_run(nights.running), _("running now")
    if nights.running and nights.running.status == Run.Status.QUEUED:
        return of_run(nights.running), _("waits for a worker")
    if nights.last is None:
        told = _("no dreams yet") if sees_all else _("no shared dreams yet")
        return Chip("idle", told), ""
    detail = why(nights.last)
    if nights.last_night and nights.last_night.promoted:
        return of_night(
            nights.last_night
        ), detail if nights.last.status == Run.Status.NEEDS_REVIEW else ""
    return of_run(nights.last), detail


def why(run: Run) -> str | Promise:
    """Why it ended as it did; what waited and is decided needs no reason any more."""
    return reason(run.reason) if run.reason and run.status != Run.Status.SUCCEEDED else ""


def of_verdict(verdict: str) -> Chip:
    return _VERDICTS[Candidate.Verdict(verdict)]


_DECIDED = {"accepted": gettext_lazy("accepted"), "rejected": gettext_lazy("rejected")}


def of_operation(outcome: str) -> Chip:
    kind = {"left_out": "idle", "waits": "wait", "rejected": "idle"}.get(outcome, "ok")
    return Chip(kind, _DECIDED.get(outcome) or OUTCOMES[outcome])


def happened_at(row: Run | Extraction | Proposal | Revision) -> datetime:
    """When it was; what a simulated run did, at the moment that the run took for now."""
    run = row if isinstance(row, Run) else row.run
    return run.clock if run and run.clock else row.created_at


def has_report(run: Run) -> bool:
    return hasattr(run, "report")


_MARKS: dict[str, Text] = {
    "address": gettext_lazy("It contains a web address that appears nowhere else here."),
    "order": gettext_lazy("It tells the assistant what to do."),
    "role": gettext_lazy("It looks like part of a prompt."),
    "hidden": gettext_lazy("It contains invisible characters."),
    "long": gettext_lazy("It is too long to check."),
    "corrected": gettext_lazy("Someone corrected or deleted this before."),
    "unread": gettext_lazy("The model could not read these messages. Note what matters yourself."),
}


def mark(code: str) -> Text:
    """Why a person should look at a line."""
    return _MARKS.get(code, code)


FACT_KINDS: dict[str, Text] = {
    Kind.IDENTITY: gettext_lazy("Identity"),
    Kind.HEALTH: gettext_lazy("Health"),
    Kind.RELATION: gettext_lazy("Relation"),
    Kind.PREFERENCE: gettext_lazy("Preference"),
    Kind.INSTRUCTION: gettext_lazy("Instruction"),
    Kind.DECISION: gettext_lazy("Decision"),
    Kind.PLAN: gettext_lazy("Plan"),
    Kind.EVENT: gettext_lazy("Event"),
    Kind.OTHER: gettext_lazy("Other"),
}
_FACT_TONES = {Fact.State.ACTIVE: "ok", Fact.State.PENDING: "warn", Fact.State.DISPUTED: "warn"}


TO_BE_FORGOTTEN = Chip("idle", gettext_lazy("To be forgotten"))


def of_fact(state: Fact.State) -> Chip:
    return Chip(_FACT_TONES.get(state, "idle"), state.label)


SKIPPED = gettext_lazy("skipped")
EXTRACTED = gettext_lazy("extracted")
WAITS = gettext_lazy("waits for extraction")
NONE = gettext_lazy("no messages")
