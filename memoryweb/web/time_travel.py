"""Time travel: a workspace as it was, and what changed between two moments."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django import forms
from django.core.exceptions import ValidationError
from django.http import HttpResponse, QueryDict
from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from memoryweb.accounts.permissions import Permission
from memoryweb.markdown.diff import Row, counts, side_by_side
from memoryweb.memory.lines import revisions
from memoryweb.memory.models import Injection
from memoryweb.memory.prompt import prompts_with
from memoryweb.memory.statements.listing import Held, held_in
from memoryweb.memory.visible.readable import Look, To
from memoryweb.web.access import TeamRequest, Workspace, find_workspace, note_read, team_view
from memoryweb.web.facts.rows import grounds_of, talks_of
from memoryweb.web.form_fields import start_of
from memoryweb.web.pages import about, page, show, to
from memoryweb.web.wording import Chip, Choice

_MOST_ROWS, _MOST_TEXT = 300, 20_000  # of one file's difference; the rest is on its own page
CHIPS = {
    "added": Chip("ok", gettext_lazy("added")),
    "removed": Chip("bad", gettext_lazy("removed")),
    "renamed": Chip("run", gettext_lazy("renamed")),
    "changed": Chip("warn", gettext_lazy("changed")),
}


_MONTH = timedelta(days=30)
YEARS = range(2000, 2101)


class MomentField(forms.DateTimeField):
    """A moment in the person's zone, or with an offset of its own, as links carry it."""

    def __init__(self, *, label: Any, required: bool = True) -> None:
        widget = forms.DateTimeInput(attrs={"type": "datetime-local", "step": "1"})
        super().__init__(label=label, required=required, widget=widget)
        self.error_messages["invalid"] = gettext_lazy(
            "Enter a date and time, such as 2026-11-20 14:30."
        )

    def to_python(self, value: Any) -> datetime | None:
        moment = super().to_python(value)
        if moment is not None and moment.year not in YEARS:
            raise ValidationError(gettext_lazy("Choose a moment between 2000 and 2100."))
        return moment

    def prepare_value(self, value: Any) -> Any:
        """What a browser's input takes: no offset, no more than seconds."""
        try:
            moment = self.to_python(value)
        except ValidationError:
            return ""
        return f"{timezone.localtime(moment):%Y-%m-%dT%H:%M:%S}" if moment else ""


class MomentForm(forms.Form):
    at = MomentField(label=gettext_lazy("Date and time"))
    owner = forms.CharField(required=False, widget=forms.HiddenInput)
    fact = forms.UUIDField(required=False, widget=forms.HiddenInput)


class BetweenForm(forms.Form):
    since = MomentField(label=gettext_lazy("From"))
    until = MomentField(label=gettext_lazy("Until (leave empty for now)"), required=False)
    owner = forms.CharField(required=False, widget=forms.HiddenInput)


@team_view("GET")
def moments(request: TeamRequest, agent_id: UUID) -> HttpResponse:
    workspace = find_workspace(request, agent_id, read="files")
    form = MomentForm(_moment_asked(request), initial={"owner": workspace.value})
    at, fact = map(form.cleaned_data.get, ("at", "fact")) if form.is_valid() else (None, None)
    found = revisions.files_at(agent_id, workspace.owner_id, at) if at else []
    shown = page(request, found, size=50)
    context = about(
        workspace,
        stay="agents_moments",
        form=form,
        at=at,
        quick=_quick(request, workspace, fact),
        belief=fact and at and belief(request, workspace, fact, at, found, since=at - _MONTH),
        can_pack=request.visit.can(Permission.PACK_EVIDENCE),
        page=shown,
        rows=[(past, _since(past)) for past in shown],
        changes_url=_changes_url(request, workspace, at) if at else "",
    )
    return show(request, "time_travel/moment.html", context)


def _moment_asked(request: TeamRequest) -> QueryDict | None:
    """A statement without a moment is asked about as it is now."""
    asked = request.GET.copy()
    if "fact" in asked and "at" not in asked:
        asked["at"] = request.visit.now.isoformat()
    return asked if "at" in asked else None


