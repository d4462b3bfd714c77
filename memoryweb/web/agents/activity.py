"""What an agent did, day by day: dreams, conversations and notes in one list."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from itertools import groupby
from typing import Any
from uuid import UUID

from django import forms
from django.db.models import DateTimeField, F, Q, QuerySet, Value
from django.db.models.functions import Coalesce
from django.http import HttpResponse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from memoryweb.accounts.permissions import Permission
from memoryweb.agents.models import Agent, Owner
from memoryweb.core.prepared_queries import PreparedQuery
from memoryweb.dreaming import backfill
from memoryweb.dreaming.models import Operation
from memoryweb.dreaming.operations import Does
from memoryweb.dreaming.queries import Dreamt, dreamt
from memoryweb.dreaming.status import warnings
from memoryweb.dreaming.story import Tally
from memoryweb.markdown.marks import part
from memoryweb.memory.lines.origins import noted
from memoryweb.memory.lines.revisions import author_name
from memoryweb.memory.models import Conversation, LineOrigin
from memoryweb.memory.visible.hidden import is_meant
from memoryweb.memory.visible.readable import To, readable_files
from memoryweb.memory.writing.changes import unmarked
from memoryweb.runs.models import Run
from memoryweb.web import access, markdown, wording
from memoryweb.web.form_fields import ChoiceField, Choices, FilterForm
from memoryweb.web.pages import Page, about, number_of, page, show, to
from memoryweb.web.statements import Piece, changed_words, struck
from memoryweb.web.wording import Chip, file_url, talk_url

_SIZE, _NOTES, _LINES, _OPEN_DAYS, _MOST_PAGES = 30, 7, 3, 3, 9_999
_SIGNS = {"learned": "add", "changed": "change"}
_CLOCK = re.compile(r"\d\d:\d\d ")  # a note's line begins with it


@dataclass(frozen=True)
class Line:
    """A sentence that was noted (`pen`) or that a dream wrote. `is_here`: in this memory."""

    sign: str
    pieces: tuple[Piece, ...]
    is_here: bool = True


@dataclass(frozen=True)
class Happening:
    """`url` is empty where the reader may not look further."""

    at: datetime
    icon: str
    title: str
    url: str
    told: str
    chip: Chip | None = None
    owner: Owner | None = None
    lines: Sequence[Line] = ()

    @property
    def shown(self) -> Sequence[Line]:
        return self.lines[:_LINES]

    @property
    def more(self) -> int:
        return max(0, len(self.lines) - _LINES)


@dataclass(frozen=True)
class Day:
    date: date
    rows: list[Happening]


class DreamsForm(FilterForm):
    whose = ChoiceField(label=gettext_lazy("Whose notes"), required=False)
    outcome = ChoiceField(
        label=gettext_lazy("Outcome"),
        required=False,
        choices=[("", gettext_lazy("Any")), *Run.Status.choices],
    )
    owner = forms.CharField(required=False, widget=forms.HiddenInput)


@access.team_view("GET")
def activity(request: access.TeamRequest, agent_id: UUID, only: str = "") -> HttpResponse:
    """Of others only who, when and how much; who looks at an opened memory is recorded."""
    workspace = access.find_workspace(request, agent_id, read="files")
    agent, visit = workspace.agent, request.visit
    agent.team = visit.team
    form = DreamsForm(request.GET, whose=_reaches(request))
    if workspace.owner is not None:
        del form.fields["whose"]
    listed = _listed(request, workspace, only, _filter(request, form))
    is_notes = only == "notes"
    shown = _page(request, listed, _NOTES if is_notes else _SIZE)
    days = [] if is_notes else _days(_happenings(request, workspace, shown.items))
    fold = _OPEN_DAYS if not only and shown.number == 1 else len(days)
    context = about(
        workspace,
        tab=only or "activity",
        only=only,
        page=shown,
        form=form
        if only == "dreams" and (shown.is_split or {"whose", "outcome"} & form.asked.keys())
        else None,
        days=days[:fold],
        older=days[fold:],
        older_told=_told_of(days[fold:]),
        notes=_notes(workspace, shown.items) if is_notes else [],
        next_at=agent.next_dream_at if agent.dreaming else None,
        can_dream=visit.can(Permission.DREAM)
        and (workspace.can_write or visit.can(Permission.MANAGE_AGENTS)),
        warnings=warnings(agent, visit.now) if only == "dreams" else (),
        has_older=only == "dreams" and backfill.is_left(agent),
    )
    return show(request, "agents/activity.html", context)


def _page(request: access.TeamRequest, listed: "QuerySet[Any, Any]", size: int) -> Page[Any]:
    """What comes behind it is not counted."""
    before = size * (max(1, min(number_of(request, "page", 1), _MOST_PAGES)) - 1)
    rows = list(listed[before : before + size + 1])
    shown = page(request, [*([None] * before), *rows], size=size)
    is_last = len(rows) <= size
    total = shown.total if is_last else shown.last
    return replace(shown, items=rows[:size], total=total, is_total_known=is_last)


def latest(request: access.TeamRequest, dreams: Sequence[Dreamt]) -> list[Day]:
    """The last five dreams of one memory."""
    return _days(_dream(request, one.run, one.ended_at, one) for one in dreams[:5])


def _reaches(request: access.TeamRequest) -> Choices:
    yield "", _("All that I can see")
    yield "shared", _("Shared")
    yield "mine", _("Mine")
    if request.visit.can(Permission.SEE_OWNERS):
        yield "others", _("Other people")


def _filter(request: access.TeamRequest, form: DreamsForm) -> Q:
    mine = Q(owner__in=list(request.visit.mine))
    reach = {"shared": Q(owner=None), "mine": mine, "others": ~mine & Q(owner__isnull=False)}
    return reach.get(form.asked.get("whose", ""), Q()) & Q(**form.lookups(outcome="status"))


def _listed(
    request: access.TeamRequest, workspace: access.Workspace, only: str = "", which: Q | None = None
) -> "QuerySet[Any, Any]":
    """What it is, its id and its time, the latest first."""
    agent, reach = workspace.agent, request.visit.outcomes()
    if workspace.owner is not None:
        reach = Q(owner=workspace.owner_id)
    notes = workspace.files.present().filter(note_date__isnull=False)
    if only == "notes":
        rows = notes.annotate(what=Value("notes"), at=F("note_date"))
        return rows.values_list("what", "pk", "at").order_by("-at", "folded_path")
    listed: list[Any] = []
    if only != "conversations":
        dreams = agent.runs.filter(reach, which or Q(), kind=Run.Kind.DREAM)
        listed.append(_timed(dreams, "dreams", "clock"))
    if only != "dreams":
        talks = agent.conversations.filter(reach)
        listed.append(_timed(talks, "conversations", "last_message_at"))
    if not only:  # what was taken from conversations is told by these
        by_hand = notes.filter(pk__in=noted((), notes.values("pk")).values("file"))
        listed.append(_timed(by_hand, "notes", "updated_at"))
    both: QuerySet[Any, Any] = listed[0].union(*listed[1:], all=True) if listed[1:] else listed[0]
    return both.order_by("-at", "pk")


def _timed(rows: "QuerySet[Any, Any]", what: str, at: str) -> "QuerySet[Any, Any]":
    time = Coalesce(at, "created_at", output_field=DateTimeField())
    timed: QuerySet[Any, Any] = rows.order_by().annotate(what=Value(what), at=time)
    return timed.values_list("what", "pk", "at")


def _happenings(
    request: access.TeamRequest,
    workspace: access.Workspace,
    listed: Sequence[tuple[str, UUID, datetime]],
) -> list[Happening]:
    ids = defaultdict(list)
    for what, pk, _at in listed:
        ids[what].append(pk)
    agent = workspace.agent
    shown = ("report", "owner__integration", "owner__person", "user", "integration")
    runs = agent.runs.filter(pk__in=ids["dreams"]).select_related(*shown)
    talks = agent.conversations.filter(pk__in=ids["conversations"])
    talks = talks.select_related("owner__integration", "owner__person")
    read = [talk for talk in talks if request.visit.reads(talk.owner_id)]
    said = _noted(request, workspace, read, ids["notes"])
    did = _did(request, workspace, runs)
    rows = {run.pk: _of_run(request, run, did.get(run.pk)) for run in runs}
    for talk in talks:
        rows[talk.pk] = _talk(request, talk, said[talk.pk][0] if talk.pk in said else [])
    rows |= {pk: _note(request, agent, *said[pk]) for pk in ids["notes"] if pk in said}
    return [rows[pk] for _what, pk, _at in listed if pk in rows]


def _did(
    request: access.TeamRequest, workspace: access.Workspace, runs: Iterable[Run]
) -> dict[UUID, Dreamt]:
    first = min((run.created_at for run in runs), default=None)
    if first is None:
        return {}
    days = (request.visit.now - first).days + 1
    return {one.run: one for one in dreamt(workspace.memory, request.visit.now, days)}


Noted = tuple[list[Line], LineOrigin]
_origins = PreparedQuery(noted)


def _noted(
    request: access.TeamRequest,
    workspace: access.Workspace,
    talks: Sequence[Conversation],
    files: Sequence[UUID],
) -> Mapping[UUID, Noted]:
    """By conversation, and by file what came from none: the lines, and the first one's origin."""
    origins = _origins(tuple(talk.pk for talk in talks), tuple(files))
    rows: Any = workspace.agent.files.filter(pk__in={one.file_id for one in origins})
    rows = rows.annotate(is_meant=is_meant(file="pk"))
    there = {one.pk: one for one in rows if request.visit.reads(one.owner_id)}
    texts = {one.id: one for one in readable_files([*there.values()], To.PAGE)}
    found: dict[UUID, Noted] = {}
    for one in origins:
        if one.file_id not in there:
            continue
        one.file = there[one.file_id]
        text, ended = part(texts[one.file_id].line(one.line))
        if text.startswith(("- ", "* ")):
            its = one.message.conversation_id if one.message else one.file_id
            is_here = one.file.owner_id == workspace.owner_id
            said = struck(_CLOCK.sub("", unmarked(text), count=1), ended)
            found.setdefault(its, ([], one))[0].append(Line("pen", said, is_here))
    return found


