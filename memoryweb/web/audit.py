"""The audit log: its page, its filter, its verification and its export."""

import csv
import io
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from functools import partial
from itertools import groupby
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import Any

from django import forms
from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from django.http import FileResponse, Http404, HttpResponse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from memoryweb.accounts.models import Team
from memoryweb.accounts.oidc import SENTENCES
from memoryweb.accounts.permissions import Permission, Role
from memoryweb.audit import checkpoints, keys, verify_export
from memoryweb.audit import verify as verifying
from memoryweb.audit.actions import ACTIONS
from memoryweb.audit.checkpoints import Checkpoint
from memoryweb.audit.export import is_open, jsonl
from memoryweb.audit.models import Event, events_of, micros, oldest_first
from memoryweb.audit.record import Entry, record, target
from memoryweb.runs.models import Run
from memoryweb.web import wording
from memoryweb.web.access import TeamRequest, Visit, team_view
from memoryweb.web.form_fields import ChoiceField, PeriodForm
from memoryweb.web.pages import number_of, page, show, to
from memoryweb.web.wording import Chip, Text

# How the outcome of an audit event reads, and why: a word and a sentence, never a code alone.

# What the filter calls each outcome, and which stored ones it means.
OUTCOMES: dict[str, tuple[Text, frozenset[str]]] = {
    "ok": (gettext_lazy("Done"), frozenset({"ok", "succeeded", "no_change"})),
    "needs_review": (gettext_lazy("Needs review"), frozenset({"needs_review"})),
    "skipped": (gettext_lazy("Skipped"), frozenset({"skipped"})),
    "denied": (gettext_lazy("Denied"), frozenset({"denied"})),
    "refused": (gettext_lazy("Refused"), frozenset({"refused"})),
    "failed": (gettext_lazy("Failed"), frozenset({"failed"})),
}
_CHIPS = {
    "denied": Chip("bad", gettext_lazy("denied")),
    "refused": Chip("bad", gettext_lazy("refused")),
}
_DENIALS: dict[str, Text] = {
    "read": gettext_lazy("This role can't read shared memory."),
    "export": gettext_lazy("This role can't export."),
    "write": gettext_lazy("This role can't change this memory."),
    "import": gettext_lazy("This role can't import."),
    "dream": gettext_lazy("This role can't start dreams."),
    "decide": gettext_lazy("This role can't decide on this proposal."),
    "manage_agents": gettext_lazy("This role can't manage agents."),
    "manage_members": gettext_lazy("This role can't manage the team and its members."),
    "manage_tokens": gettext_lazy("This role can't manage integrations and tokens."),
    "see_members": gettext_lazy("This role can't see members."),
    "see_tokens": gettext_lazy("This role can't see integrations."),
    "see_owners": gettext_lazy("This role can't see people."),
    "see_audit": gettext_lazy("This role can't see the audit log."),
    "pack_evidence": gettext_lazy("Only an auditor can make an evidence pack."),
    "break_glass": gettext_lazy("This role can't open other people's memory."),
    "forget": gettext_lazy("This role can't erase this memory."),
    "system_owner": gettext_lazy("The system has no memory of its own to erase."),
    "export_owners": gettext_lazy("This role can't export another person's memory."),
    "integration_required": gettext_lazy("Only an integration can get codes for its end users."),
    "personal": gettext_lazy("This is another person's memory."),
    "own_memory": gettext_lazy("Your own memory needs no reason to open."),
    "revert": gettext_lazy("This role can't revert what a source wrote."),
    "revoke_token": gettext_lazy("The token belongs to someone else."),
    "scope_missing": gettext_lazy("The token doesn't have this permission."),
    "agent_forbidden": gettext_lazy("The integration may not use this agent."),
    "channel_forbidden": gettext_lazy("The integration may not use this channel."),
    "owner_forbidden": gettext_lazy("The token may not name this person."),
    "person_required": gettext_lazy("Only a person can decide on a proposal."),
}
_READS: dict[str, Text] = {
    "break_glass": gettext_lazy("Opened for an hour, with a reason."),
    "granted": gettext_lazy("An admin lets this program read everyone's memory."),
}
_SIGNINS: dict[str, Text] = {
    "wrong_password": gettext_lazy("The password was wrong."),
    "wrong_code": gettext_lazy("The second-factor code was wrong."),
    "unknown_address": gettext_lazy("Nobody here has this e-mail address."),
}
_REVOKED: dict[str, Text] = {
    "replayed": gettext_lazy("What an app may use once was sent again: it was stolen or lost."),
}
_BY_GROUP: dict[str, Text] = {
    "by_group": gettext_lazy("A group of the company's account gives it."),
    "group_left": gettext_lazy("No group of the company's account gives it any more."),
    "sign_in_over": gettext_lazy("They didn't sign in with the company's account for too long."),
}


