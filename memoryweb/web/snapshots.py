"""Taking a memory along: a snapshot out; one that comes in, looked at first."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django import forms
from django.contrib import messages
from django.core.files.uploadedfile import UploadedFile
from django.core.files.uploadhandler import TemporaryFileUploadHandler
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.template.defaultfilters import filesizeformat
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from memoryweb.accounts.permissions import Permission
from memoryweb.agents.models import Agent, Owner
from memoryweb.markdown.diff import side_by_side
from memoryweb.memory import snapshots
from memoryweb.memory.models import Revision, Upload
from memoryweb.memory.models.refusals import ArchiveRefused, SecretRefused
from memoryweb.memory.models.writer import Memory
from memoryweb.memory.snapshots import MAX_UPLOAD, Action, ImportOutcome, Item, Part, Plan, Talks
from memoryweb.memory.visible.readable import Look, To
from memoryweb.web import access
from memoryweb.web.form_fields import set_choices
from memoryweb.web.pages import number_of, page, show, to, told_to
from memoryweb.web.wording import file_url, owner_name, writer_of

# What an archive would bring, as rows of a page: first what wants a look, then what changes.

SHOWN = 60  # rows of one file's diff on the page of all
_REFUSED = (SecretRefused.code, "content_refused")
_LOOKS = {"create": "ok", "update": "run", "skip": "", "ignored": ""}


@dataclass(frozen=True)
class Arrival:
    """`item` is None for an entry that no file is made of."""

    name: str
    label: str
    look: str
    reason: str
    sizes: str = ""
    sources: str = ""
    masked: str = ""
    item: Item | None = None

    @property
    def changes(self) -> bool:
        return self.item is not None and self.item.action != Action.SKIP

    @property
    def order(self) -> int:
        if self.masked or (self.item and self.item.code in _REFUSED):
            return 0
        return 1 if self.changes else 2


def arrivals(plan: Plan) -> list[Arrival]:
    found = [_arrival(item) for item in plan.items]
    left_out = [
        Arrival(entry.name, _("ignored"), _LOOKS["ignored"], entry.reason) for entry in plan.ignored
    ]
    return sorted(found, key=lambda one: one.order) + left_out


def summary(plan: Plan) -> list[str]:
    """What the import would do; what it would do to nothing is left out."""
    create, update, skip = (plan.count(action) for action in ("create", "update", "skip"))
    ignore, hold = len(plan.ignored), len(plan.masking)
    counted = [
        (create, ngettext("{n} new file", "{n} new files", create)),
        (update, ngettext("{n} changed file", "{n} changed files", update)),
        (skip, ngettext("{n} skipped file", "{n} skipped files", skip)),
        (ignore, ngettext("{n} ignored entry", "{n} ignored entries", ignore)),
        (
            hold,
            ngettext("{n} file with likely passwords", "{n} files with likely passwords", hold),
        ),
    ]
    return [said.format(n=n) for n, said in counted if n] + _of_talks(plan.talks)


def _of_talks(talks: Talks) -> list[str]:
    if not talks.conversations:
        return []
    conversations = ngettext("{n} conversation", "{n} conversations", talks.conversations)
    new = ngettext("{n} new message", "{n} new messages", talks.new)
    said = [conversations.format(n=talks.conversations), new.format(n=talks.new)]
    if talks.known:
        known = ngettext("{n} message is here", "{n} messages are here", talks.known)
        said.append(known.format(n=talks.known))
    if talks.first and talks.last:
        span = _("{first} to {last}")
        said.append(span.format(first=talks.first.date(), last=talks.last.date()))
    return said


def shown_change(arrival: Arrival, *, most: int | None = SHOWN) -> dict[str, Any]:
    """With the first rows of its diff, which is worked out for what stands on the page alone."""
    if arrival.item is None or not arrival.changes:
        return {"arrival": arrival, "rows": [], "more": 0}
    item = arrival.item
    texts, file = (item.before, item.after), item.file
    if file:
        look = Look(To.PAGE, files=[file])
        texts = look.then(file, item.before), look.then(file, item.after)
    rows = side_by_side(*texts)
    return {"arrival": arrival, "rows": rows[:most], "more": len(rows) - len(rows[:most])}


def _arrival(item: Item) -> Arrival:
    labels = {"create": _("new"), "update": _("changes"), "skip": _("skipped")}
    is_refused = item.code in _REFUSED
    names = [name for name in item.sources if name != item.path]
    return Arrival(
        name=item.path,
        label=labels["skip"] if is_refused else labels[item.action],
        look="warn" if is_refused else _LOOKS[item.action],
        reason=item.reason,
        sizes=_sizes(item),
        sources=", ".join(names),
        masked=_masked(item),
        item=item,
    )


def _sizes(item: Item) -> str:
    after = filesizeformat(item.size_after)
    if item.action == Action.UPDATE:
        return f"{filesizeformat(item.size_before)} → {after}"
    return str(after)


def _masked(item: Item) -> str:
    """Which lines, never what stands there."""
    if not item.masked:
        return ""
    lines = sorted({one.line for one in item.masked})
    said = ngettext(
        "Line {lines} looks like it contains a password. It is masked.",
        "Lines {lines} look like they contain passwords. They are masked.",
        len(lines),
    )
    return said.format(lines=", ".join(map(str, lines)))


# How files come in: an archive that is too large is not kept to find that out.


class CappedUploadHandler(TemporaryFileUploadHandler):
    """Keeps a byte more than an archive may have; the file still tells its true size."""

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        room = MAX_UPLOAD + 1 - start
        if room > 0:
            super().receive_data_chunk(raw_data[:room], start)


def find_upload(request: access.TeamRequest, agent: Agent, upload_id: UUID) -> Upload:
    """The person's own archive, for the hour that it is kept."""
    waiting = agent.uploads.filter(user=request.user, expires_at__gt=request.visit.now)
    own = waiting.filter(request.visit.own_or_shared()).select_related("agent", "owner")
    return get_object_or_404(own, pk=upload_id)


