"""How outcomes read: a word, a tone, and a sentence for every reason code."""

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from typing import Any
from uuid import UUID

from django.contrib.humanize.templatetags.humanize import apnumber
from django.http import HttpRequest
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from memoryweb.accounts.permissions import Permission
from memoryweb.agents.models import Agent, Owner
from memoryweb.dreaming.queries import AgentNights, Night
from memoryweb.extraction.models import Extraction
from memoryweb.language.extraction_rules import Kind
from memoryweb.language.secrets.credentials import secret_kind as secret_kind
from memoryweb.memory import models
from memoryweb.memory.lines.history import MessagePlace
from memoryweb.memory.lines.revisions import MACHINES, author_name
from memoryweb.memory.models.writer import Writer
from memoryweb.runs.models import Run
from memoryweb.runs.reasons import reason as reason
from memoryweb.web.access import TeamRequest, Visit
from memoryweb.web.pages import to, to_line

Text = str | Promise


@dataclass(frozen=True)
class Chip:
    tone: str  # ok | warn | bad | run | wait | idle
    label: Text


_CHIPS = {
    Run.Status.QUEUED: Chip("wait", gettext_lazy("queued")),
    Run.Status.RUNNING: Chip("run", gettext_lazy("running")),
    Run.Status.SUCCEEDED: Chip("ok", gettext_lazy("done")),
    Run.Status.NO_CHANGE: Chip("idle", gettext_lazy("nothing new")),
    Run.Status.SKIPPED: Chip("idle", gettext_lazy("skipped")),
    Run.Status.FAILED: Chip("bad", gettext_lazy("failed")),
    Run.Status.NEEDS_REVIEW: Chip("warn", gettext_lazy("needs review")),
}


def outcome(status: str, promoted: int = 0) -> Chip:
    if status == Run.Status.SUCCEEDED and promoted:
        return Chip("ok", _("{count} learned").format(count=promoted))
    if not status:
        return Chip("idle", _("no dreams yet"))
    return _CHIPS[Run.Status(status)]


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


def why_beside(run: Run) -> str | Promise:
    """In a list, beside the outcome: what remembered something needs no reason."""
    return "" if has_report(run) and run.report.promoted else why(run)


def happened_at(row: Run | Extraction | models.Proposal | models.Revision) -> datetime:
    """When it was; what a simulated run did, at the moment that the run took for now."""
    run = row if isinstance(row, Run) else row.run
    return run.clock if run and run.clock else row.created_at


def night_of(run: Run) -> str:
    return _("Night of {night}").format(night=date_format(run.night, _("j F"))) if run.night else ""


def has_report(run: Run) -> bool:
    return hasattr(run, "report")


