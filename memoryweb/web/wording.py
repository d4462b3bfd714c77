"""How outcomes read: a word, a tone, and a sentence for every reason code."""

from dataclasses import dataclass
from datetime import datetime

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from memoryweb.dreaming.models import Candidate
from memoryweb.dreaming.queries import AgentNights, Night
from memoryweb.extraction.conditions import SENTENCES
from memoryweb.extraction.models import Extraction
from memoryweb.runs.models import Run
from memoryweb.workspace.models import Proposal, Revision

Text = str | Promise


@dataclass(frozen=True)
class Chip:
    tone: str  # ok | warn | bad | run | wait | idle
    label: Text


_SECRETS = {
    "password": gettext_lazy("Password"),
    "api-key": gettext_lazy("API key"),
    "secret": gettext_lazy("Secret"),
    "token": gettext_lazy("Token"),
    "credential": gettext_lazy("Credential"),
}
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
    Candidate.Verdict.PROMOTED: Chip("ok", gettext_lazy("promoted")),
    Candidate.Verdict.KEPT: Chip("run", gettext_lazy("kept for later")),
    Candidate.Verdict.REJECTED: Chip("idle", gettext_lazy("rejected")),
}
COMPONENTS = {
    "recall": gettext_lazy("recall"),
    "recency": gettext_lazy("recency"),
    "diversity": gettext_lazy("diversity"),
    "freshness": gettext_lazy("freshness"),
    "spread": gettext_lazy("spread"),
}
# The most that each part can add (SPEC §5.3), so that bars can be compared.
WEIGHTS = {"recall": 0.30, "recency": 0.25, "diversity": 0.20, "freshness": 0.15, "spread": 0.10}


def outcome(status: str, promoted: int = 0) -> Chip:
    if status == Run.Status.SUCCEEDED and promoted:
        return Chip("ok", promoted_label(promoted))
    if not status:
        return Chip("idle", _("never dreamt"))
    return Chip(_TONES[Run.Status(status)], _LABELS[Run.Status(status)])


def promoted_label(count: int) -> str:
    return ngettext("{count} promoted", "{count} promoted", count).format(count=count)


def of_run(run: Run) -> Chip:
    if run.status == Run.Status.RUNNING and run.phase:
        return Chip("run", run.get_phase_display().lower())
    if run.reverted_at:
        return Chip("idle", _("taken back"))
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
        told = _("never dreamt") if sees_all else _("no dream of shared notes yet")
        return Chip("idle", told), ""
    detail = reason(nights.last.reason) if nights.last.reason else ""
    if nights.last_night and nights.last_night.promoted:
        return of_night(nights.last_night), detail if nights.proposals else ""
    return of_run(nights.last), detail


def of_verdict(verdict: str) -> Chip:
    return _VERDICTS[Candidate.Verdict(verdict)]


def happened_at(row: Run | Extraction | Proposal | Revision) -> datetime:
    """When it was; what a simulated run did, at the moment that the run took for now."""
    run = row if isinstance(row, Run) else row.run
    return run.clock if run and run.clock else row.created_at


def ended_at(run: Run) -> datetime | None:
    """When it was over; a simulated night at the moment that it took for now."""
    return run.clock if run.clock and run.finished_at else run.finished_at


def has_report(run: Run) -> bool:
    return hasattr(run, "report")