def _of_run(request: access.TeamRequest, run: Run, did: Dreamt | None) -> Happening:
    made = _dream(request, run.pk, wording.happened_at(run), did)
    by = {Run.Trigger.PERSON, Run.Trigger.API}
    is_done = run.status == Run.Status.SUCCEEDED and not run.reverted_at
    learned = run.report.promoted if is_done and wording.has_report(run) else 0
    counts = made.told or (_("learned {n}").format(n=learned) if learned else "")
    said = [counts, wording.trigger_name(run) if run.trigger in by else ""]
    told_ = " · ".join(filter(None, [*said, str(wording.why_beside(run))]))
    chip = None if is_done and counts else wording.of_run(run)
    return replace(made, told=told_, chip=chip, owner=run.owner)


def _dream(request: access.TeamRequest, run: UUID, at: datetime, did: Dreamt | None) -> Happening:
    changes = did.changes if did else []
    lines = [_line(one) for one in changes]
    return Happening(
        at=at,
        icon="moon",
        title=_("Dream"),
        url=to(request, "agents_run", run),
        told=Tally.of(one.kind for one in changes).words,
        chip=wording.outcome(did.status) if did and not lines else None,
        lines=lines,
    )


def _line(one: Operation) -> Line:
    text, ended = part(one.after)
    if one.kind == "ended":
        return Line("retire", (Piece(" / ".join(one.before), "old"),))
    if one.kind == "changed" and one.does != Does.END:
        return Line("change", changed_words(" ".join(one.before), text))
    return Line(_SIGNS[one.kind], struck(text, ended))