def chip_of(event: Event) -> Chip | None:
    """None where it went as it should: that needs no word."""
    if event.outcome == "ok":
        return None
    if event.outcome in Run.Status.values:
        return wording.outcome(event.outcome)
    return _CHIPS.get(event.outcome, Chip("idle", event.outcome.replace("_", " ")))


def reason_of(event: Event) -> Text:
    code = event.reason_code
    if event.action == "secret.refused":
        return _("It looked like a secret ({kind}).").format(kind=code.replace("-", " "))
    of_action = {"access.denied": _DENIALS, "personal.read": _READS, "signin.failed": _SIGNINS}
    of_action["token.revoked"] = _REVOKED
    of_action |= dict.fromkeys(("member.added", "member.changed", "member.removed"), _BY_GROUP)
    if code.startswith("company_"):
        said = SENTENCES.get(code.removeprefix("company_"), code)
        return str(said).format(name=settings.OIDC_NAME)
    if code == "wrong_link_code":
        return _("The code was wrong, used or expired.")
    known = of_action.get(event.action, {})
    # The API says what the role lacks as `may_not_write`.
    return known.get(code.removeprefix("may_not_")) or (wording.reason(code) if code else "")


# Events as a page and an export show them: names for ids, and no word about others' memory.

Names = Mapping[str, str]


def names_of(team: Team) -> dict[str, str]:
    """Ids → names of people and programs. Who has left is shown by id."""
    people = team.memberships.select_related("user")
    names = {str(membership.user_id): str(membership.user) for membership in people}
    return names | {str(one.pk): one.name for one in team.integrations.all()}


def line_of(request: TeamRequest, event: Event, names: Names) -> dict[str, Any]:
    roles = dict(Role.choices)
    return {
        "event": event,
        "at": event.at,
        "actor": actor_of(event, names),
        "sentence": ACTIONS.get(event.action, event.action),
        "role": roles.get(event.actor_role, event.actor_role),
        "chip": chip_of(event),
        "reason": reason_of(event),
        "labels": about(request.visit, event),
        "run_url": to(request, "agents_run", event.run_id) if event.run_id else "",
    }


def actor_of(event: Event, names: Names) -> str:
    if event.actor_kind == "system":
        return _("memoryweb")
    if event.actor_kind == "anonymous":
        return _("Someone unknown")
    if event.actor_role == "visitor":
        return _("Someone with a link to My memory")
    return names.get(
        event.actor_id, _("{kind} {id}").format(kind=event.actor_kind, id=event.actor_id[:8])
    )


def about(visit: Visit, event: Event) -> list[str]:
    said = event.said
    shown = [said[name] for name in said if is_open(visit.mine, event, name)]
    hidden = event.target_kind == "file" and not is_open(visit.mine, event, "path")
    return [_("a personal file"), *shown] if hidden else shown


