"""History: memory on another day, what changed since, and the evidence pack of a statement."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Any
from uuid import UUID

from django import forms
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import FileResponse, HttpResponse, HttpResponseBase, QueryDict
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from memoryweb.accounts.permissions import Permission
from memoryweb.agents.models import Owner
from memoryweb.markdown.diff import Row, counts, side_by_side
from memoryweb.markdown.paths import kind_of
from memoryweb.memory import evidence_packs
from memoryweb.memory.evidence_packs import Auditor, belief
from memoryweb.memory.lines import revisions
from memoryweb.memory.lines.revisions import Past
from memoryweb.memory.statements.bullets import Statement, statements_of
from memoryweb.memory.visible.readable import Look, To
from memoryweb.web.access import TeamRequest, Workspace, find_workspace, note_read, team_view
from memoryweb.web.agents.activity import Line
from memoryweb.web.facts.rows import grounds_of, talks_of
from memoryweb.web.form_fields import start_of
from memoryweb.web.pages import about, page, show, to
from memoryweb.web.statements import Piece, changed_words, struck
from memoryweb.web.wording import Chip, Choice, choice

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


class BetweenForm(MomentForm):
    until = MomentField(label=gettext_lazy("Until (leave empty for now)"), required=False)
    show = forms.CharField(required=False, widget=forms.HiddenInput)


SHOWS: dict[str, str | Promise] = {
    "": gettext_lazy("Statements"),
    "changes": gettext_lazy("Changed files"),
    "files": gettext_lazy("Files then"),
}


@team_view("GET")
def moments(request: TeamRequest, agent_id: UUID) -> HttpResponse:
    workspace = find_workspace(request, agent_id, read="changes")
    named = list(_named(workspace, request.visit.now, has_fact="fact" in request.GET))
    form = BetweenForm(_asked(request, dict(named)))
    asked = form.cleaned_data if form.is_valid() else {}
    at, fact, until = asked.get("at"), asked.get("fact"), asked.get("until")
    since, end = sorted((at, until or request.visit.now)) if at and not fact else (at, at)
    before = revisions.files_at(agent_id, workspace.owner_id, since) if since else []
    after = revisions.files_at(agent_id, workspace.owner_id, end) if end and not fact else before
    context = about(
        workspace,
        tab="moments",
        form=form,
        is_valid=form.is_valid(),
        at=since,
        until=until and end,
        **_choices(request, named, asked),
        belief=fact and at and _belief(request, workspace, fact, at, before),
        can_pack=request.visit.can(Permission.PACK_EVIDENCE),
        **({} if fact else _seen(request, workspace, asked.get("show", ""), before, after)),
    )
    return show(request, "time_travel/moment.html", context)


def _choices(
    request: TeamRequest, named: Sequence[tuple[str, datetime]], asked: Mapping[str, Any]
) -> dict[str, list[Choice]]:
    here, how = (asked.get("at"), asked.get("until")), asked.get("show", "")
    presets = [choice(request, label, here == (at, None), at=_iso(at)) for label, at in named]
    shows = [choice(request, label, how == key, show=key) for key, label in SHOWS.items()]
    return {"presets": presets, "shows": shows}


def _seen(
    request: TeamRequest,
    workspace: Workspace,
    how: str,
    before: Sequence[Past],
    after: Sequence[Past],
) -> dict[str, Any]:
    if how == "changes":
        shown = page(request, revisions.changes(before, after), size=20)
        return {"how": how, "page": shown, "changes": _shown(request, workspace, shown.items)}
    if how == "files":
        there = page(request, before, size=50)
        return {"how": how, "page": there, "rows": [(past, _since(past)) for past in there]}
    return {"how": "", **_told(workspace, before, after)}


def _told(workspace: Workspace, before: Sequence[Past], after: Sequence[Past]) -> dict[str, Any]:
    """What came, changed and went between two moments, and what stood at the first."""
    look = Look(To.PAGE, files=list({one.file for one in (*before, *after) if _holds_facts(one)}))
    was, now = _statements(look, before), _statements(look, after)
    facts = workspace.agent.facts.of(*workspace.memory.key)
    facts = facts.filter(fingerprint__in=was.keys() | now.keys())
    known = {one.fingerprint: one for one in facts.select_related("superseded_by")}
    lines = [
        (known.get(key), Line("change", struck(now[key].text, now[key].ended)))
        for key in was.keys() & now.keys()
        if was[key].ended != now[key].ended
    ]
    came = {key: one for key, one in now.items() if key not in was}
    for key in was.keys() - now.keys():
        fact, old = known.get(key), was[key].text
        newer = fact and fact.superseded_by
        heir = came.pop(newer.fingerprint, None) if newer else None
        pieces = changed_words(old, heir.text) if heir else (Piece(old, "old"),)
        lines.append((fact, Line("change" if heir else "retire", pieces)))
    for key, one in came.items():
        lines.append((known.get(key), Line("add", struck(one.text, one.ended))))
    order = {"add": 0, "change": 1, "retire": 2}
    stood: dict[str, list[tuple[Piece, ...]]] = defaultdict(list)
    for one in was.values():
        stood[one.heading].append(struck(one.text, one.ended))
    return {
        "lines": sorted(lines, key=lambda row: order[row[1].sign])[:_MOST_ROWS],
        "stood": list(stood.items()),
        "count": len(was),
    }


def _holds_facts(past: Past) -> bool:
    return kind_of(past.path).holds_facts


def _statements(look: Look, pasts: Sequence[Past]) -> dict[str, Statement]:
    """By print."""
    there = revisions.with_texts([past for past in pasts if _holds_facts(past)])
    texts = ((look.then(past.file, past.content), past.path) for past in there)
    return {one.print: one for text, path in texts for one in statements_of(text, path)}


def _named(
    workspace: Workspace, now: datetime, *, has_fact: bool
) -> Iterator[tuple[str, datetime]]:
    today = timezone.localtime(now).date()
    monday = today - timedelta(days=today.weekday() or 7)
    yield _("Yesterday"), start_of(today - timedelta(days=1))
    yield _("Last Monday"), start_of(monday)
    if (week := today - timedelta(days=7)) != monday:
        yield _("A week ago"), start_of(week)
    yield _("30 days ago"), start_of(today - timedelta(days=30))
    if at := revisions.before_last_dream(workspace.memory):
        yield _("Before the last dream"), at
    if not has_fact and (at := revisions.before_last_import(workspace.memory)):
        yield _("Before the last import"), at


def _iso(moment: datetime) -> str:
    return timezone.localtime(moment).isoformat(timespec="milliseconds")


def _asked(request: TeamRequest, named: dict[str, datetime]) -> QueryDict:
    """Who names no moment asks about last Monday; of a statement, about now."""
    asked = request.GET.copy()
    if "at" not in asked:
        asked["at"] = _iso(request.visit.now if "fact" in asked else named[_("Last Monday")])
    return asked


def _belief(
    request: TeamRequest, workspace: Workspace, fact_id: UUID, at: datetime, there: Sequence[Past]
) -> dict[str, Any]:
    """Its lines then, each with its text and what it stands on, and the prompts of a month."""
    fact = get_object_or_404(workspace.agent.facts.of(*workspace.memory.key), pk=fact_id)
    note_read(request, workspace.owner, "fact", fact_id)
    reach = request.visit.outcomes("injection__owner")
    found = belief(fact, at, there, reach, since=at - _MONTH)
    grounds = [
        [one for one in its if one["at"] is None or one["at"] <= at]
        for its in grounds_of(request, *(held.fact for held, _text in found.lines))
    ]
    lines = [(*line, its) for line, its in zip(found.lines, grounds, strict=True)]
    return {**vars(found), "lines": lines, "talks": talks_of(request, found.prompts)}


def _since(past: Past) -> str:
    """What became of a file after the moment."""
    if past.file.deleted_at is not None:
        return _("deleted since")
    if past.file.path != past.path:
        return _("now {path}").format(path=past.file.path)
    return _("changed since") if past.file.revision != past.number else ""


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


def _texts(look: Look, pasts: Sequence[Past | None]) -> list[str]:
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


@team_view("POST", takes=Permission.PACK_EVIDENCE)
def pack_evidence(request: TeamRequest, agent_id: UUID, fact_id: UUID) -> HttpResponseBase:
    workspace, form = find_workspace(request, agent_id), MomentForm(request.POST)
    if not form.is_valid():
        messages.error(request, str(next(iter(form.errors.values()))[0]))
        query = f"?fact={fact_id}{workspace.more}"
        return redirect(to(request, "agents_moments", agent_id, query=query))
    visit, noted = request.visit, partial(note_read, request)

    def reads(owner: Owner | None) -> bool:
        return visit.reads(owner.pk if owner else None)

    fact = get_object_or_404(workspace.agent.facts.of(*workspace.memory.key), pk=fact_id)
    by = Auditor(visit.team, visit.actor, visit.now, visit.mine, reads, noted)
    return FileResponse(
        evidence_packs.pack(by, fact, form.cleaned_data["at"]),
        as_attachment=True,
        filename=by.filename,
        content_type="application/zip",
    )