_MARKS: dict[str, Text] = {
    "address": gettext_lazy("It contains an address that appears nowhere else here."),
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
_FACT_TONES = {
    models.Fact.State.ACTIVE: "ok",
    models.Fact.State.PENDING: "warn",
    models.Fact.State.DISPUTED: "warn",
}


TO_BE_FORGOTTEN = Chip("idle", gettext_lazy("To be forgotten"))


def of_fact(state: models.Fact.State) -> Chip:
    return Chip(_FACT_TONES.get(state, "idle"), state.label)


def of_talk(talk: models.Conversation) -> Chip:
    if talk.skipped:
        return Chip("idle", _("skipped"))
    if talk.extracted_upto >= talk.message_count > 0:
        return Chip("ok", _("read"))
    return (
        Chip("wait", _("waits to be read"))
        if talk.message_count
        else Chip("idle", _("no messages"))
    )


# What owners, authors and triggers are called on pages, and the links behind an author.


@dataclass(frozen=True)
class Choice:
    """A plain link that is one of several ways to see the same page."""

    label: str | Promise
    url: str
    is_current: bool


def choice(request: HttpRequest, label: Text, is_current: bool, **asked: str) -> Choice:
    """One that keeps what else was chosen."""
    query = request.GET.copy()
    query.pop("page", None)
    for name, value in asked.items():
        query[name] = value
    return Choice(label, f"?{query.urlencode()}", is_current)


def remembered(until: date | None) -> str:
    if until is None:
        return _("Remembered as long as its text says.")
    return _("Remembered until {day}.").format(day=date_format(until, "DATE_FORMAT"))


def ending(n: int) -> str:
    """What leaves memory after today or tomorrow because a person chose so; empty: nothing."""
    said = ngettext(
        "{n} statement about you is remembered until today or tomorrow.",
        "{n} statements about you are remembered until today or tomorrow.",
        n,
    )
    return said.format(n=n) if n else ""


# Note lines have UTC.
NOTED = re.compile(r"^([-*] )((?:[01]\d|2[0-3]):[0-5]\d)(?= )", re.MULTILINE)


def noted_at(day: date, clock: str) -> str:
    """The reader's time of a note line; with its date, where that is another there."""
    here = timezone.localtime(datetime.combine(day, time.fromisoformat(clock), UTC))
    return f"{here:%H:%M}" if here.date() == day else f"{date_format(here, _('j M'))} {here:%H:%M}"


def in_zone(text: str, day: date | None) -> str:
    """The lines of that day's note with the reader's time."""
    return NOTED.sub(lambda it: it[1] + noted_at(day, it[2]), text) if day else text


def owner_name(visit: Visit, owner: Owner | None) -> str:
    if owner is None or owner.is_system:
        return _("Shared")
    if owner.pk in visit.mine or owner == visit.me:
        return _("Mine") if owner.source == "user" else _("Mine ({as})").replace("{as}", owner.name)
    return owner_title(owner)


def owner_title(owner: Owner) -> str:
    if owner.source == "user" and owner.person:
        return str(owner.person)
    return owner.name


def owner_query(visit: Visit, owner_id: UUID | None) -> str:
    """Keeps the owner in a link to a file; empty for shared memory."""
    if owner_id is None:
        return ""
    return "?owner=me" if owner_id == visit.me.pk else f"?owner={owner_id}"


def trigger_name(run: Run) -> str:
    if run.trigger == Run.Trigger.PERSON and run.user:
        return str(run.user)
    if run.trigger == Run.Trigger.API and (run.integration or run.user):
        return _("API, {name}").format(name=run.integration or run.user)
    return str(run.get_trigger_display())


def writer_of(request: TeamRequest) -> Writer:
    """Whoever is signed in, as the one who writes."""
    no_secrets = "no_secrets" in request.POST
    return Writer(models.AuthorKind.PERSON, user=request.user, no_secrets=no_secrets)


@dataclass(frozen=True)
class Author:
    """`kind` names the shape. A link is empty where the reader may not follow it."""

    kind: str
    label: str
    name: str
    at: datetime
    run_url: str = ""
    talk_url: str = ""


def author_of(
    request: TeamRequest,
    revision: models.Revision,
    agent: Agent,
    talk: models.Conversation | None = None,
    said: MessagePlace | None = None,
) -> Author:
    """`talk` is the conversation that a line came from, where it is known better, and `said` the
    message."""
    label, name = str(revision.get_author_kind_display()), author_name(revision, agent)
    is_plain = name == label or revision.author_kind in MACHINES
    return Author(
        kind=revision.author_kind,
        label=name if is_plain else label,
        name="" if is_plain else name.removeprefix(f"{label} · "),
        at=happened_at(revision),
        run_url=_run_url(request, revision.run),
        talk_url=message_url(request, talk or revision.conversation, said),
    )


def message_url(
    request: TeamRequest, talk: models.Conversation | None, said: MessagePlace | None
) -> str:
    """Of the message, or of the whole conversation; empty where the reader may not see it."""
    if talk is None or not request.visit.reads(talk.owner_id):
        return ""
    return talk_url(request, talk, said.position if said else None)


def talk_url(request: TeamRequest, talk: models.Conversation, position: int | None = None) -> str:
    """A conversation, at one of its messages."""
    place = f"?message={position}#m{position}" if position else ""
    return to(request, "agents_conversation", talk.agent_id, talk.pk, query=place)


def file_url(
    request: TeamRequest, file: models.File, line: int | None = None, *, agent: Agent | None = None
) -> str:
    """Global files are read beside an agent; without one, in their own team."""
    if agent and file.agent_id != agent.pk:
        anchor = f"#L{line}" if line else ""
        return to(request, "agents_global", agent.pk, file.path, query=anchor)
    query = owner_query(request.visit, file.owner_id)
    query = to_line(query, line) if line else query
    return to(request, "agents_file", file.agent_id, file.path, query=query)


def fact_url(request: TeamRequest, fact: models.Fact) -> str:
    query = owner_query(request.visit, fact.owner_id)
    return to(request, "agents_fact", fact.agent_id, fact.pk, query=query)


def forgotten(done: object, said: Text) -> str:
    """When it is erased, where that is known, else what is said."""
    if isinstance(done, models.ForgetRequest) and done.erase_at:
        return erased(done.erase_at)
    return str(said)


def erased(at: datetime) -> str:
    return _("Forgotten. Erased at {time}.").format(time=f"{timezone.localtime(at):%H:%M}")


def _run_url(request: TeamRequest, run: Run | None) -> str:
    visit = request.visit
    if run is None or not (visit.is_common(run.owner_id) or visit.can(Permission.SEE_OWNERS)):
        return ""
    return to(request, "agents_run", run.pk)


def trust_in_words(fact: Any, visit: Visit) -> str:
    """What speaks for a statement, or against it; empty where one person said it once. Of those
    that `listing.counted` counted."""
    if fact.confirmed_at:
        who = fact.confirmed_by
        if who and who == visit.user:
            return _("confirmed by you")
        return _("confirmed by {name}").format(name=who) if who else _("confirmed")
    times, people = apnumber(fact.times), apnumber(fact.people)
    if fact.people > 1:
        both = _("said {times} times by {people} people")
        said = _("said by {people} people") if fact.times == fact.people else both
        return said.format(times=times, people=people)
    if fact.times > 1:
        return _("said twice") if fact.times == 2 else _("said {times} times").format(times=times)
    is_agents = fact.source == models.SourceClass.AGENT and not fact.people
    return _("only once, by an agent") if is_agents else ""