@dataclass(frozen=True)
class Belief:
    """What was held at a moment of the same thing as a statement, on what, and in which prompts."""

    fact: Any
    text: str
    lines: list[tuple[Held, str, list[dict[str, Any]]]]
    prompts: list[Injection]
    talks: list[dict[str, Any]]


def belief(
    request: TeamRequest,
    workspace: Workspace,
    fact_id: UUID,
    at: datetime,
    there: Sequence[revisions.Past],
    *,
    since: datetime | None = None,
) -> Belief:
    """`there`: the files of the workspace then. `since`: of older prompts it tells nothing."""
    fact = get_object_or_404(workspace.agent.facts.of(*workspace.memory.key), pk=fact_id)
    note_read(request, workspace.owner, "fact", fact_id)
    held = held_in(there, fact)
    facts, files = [one.fact for one in held], {one.past.file for one in held}
    look = Look(To.PAGE, facts=[fact], files=files)
    words = [_words(look, one) for one in held]
    grounds = [
        [one for one in its if one["at"] is None or one["at"] <= at]
        for its in grounds_of(request, *facts)
    ]
    reach = request.visit.outcomes("injection__owner")
    prompts = prompts_with(facts, {file.pk for file in files}, reach, at, since)
    talks = talks_of(request, prompts)
    return Belief(
        fact, look.fact(fact).text, [*zip(held, words, grounds, strict=True)], prompts, talks
    )


def _words(look: Look, held: Held) -> str:
    lines = look.then(held.past.file, held.past.content).split("\n")
    return "\n".join(lines[held.at.line - 1 : held.at.end])


@team_view("GET")
def compare(request: TeamRequest, agent_id: UUID) -> HttpResponse:
    workspace = find_workspace(request, agent_id, read="changes")
    quick = _quick(request, workspace)
    form = BetweenForm(_asked(request, quick))
    found: list[revisions.Change] = []
    if form.is_valid():
        sides = (form.cleaned_data["since"], form.cleaned_data["until"] or request.visit.now)
        found = revisions.changes(
            *(revisions.files_at(agent_id, workspace.owner_id, at) for at in sorted(sides))
        )
    shown = page(request, found, size=20)
    context = about(
        workspace,
        stay="agents_moments_compare",
        presets=[_preset(one, form) for one in quick],
        form=form,
        is_valid=form.is_valid(),
        since=form.cleaned_data.get("since"),
        until=form.cleaned_data.get("until"),
        page=shown,
        changes=_shown(request, workspace, shown.items),
    )
    return show(request, "time_travel/compare.html", context)


def _asked(request: TeamRequest, quick: Sequence[dict[str, Any]]) -> QueryDict:
    """Who names no moment asks about the week."""
    asked = request.GET.copy()
    if "since" not in asked:
        monday = next(one for one in quick if one["key"] == "monday")
        asked["since"] = monday["moment"].isoformat(timespec="milliseconds")
    return asked


def _preset(quick: dict[str, Any], form: BetweenForm) -> Choice:
    asked = form.cleaned_data if form.is_valid() else {}
    is_current = asked.get("since") == quick["moment"] and not asked.get("until")
    return Choice(quick["label"], quick["changes_url"], is_current)


def _since(past: revisions.Past) -> str:
    """What became of a file after the moment."""
    if past.file.deleted_at is not None:
        return _("deleted since")
    if past.file.path != past.path:
        return _("now {path}").format(path=past.file.path)
    return _("changed since") if past.file.revision != past.number else ""