_REASONS: dict[str, Text] = {
    **SENTENCES,
    "no_notes": gettext_lazy("There were no notes to dream about."),
    "nothing_promoted": gettext_lazy("No candidate passed every gate."),
    "nothing_to_keep": gettext_lazy("Nothing was said that is worth keeping."),
    "empty_answer": gettext_lazy("The model answered with an empty memory; nothing was changed."),
    "no_model": gettext_lazy("This agent wants a model, and none is set up."),
    "archived": gettext_lazy("The agent was archived meanwhile."),
    "worker_lost": gettext_lazy("The worker was lost again and again; the run was given up."),
    "interrupted": gettext_lazy("The worker stopped in the middle; it goes on from there."),
    "unfinished": gettext_lazy("The work ended without saying how."),
    "unexpected": gettext_lazy("Something unexpected broke; nothing was changed."),
    "policy": gettext_lazy("This agent asks a person before it changes memory."),
    "proposal": gettext_lazy("A change of memory waits for a person."),
    "pinned": gettext_lazy("A guard stopped it: pinned lines would change."),
    "edited": gettext_lazy("A guard stopped it: lines that a person edited would change."),
    "confirmed": gettext_lazy("A guard stopped it: confirmed facts would be lost."),
    "dropped": gettext_lazy("A guard stopped it: too many entries would be dropped."),
    "changed": gettext_lazy("A guard stopped it: too many lines would change in one day."),
    "size": gettext_lazy("A guard stopped it: the file would grow too large."),
    "secret": gettext_lazy("A guard stopped it: a new line looks like a secret."),
    "address": gettext_lazy("A guard stopped it: an address would appear that nobody named."),
    "cited": gettext_lazy("A guard stopped it: a new line names no note that it comes from."),
    "empty": gettext_lazy("A guard stopped it: the new text is empty."),
    "current": gettext_lazy("The notes changed while it was at work; a person decides."),
    "budget_spent": gettext_lazy("The team's tokens for today are used up."),
    "breaker_open": gettext_lazy("The model endpoint failed too often and is left alone a while."),
    "model_failed": gettext_lazy("The model endpoint failed."),
    "model_not_configured": gettext_lazy("No model is set up for this installation."),
    "model_host_refused": gettext_lazy("The model's host is not on the list of allowed hosts."),
    "model_key_refused": gettext_lazy("The model endpoint refused the key."),
    "model_access_refused": gettext_lazy("The model endpoint refused access."),
    "model_request_refused": gettext_lazy("The model endpoint refused the request."),
    "model_not_found": gettext_lazy("The model endpoint does not know this model."),
    "model_input_too_large": gettext_lazy("The notes are too long for the model."),
    "model_busy": gettext_lazy("The model endpoint is busy."),
    "model_unavailable": gettext_lazy("The model endpoint could not be reached."),
    "model_timeout": gettext_lazy("The model did not answer in time."),
    "answer_unfinished": gettext_lazy("The model stopped in the middle of its answer."),
    "bad_answer": gettext_lazy("The model's answer could not be used; nothing was changed."),
}


_GUARDS: dict[str, Text] = {
    "pinned": gettext_lazy("pinned lines"),
    "edited": gettext_lazy("lines of a person"),
    "confirmed": gettext_lazy("confirmed facts"),
    "dropped": gettext_lazy("too much dropped"),
    "changed": gettext_lazy("too much changed"),
    "size": gettext_lazy("too long"),
    "secret": gettext_lazy("secret"),
    "address": gettext_lazy("new address"),
    "cited": gettext_lazy("without a source"),
    "empty": gettext_lazy("empty"),
    "current": gettext_lazy("notes changed"),
}


def reason(code: str) -> Text:
    """A sentence for a stored reason code; an unknown code as itself."""
    return _REASONS.get(code, code.replace("_", " "))


def secret_kind(kind: str) -> Text:
    """Of a likely secret by its label; a known format is called by its code, `github-token`."""
    return _SECRETS.get(kind, kind)


def guard(code: str) -> Text:
    return _GUARDS.get(code, code.replace("_", " "))


_MARKS: dict[str, Text] = {
    "address": gettext_lazy("It holds an address that nothing else here holds."),
    "order": gettext_lazy("It tells the assistant what to do."),
    "role": gettext_lazy("It looks like a part of a prompt."),
    "hidden": gettext_lazy("It holds characters that cannot be seen."),
    "long": gettext_lazy("It is too long to be checked."),
}


def mark(code: str) -> Text:
    """Why a person should look at a line."""
    return _MARKS.get(code, code)


SKIPPED = gettext_lazy("skipped")
EXTRACTED = gettext_lazy("extracted")
WAITS = gettext_lazy("waits for extraction")
NONE = gettext_lazy("no messages")