class UploadForm(forms.Form):
    """Whose memory it becomes is asked each time: nothing is chosen beforehand."""

    file = forms.FileField(
        label=gettext_lazy("File"),
        help_text=gettext_lazy(
            "A ZIP or JSON file of at most 16 MiB: a snapshot, Markdown notes, or what OpenClaw, "
            "Claude Code, Claude.ai, ChatGPT, mem0 or basic-memory export."
        ),
        widget=forms.FileInput(attrs={"accept": ".zip,.json,application/zip,application/json"}),
    )
    owner = forms.ChoiceField(
        label=gettext_lazy("Whose memory does it become?"), widget=forms.RadioSelect
    )

    def __init__(self, choices: Sequence[tuple[str, str]], *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        set_choices(self, {"owner": choices})

    def clean_file(self) -> "UploadedFile[Any]":
        file: UploadedFile[Any] = self.cleaned_data["file"]
        if (file.size or 0) > MAX_UPLOAD:
            raise forms.ValidationError(
                gettext_lazy("The archive is larger than 16 MiB."), code="too_large"
            )
        return file


@access.team_view("GET")
def snapshot(request: access.TeamRequest, agent_id: UUID) -> HttpResponse:
    agent = access.find_agent(request, agent_id)
    return _page(request, agent, UploadForm(_reaches(request)))


@access.team_view("GET", takes=Permission.EXPORT)
def export(request: access.TeamRequest, agent_id: UUID) -> HttpResponse:
    """Of the shared memory or one's own: break-glass opens pages, it hands nothing out."""
    workspace = access.find_workspace(request, agent_id)
    if workspace.owner and not workspace.is_mine:
        raise access.Refused("export", workspace.owner)
    part = number_of(request, "part", 0) or None
    try:
        with request.visit.write() as tx:
            memory, as_notes = (
                Memory(workspace.agent, workspace.owner),
                request.GET.get("format") == "markdown",
            )
            exported = snapshots.export(tx, memory, part, as_notes=as_notes)
    except snapshots.PartMissing:
        raise Http404 from None
    response = HttpResponse(exported.archive, content_type="application/zip")
    response["Content-Disposition"] = f'attachment; filename="{exported.filename}"'
    return response


@access.team_view("POST", takes=Permission.IMPORT)
def upload(request: access.TeamRequest, agent_id: UUID) -> HttpResponse:
    agent = access.find_agent(request, agent_id)
    form = UploadForm(_reaches(request), request.POST, request.FILES)
    if request.visit.team.is_full:
        form.add_error("file", _("This team stores as much as it may. Erase something first."))
    if not form.is_valid():
        return _page(request, agent, form)
    archive = form.cleaned_data["file"].read()
    try:
        with request.visit.write() as tx:
            owner = access.own_owner(request, form.cleaned_data["owner"])
            snapshots.preview(Memory(agent, owner), archive, by=writer_of(request))
            kept = snapshots.keep(tx, Memory(agent, owner), archive, user=request.user)
    except ArchiveRefused as refused:
        form.add_error("file", str(refused))
        return _page(request, agent, form)
    return redirect(to(request, "agents_snapshot_preview", agent_id, kept.pk))


@access.team_view("GET", takes=Permission.IMPORT)
def preview(request: access.TeamRequest, agent_id: UUID, upload_id: UUID) -> HttpResponse:
    agent = access.find_agent(request, agent_id)
    kept = find_upload(request, agent, upload_id)
    previewed = _previewed(request, agent, kept)
    listed = page(request, arrivals(previewed.plan), size=25)
    context = _context(agent) | {
        "upload": kept,
        "whose": _into(request, kept.owner),
        "plan": previewed.plan,
        "summary": summary(previewed.plan),
        "format": snapshots.LABELS[previewed.plan.format],
        "comes": bool(previewed.plan.changes or previewed.plan.talks.new),
        "token": previewed.token,
        "page": listed,
        "rows": [shown_change(arrival) for arrival in listed],
    }
    return show(request, "snapshots/preview.html", context)


@access.team_view("GET", takes=Permission.IMPORT)
def change(request: access.TeamRequest, agent_id: UUID, upload_id: UUID, path: str) -> HttpResponse:
    """One file of an upload, every line of what changes."""
    agent = access.find_agent(request, agent_id)
    kept = find_upload(request, agent, upload_id)
    plan = _previewed(request, agent, kept).plan
    found = next((one for one in arrivals(plan) if one.item and one.name == path), None)
    if found is None:
        raise Http404
    listed = page(request, shown_change(found, most=None)["rows"], size=500)
    context = _context(agent) | {"upload": kept, "arrival": found, "page": listed}
    return show(request, "snapshots/change.html", context)


def _previewed(request: access.TeamRequest, agent: Agent, kept: Upload) -> snapshots.Preview:
    return snapshots.preview(Memory(agent, kept.owner), bytes(kept.archive), by=writer_of(request))


@access.team_view("POST", takes=Permission.IMPORT)
def apply(request: access.TeamRequest, agent_id: UUID, upload_id: UUID) -> HttpResponse:
    kept = find_upload(request, access.find_agent(request, agent_id), upload_id)
    token = request.POST.get("token", "")
    with told_to(request):
        with request.visit.write() as tx:
            done = snapshots.take(tx, kept, token, by=writer_of(request))
        if done.batch is None:
            messages.success(request, _("Nothing was changed: everything in it is here already."))
            return redirect(to(request, "agents_snapshot", agent_id))
        messages.success(request, _imported(done))
        return redirect(to(request, "agents_import", agent_id, done.batch.pk))
    return redirect(to(request, "agents_snapshot_preview", agent_id, upload_id))


@access.team_view("POST", takes=Permission.IMPORT)
def drop(request: access.TeamRequest, agent_id: UUID, upload_id: UUID) -> HttpResponse:
    kept = find_upload(request, access.find_agent(request, agent_id), upload_id)
    with request.visit.write() as tx:
        snapshots.drop(tx, kept)
    messages.success(request, _("The upload was discarded. Nothing was imported."))
    return redirect(to(request, "agents_snapshot", agent_id))


@access.team_view("GET")
def imported(request: access.TeamRequest, agent_id: UUID, import_id: UUID) -> HttpResponse:
    agent = access.find_agent(request, agent_id)
    batch = access.find_import(request, agent, import_id)
    rows = batch.revisions.select_related("file__owner", "file__agent").order_by("file__path")
    listed = page(request, rows, size=50)
    context = _context(agent) | {
        "batch": batch,
        "whose": _into(request, batch.owner),
        "page": listed,
        "format": snapshots.LABELS[batch.format],
        "messages_came": batch.messages.count(),
        "is_coming": batch.run is not None and batch.run.is_active,
        "rows": [(row, *_addresses(request, row)) for row in listed],
    }
    return show(request, "snapshots/import.html", context, partials=("coming",))


def _page(request: access.TeamRequest, agent: Agent, form: UploadForm) -> HttpResponse:
    visit = request.visit
    own = agent.imports.filter(visit.own_or_shared()).select_related("owner", "user")
    context = _context(agent) | {
        "form": form,
        "can_import": visit.can(Permission.IMPORT),
        "can_export": visit.can(Permission.EXPORT),
        "exports": _exports(request, agent) if visit.can(Permission.EXPORT) else [],
        "imports": [
            (batch, snapshots.LABELS[batch.format])
            for batch in own.defer("archive").order_by("-created_at")[:10]
        ],
    }
    return show(request, "snapshots/snapshot.html", context)


def _context(agent: Agent) -> dict[str, object]:
    return {"agent": agent, "tab": "snapshot"}


def _reaches(request: access.TeamRequest) -> list[tuple[str, str]]:
    """What one may take along or bring: the shared memory, and what is about oneself."""
    others = [owner for owner in request.visit.mine.values() if owner.source != "user"]
    return [
        ("shared", _("Shared memory: everyone who uses this agent can read it")),
        ("me", _("My own memory: only I can read it")),
        *((str(owner.pk), _label(owner)) for owner in others),
    ]


def _exports(request: access.TeamRequest, agent: Agent) -> list[dict[str, Any]]:
    url = to(request, "agents_snapshot_export", agent.pk)
    owners = {str(owner.pk): owner for owner in request.visit.mine.values()}
    owners["me"] = request.visit.me
    reaches = _reaches(request)
    parts = snapshots.parts_of_each(agent, [owners.get(value) for value, _label in reaches])
    return [
        export_row(label, f"{url}?owner={value}", found)
        for (value, label), found in zip(reaches, parts, strict=True)
    ]


def _into(request: access.TeamRequest, owner: Owner | None) -> str:
    if owner is None:
        return _("the shared memory")
    if owner == request.visit.me:
        return _("your own memory")
    return _("the memory of {owner}").format(owner=owner_name(request.visit, owner))


def _imported(done: ImportOutcome) -> str:
    if done.plan.is_run:
        return _("The import has started. It goes on while you do something else.")
    said = _("The import is done.")
    masked = sum(len(written.masked) for _item, written in done.written)
    if not masked:
        return said
    more = ngettext("{n} likely password was masked.", "{n} likely passwords were masked.", masked)
    return f"{said} {more.format(n=masked)}"


def _label(owner: Owner) -> str:
    return _("My own memory as {shown}: only I can read it").format(shown=owner.name)


def _addresses(request: access.TeamRequest, row: Revision) -> tuple[str, str]:
    """Of the file, and of what this revision changed in it."""
    url = file_url(request, row.file)
    base, _mark, query = url.partition("?")
    step = f"from={row.number - 1}&to={row.number}"
    return url, f"{base.rstrip('/')}/compare/?{'&'.join(filter(None, (query, step)))}"


def export_row(label: str, url: str, parts: tuple[Part, ...]) -> dict[str, Any]:
    """`pieces` is empty where the whole fits into one import."""
    pieces = [_piece(url, part) for part in parts] if len(parts) > 1 else []
    return {"label": label, "url": url, "pieces": pieces}


def _piece(url: str, part: Part) -> dict[str, str]:
    label = _("Part {number} of {of}").format(number=part.number, of=part.of)
    count = len(part.files)
    files = ngettext("{n} file", "{n} files", count).format(n=count)
    holds = " · ".join([_contents(part), files, filesizeformat(part.size)])
    return {"label": label, "holds": holds, "url": f"{url}&part={part.number}"}


def _contents(part: Part) -> str:
    if part.first is None or part.last is None:
        return _("Core files")
    said = _("Notes of {first} to {last}")
    if part.has_core:
        said = _("Core files, and notes of {first} to {last}")
    return said.format(first=part.first, last=part.last)