def _quick(
    request: TeamRequest, workspace: Workspace, fact: UUID | None = None
) -> list[dict[str, Any]]:
    agent_id, today = workspace.agent.pk, timezone.localtime(request.visit.now).date()
    week, monday = today - timedelta(days=7), today - timedelta(days=today.weekday() or 7)
    named: list[tuple[str, str | Promise, datetime | None]] = [
        ("yesterday", _("Yesterday"), start_of(today - timedelta(days=1))),
        ("monday", _("Last Monday"), start_of(monday)),
        ("week", _("A week ago"), start_of(week) if week != monday else None),
        ("month", _("30 days ago"), start_of(today - timedelta(days=30))),
        (
            "dream",
            _("Before the last dream"),
            revisions.before_last_dream(workspace.memory),
        ),
        (
            "import",
            _("Before the last import"),
            None if fact else revisions.before_last_import(workspace.memory),
        ),
    ]
    return [
        {
            "key": key,
            "label": label,
            "moment": moment,
            "files_url": to(
                request, "agents_moments", agent_id, query=_query(workspace, fact, at=moment)
            ),
            "changes_url": _changes_url(request, workspace, moment),
        }
        for key, label, moment in named
        if moment is not None
    ]


def _changes_url(request: TeamRequest, workspace: Workspace, since: datetime) -> str:
    query = _query(workspace, since=since)
    return to(request, "agents_moments_compare", workspace.agent.pk, query=query)


def _query(workspace: Workspace, fact: UUID | None = None, **moments: datetime) -> str:
    asked = {"fact": str(fact)} if fact else {}
    asked |= {
        name: timezone.localtime(at).isoformat(timespec="milliseconds")
        for name, at in moments.items()
    }
    return f"?{urlencode(asked | ({'owner': workspace.value} if workspace.value else {}))}"


def _shown(
    request: TeamRequest, workspace: Workspace, found: Sequence[revisions.Change]
) -> list[dict[str, Any]]:
    look = Look(To.PAGE, files=[it.file for one in found for it in (one.before, one.after) if it])
    before = _texts(look, [one.before for one in found])
    after = _texts(look, [one.after for one in found])
    return [
        _one(request, workspace, change, old, new)
        for change, old, new in zip(found, before, after, strict=True)
    ]


def _texts(look: Look, pasts: Sequence[revisions.Past | None]) -> list[str]:
    """The text of each; nothing where the file was not there."""
    there = revisions.with_texts([past for past in pasts if past])
    shown = {past.file.pk: look.then(past.file, past.content) for past in there}
    return [shown[past.file.pk] if past else "" for past in pasts]


def _one(
    request: TeamRequest, workspace: Workspace, change: revisions.Change, old: str, new: str
) -> dict[str, Any]:
    """One file's change. `was` is its old name; `rows` are cut where `is_cut`."""
    rows = side_by_side(old, new)
    told = rows if change.before and change.after else _one_sided(rows)
    shown = _beginning(told)
    was = change.before.path if change.before and change.kind == "renamed" else ""
    return {
        "change": change,
        "chip": CHIPS[change.kind],
        "was": was,
        "counts": counts(rows),
        "rows": shown if old != new else [],
        "is_cut": len(shown) < len(told),
        "url": _url(request, workspace, change),
        "url_label": _("Open the comparison") if change.after else _("Open the last revision"),
    }


def _beginning(rows: Sequence[Row]) -> list[Row]:
    shown, room = [], _MOST_TEXT
    for row in rows[:_MOST_ROWS]:
        room -= sum(len(span.text) for span in (*row.old, *row.new))
        if room < 0:
            break
        shown.append(row)
    return shown


def _one_sided(rows: Sequence[Row]) -> list[Row]:
    """Beside a file that was not there no line of the other is the same."""
    return [row for row in rows if row.kind != "same"]


def _url(request: TeamRequest, workspace: Workspace, change: revisions.Change) -> str:
    """The comparison of the two revisions, or the last one of a file that is gone."""
    if change.after is None:
        assert change.before is not None
        gone = change.before
        at = (workspace.agent.pk, gone.file.path, gone.number)
        return to(request, "agents_revision", *at, query=workspace.query)
    old = change.before.number if change.before else 0
    query = f"?from={old}&to={change.after.number}{workspace.more}"
    return to(request, "agents_compare", workspace.agent.pk, change.after.file.path, query=query)