class FilterForm(PeriodForm):
    actor = ChoiceField(label=gettext_lazy("Who"), required=False)
    agent = ChoiceField(label=gettext_lazy("Agent"), required=False)
    action = ChoiceField(label=gettext_lazy("What happened"), required=False)
    outcome = ChoiceField(
        label=gettext_lazy("Outcome"),
        required=False,
        choices=[
            ("", gettext_lazy("Any")),
            *((name, label) for name, (label, _of) in OUTCOMES.items()),
        ],
    )
    run = forms.UUIDField(required=False, widget=forms.HiddenInput)
    target = forms.UUIDField(required=False, widget=forms.HiddenInput)
    field_order = ("actor", "agent", "action", "outcome", "since", "until")


# The audit log to take along: JSONL, which can be checked without memoryweb, and CSV to read.

_TITLES = (
    *("seq", "at", "who", "role", "action", "what", "outcome", "reason", "about"),
    *("revision", "run", "ip", "user_agent", "hash"),
)


def as_csv(request: TeamRequest, events: "QuerySet[Event]") -> Iterator[str]:
    """UTF-8 with a mark in front, so that spreadsheets read it as such."""
    names = names_of(request.visit.team)
    yield "\ufeff" + _row(_TITLES)
    for event in oldest_first(events):
        line = line_of(request, event, names)
        about = "; ".join(line["labels"])
        yield _row(
            (
                *(event.seq, event.at.isoformat(), line["actor"], line["role"], event.action),
                *(line["sentence"], event.outcome, line["reason"], about),
                *(event.target_revision or "", event.run_id or "", event.ip, event.user_agent),
                bytes(event.hash).hex(),
            )
        )


def _row(cells: Iterable[object]) -> str:
    written = io.StringIO()
    csv.writer(written).writerow([_harmless(str(cell)) for cell in cells])
    return written.getvalue()


def _harmless(cell: str) -> str:
    """A spreadsheet runs what begins like a formula."""
    return f"'{cell}" if cell[:1] in {"=", "+", "-", "@", "\t", "\r"} else cell


_Spool = SpooledTemporaryFile[bytes]
_IN_MEMORY = 1024 * 1024  # bytes of an export; what is larger waits in a file
_A_STEP = 5000  # events verified at once, so that each answer comes within a second or two


@team_view("GET", takes=Permission.SEE_AUDIT)
def audit(request: TeamRequest) -> HttpResponse:
    team, names = request.visit.team, names_of(request.visit.team)
    form = _form(request, names)
    events = _filtered(events_of(team.pk), form)
    shown = page(request, events.prefetch_related("labels"), size=25)
    lines = [line_of(request, event, names) for event in shown.items]
    asked = request.GET.copy()
    asked.pop("page", None)
    context = {
        "form": form,
        "page": shown,
        "days": [
            (day, list(those)) for day, those in groupby(lines, lambda line: _day(line["at"]))
        ],
        "is_filtered": bool(asked),
        "query": asked.urlencode(),
    }
    return show(request, "audit/audit.html", context, partials=("events",))


class HeadForm(forms.Form):
    head = forms.CharField(
        label=gettext_lazy("A head that you kept"),
        max_length=4000,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text=gettext_lazy(
            "From a webhook’s message, the last line of an export, or a line of a checkpoint file."
        ),
    )

    def clean_head(self) -> Checkpoint:
        if found := checkpoints.pasted(self.cleaned_data["head"]):
            return found
        raise forms.ValidationError(_("This is no signed head. Paste all of it, with its braces."))


@team_view("GET", "POST", takes=Permission.SEE_AUDIT)
def verify(request: TeamRequest) -> HttpResponse:
    """Step by step, as a long chain takes its time: each answer asks for the next. What is posted
    is a head that somebody kept."""
    team, form = request.visit.team, HeadForm(request.POST if request.method == "POST" else None)
    head = form.cleaned_data["head"] if form.is_valid() else None
    after = number_of(request, "after", 0)
    found = verifying.verify(team.pk, stands=True, after=after, most=_A_STEP)
    last = events_of(team.pk).values_list("seq", flat=True).first() or 0
    context = {
        "found": found,
        "of": max(last, found.events),
        "limits": verifying.LIMITS,
        "key": keys.public_key(),
        "newest": checkpoints.newest(team.pk),
        "form": form,
        "head": head,
        "judged": _judged(team, head) if head else None,
        "gaps": checkpoints.gaps(team.pk),
    }
    return show(request, "audit/verify.html", context, partials=("verification",))


