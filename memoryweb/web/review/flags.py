"""Lines that machines wrote and a person looks at before they are used."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from memoryweb.accounts.permissions import Permission
from memoryweb.memory.exceptions import MemoryRefused
from memoryweb.memory.review import flags as mark_decisions
from memoryweb.memory.transaction import unit
from memoryweb.provenance.flags import files_of, flagged_rows, print_of
from memoryweb.provenance.models import LineOrigin
from memoryweb.web import wording
from memoryweb.web.access import Refused, TeamRequest, note_read, require_reading, team_view
from memoryweb.web.htmx import show, to
from memoryweb.web.naming import author_name, owner_name
from memoryweb.web.paging import page
from memoryweb.web.provenance.trace import file_url
from memoryweb.workspace.models import File


@require_GET
@team_view()
def marks(request: TeamRequest) -> HttpResponse:
    visit = request.visit
    found = flagged_rows(visit.team).filter(visit.outcomes("file__owner"))
    shown = page(request, found, size=25)
    context = {"page": shown, "rows": [_listed(request, row) for row in shown]}
    return show(request, "marks/marks.html", context)


@require_POST
@team_view()
def keep(request: TeamRequest, file_id: UUID) -> HttpResponse:
    file = _find(request, file_id)
    try:
        with unit(request.visit.team, actor=request.visit.actor) as work:
            mark_decisions.keep(work, file, request.POST.get("line", ""), by=request.user)
    except MemoryRefused as refused:
        messages.error(request, str(refused))
    else:
        messages.success(request, _("The line stays. Dreams and prompts use it from now on."))
    return redirect(to(request, "marks"))


@require_POST
@team_view()
def remove(request: TeamRequest, file_id: UUID) -> HttpResponse:
    file = _find(request, file_id)
    try:
        with unit(request.visit.team, actor=request.visit.actor) as work:
            mark_decisions.remove(work, file, request.POST.get("line", ""), by=request.user)
    except MemoryRefused as refused:
        messages.error(request, str(refused))
    else:
        said = _("The line was removed from {path}. To undo it, restore the revision before.")
        messages.success(request, said.format(path=file.path))
    return redirect(to(request, "marks"))


def _find(request: TeamRequest, file_id: UUID) -> File:
    """A file whose marked lines this person may decide on."""
    visit = request.visit
    file = get_object_or_404(files_of(visit.team).filter(visit.outcomes()), pk=file_id)
    require_reading(request, file.owner)
    note_read(request, file.owner, "file", file.pk)
    if not _can_decide(request, file):
        raise Refused("decide", file.owner)
    return file


def _can_decide(request: TeamRequest, file: File) -> bool:
    """Shared memory: who has the right. Personal memory: its owner, or an open grant."""
    if file.owner_id is None:
        return request.visit.can(Permission.DECIDE)
    return request.visit.reads(file.owner_id)


def _listed(request: TeamRequest, row: LineOrigin) -> dict[str, Any]:
    file = row.file
    reads = request.visit.reads(file.owner_id)
    if reads:
        note_read(request, file.owner, "file", file.pk)
    lines = file.content.split("\n")
    text = lines[row.line - 1] if reads and row.line <= len(lines) else ""
    run = row.run if reads else None
    return {
        "file": file,
        "reads": reads,
        "text": text,
        "print": print_of(text),
        "place": f"{file.path}:{row.line}" if reads else "",
        "url": file_url(request, file, row.line) if reads else "",
        "whose": owner_name(request.visit, file.owner),
        "author": author_name(row),
        "run_url": to(request, "agents_run", run.pk) if run else "",
        "source_url": to(
            request,
            "agents_why",
            file.agent_id,
            file.path,
            row.line,
            query=f"?owner={file.owner_id}" if file.owner_id else "",
        )
        if reads
        else "",
        "reasons": [wording.mark(code) for code in row.marks.split(",")],
        "can_decide": reads and _can_decide(request, file),
    }