def _talk(request: access.TeamRequest, talk: Conversation, lines: list[Line]) -> Happening:
    is_plain, reads = request.visit.is_common(talk.owner_id), request.visit.reads(talk.owner_id)
    # A client may write words into its ids, and a list records no read of an opened memory.
    title = talk.external_id if is_plain else str(talk.pk)[:8]
    count = ngettext("{n} message", "{n} messages", talk.message_count)
    said = [talk.get_source_display(), count.format(n=talk.message_count)]
    chip: Chip | None = wording.of_talk(talk)
    if lines:
        said.append(_("noted {n}").format(n=len(lines)))
        chip = None
    elif chip and chip.tone == "ok" and reads:
        said.append(_("nothing to note"))
        chip = None
    url = talk_url(request, talk) if reads else ""
    if not reads and request.visit.can(Permission.SEE_OWNERS):
        url = to(request, "owners_detail", talk.owner_id)
    at = talk.last_message_at or talk.created_at
    told_ = " · ".join(said)
    here = [line for line in lines if line.is_here]
    return Happening(at, "talk", title, url, told_, chip, talk.owner, here)


def _note(
    request: access.TeamRequest, agent: Agent, lines: list[Line], first: LineOrigin
) -> Happening:
    who, file = first.user, first.file
    by = _("you") if who == request.user else str(who or author_name(first, agent))
    said = [_("written by {who}").format(who=by), _("noted {n}").format(n=len(lines))]
    url = file_url(request, file, first.line)
    told_ = " · ".join(said)
    return Happening(file.updated_at, "page", _("Note"), url, told_, None, None, lines)


def _days(rows: Iterable[Happening]) -> list[Day]:
    by_day = groupby(rows, key=lambda one: timezone.localtime(one.at).date())
    return [Day(day, list(its)) for day, its in by_day]


def _told_of(days: Sequence[Day]) -> str:
    """In one sentence."""
    if not days:
        return ""
    first, last = (date_format(day.date, _("j M")) for day in (days[-1], days[0]))
    rows = [row for day in days for row in day.rows]
    kinds = Counter(row.icon for row in rows)
    learned = sum(line.sign == "add" for row in rows for line in row.lines)
    said = [
        ngettext("{n} dream", "{n} dreams", kinds["moon"]).format(n=kinds["moon"]),
        _("learned {n}").format(n=learned),
        ngettext("{n} conversation", "{n} conversations", kinds["talk"]).format(n=kinds["talk"]),
    ]
    return f"{first if first == last else f'{first} – {last}'}: {' · '.join(said)}"


# The daily notes as a dream reads them.


def _notes(
    workspace: access.Workspace,
    listed: Sequence[tuple[str, UUID, date]],
) -> list[dict[str, Any]]:
    found = workspace.files.filter(pk__in=[pk for _what, pk, _at in listed])
    files = [one for one in found.order_by("-note_date", "folded_path") if one.note_date]
    return [
        {"file": one, "text": _journal(readable.text, one.note_date)}
        for one, readable in zip(files, readable_files(files, To.PAGE), strict=True)
        if one.note_date
    ]


def _journal(text: str, day: date) -> SafeString:
    """Without the date that is its heading, and with the reader's time in place of UTC."""
    return markdown.render_text(wording.in_zone(text.removeprefix(f"# {day}\n"), day))