def _judged(team: Team, head: Checkpoint) -> tuple[bool, str]:
    is_ours = head.team == str(team.pk)
    return checkpoints.judge(head) if is_ours else (False, _("It is a head of another team's log."))


@team_view("POST", takes=Permission.SEE_AUDIT)
def export(request: TeamRequest) -> FileResponse:
    """What the filter in the address shows, up to a checkpoint that is signed for it."""
    kind = request.POST.get("kind", "")
    if kind not in {"jsonl", "csv"}:
        raise Http404
    visit, form = request.visit, _form(request, names_of(request.visit.team))
    asked = {name: value for name, value in form.asked.items() if value}
    signed = checkpoints.sign(visit.team.pk, visit.now)
    assert signed, "a team begins with an event"
    events = _filtered(events_of(visit.team.pk), form).filter(seq__lte=signed.seq)
    as_jsonl = partial(jsonl, visit.team, mine=visit.mine)
    parts = as_csv(request, events) if kind == "csv" else as_jsonl(events, asked, signed)
    # Read to the end here: a response is sent outside the team's scope, and a failure is no export.
    file = _Spool(_IN_MEMORY)
    file.writelines(part.encode() for part in parts)
    file.seek(0)
    with transaction.atomic():
        details = {"kind": kind, "filters": sorted(asked)}
        entry = Entry("audit.exported", visit.actor, **target(visit.team), details=details)
        record(visit.team.pk, entry)
    name = f"audit-{visit.team.slug}-{visit.now:%Y-%m-%d}.{kind}"
    content_type = f"text/{kind}; charset=utf-8"
    return FileResponse(file, as_attachment=True, filename=name, content_type=content_type)


@team_view("GET", takes=Permission.SEE_AUDIT)
def verifier(request: TeamRequest) -> HttpResponse:
    """The one file that checks an export anywhere."""
    code = Path(verify_export.__file__).read_text()
    response = HttpResponse(code, content_type="text/x-python; charset=utf-8")
    response.headers["Content-Disposition"] = 'attachment; filename="verify_export.py"'
    return response


def _form(request: TeamRequest, names: Names) -> FilterForm:
    named = sorted(ACTIONS.items(), key=lambda item: str(item[1]))
    people = sorted(names.items(), key=lambda item: item[1])
    agents = request.visit.team.agents.order_by("name").values_list("pk", "name")
    return FilterForm(
        request.GET,
        action=[("", _("Anything")), *named],
        actor=[("", _("Anyone")), ("system", _("memoryweb")), *people],
        agent=[("", _("All agents")), *((str(pk), name) for pk, name in agents)],
    )


def _filtered(events: "QuerySet[Event]", form: FilterForm) -> "QuerySet[Event]":
    events = events.filter(
        **form.lookups(action="action", run="run_id", target="target_id", agent="agent_id")
    )
    events = events.filter(**_actor(form.asked))
    if "outcome" in form.asked:
        events = events.filter(outcome__in=OUTCOMES[form.asked["outcome"]][1])
    since, until = form.period()
    if since:
        events = events.filter(at_us__gte=micros(since))
    return events.filter(at_us__lt=micros(until)) if until else events


def _actor(asked: Mapping[str, Any]) -> dict[str, str]:
    actor = asked.get("actor", "")
    if actor == "system":
        return {"actor_kind": "system"}
    return {"actor_id": actor} if actor else {}


def _day(moment: datetime) -> object:
    return timezone.localtime(moment).date()
