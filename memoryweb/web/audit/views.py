from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from itertools import groupby
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.http import FileResponse, Http404, HttpResponse
from django.utils import timezone
from django.utils.translation import gettext as _

from memoryweb.accounts.permissions import Permission
from memoryweb.audit import checkpoints, keys, verify_export
from memoryweb.audit import verify as verifying
from memoryweb.audit.actions import ACTIONS
from memoryweb.audit.models import Event
from memoryweb.audit.queries import events_of
from memoryweb.audit.record import Entry, record, target
from memoryweb.web.access import TeamRequest, team_view
from memoryweb.web.audit import export as exporting
from memoryweb.web.audit.events import Names, line_of, names_of
from memoryweb.web.audit.forms import FilterForm
from memoryweb.web.audit.outcomes import OUTCOMES
from memoryweb.web.htmx import show
from memoryweb.web.paging import page
from memoryweb.web.parameters import number_of

_Spool = SpooledTemporaryFile[bytes]
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
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


@team_view("GET", takes=Permission.SEE_AUDIT)
def verify(request: TeamRequest) -> HttpResponse:
    """Step by step, as a long chain takes its time: each answer asks for the next."""
    team = request.visit.team
    after = number_of(request, "after", 0)
    found = verifying.verify(team.pk, stands=True, after=after, most=_A_STEP)
    last = events_of(team.pk).values_list("seq", flat=True).first() or 0
    context = {
        "found": found,
        "of": max(last, found.events),
        "limits": verifying.LIMITS,
        "key": keys.public_key(),
        "newest": checkpoints.newest(team.pk),
    }
    return show(request, "audit/verify.html", context, partials=("verification",))


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
    if kind == "csv":
        parts = exporting.as_csv(request, events)
    else:
        parts = exporting.jsonl(request, events, asked, signed)
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
        events = events.filter(at_us__gte=_micros(since))
    return events.filter(at_us__lt=_micros(until)) if until else events


def _actor(asked: Mapping[str, Any]) -> dict[str, str]:
    actor = asked.get("actor", "")
    if actor == "system":
        return {"actor_kind": "system"}
    return {"actor_id": actor} if actor else {}


def _day(moment: datetime) -> object:
    return timezone.localtime(moment).date()


def _micros(moment: datetime) -> int:
    return (moment - _EPOCH) // timedelta(microseconds=1)
