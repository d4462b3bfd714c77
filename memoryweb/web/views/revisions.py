"""A file's past: the list, one revision, two compared, one restored."""

from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from memoryweb.memory import files as door
from memoryweb.memory.exceptions import MemoryRefused
from memoryweb.memory.unit import unit
from memoryweb.web import markdown
from memoryweb.web.access import TeamRequest, find_file, find_shelf, require_write, team_view
from memoryweb.web.htmx import show, to
from memoryweb.web.naming import author_name
from memoryweb.web.paging import page
from memoryweb.web.views.editing import writer_of
from memoryweb.workspace.diff import counts, side_by_side
from memoryweb.workspace.models import File
from memoryweb.workspace.revisions import content_of


@require_GET
@team_view()
def revisions(request: TeamRequest, agent_id: UUID, path: str) -> HttpResponse:
    shelf = find_shelf(request, agent_id)
    file = find_file(request, shelf, path, deleted=True)
    rows = file.revisions.select_related("user", "integration", "run").order_by("-number")
    shown = page(request, rows, size=25)
    context = {
        "agent": shelf.agent,
        "tab": "files",
        "shelf": shelf,
        "file": file,
        "page": shown,
        "rows": [(revision, author_name(revision)) for revision in shown],
    }
    return show(request, "files/revisions.html", context)


@require_GET
@team_view()
def revision(request: TeamRequest, agent_id: UUID, path: str, number: int) -> HttpResponse:
    shelf = find_shelf(request, agent_id)
    file = find_file(request, shelf, path, deleted=True)
    found = get_object_or_404(
        file.revisions.select_related("user", "integration", "run"), number=number
    )
    rendered = markdown.render(content_of(file, number))
    context = {
        "agent": shelf.agent,
        "tab": "files",
        "shelf": shelf,
        "file": file,
        "revision": found,
        "author": author_name(found),
        "blocks": rendered.blocks,
        "is_cut": rendered.is_cut,
        "previous": number - 1,
        "is_current": number == file.revision and file.deleted_at is None,
    }
    return show(request, "files/revision.html", context)


@require_GET
@team_view()
def compare(request: TeamRequest, agent_id: UUID, path: str) -> HttpResponse:
    shelf = find_shelf(request, agent_id)
    file = find_file(request, shelf, path, deleted=True)
    new = _number(request, "to", file.revision)
    old = _number(request, "from", max(0, new - 1))
    before, after = _content(file, old), _content(file, new)
    context = {
        "agent": shelf.agent,
        "tab": "files",
        "shelf": shelf,
        "file": file,
        "old": old,
        "new": new,
        "rows": side_by_side(before, after),
        "counts": counts(before, after),
        "numbers": range(file.revision, -1, -1) if file.revision <= 200 else [],
    }
    return show(request, "files/compare.html", context)


@require_POST
@team_view()
def restore(request: TeamRequest, agent_id: UUID, path: str, number: int) -> HttpResponse:
    shelf = find_shelf(request, agent_id)
    file = find_file(request, shelf, path, deleted=True)
    require_write(request, shelf)
    found = get_object_or_404(file.revisions, number=number, is_deletion=False)
    try:
        with unit(request.visit.team, actor=request.visit.actor) as work:
            written = door.restore(work, file, found.number, writer=writer_of(request))
    except MemoryRefused as refused:
        messages.error(request, str(refused))
        return redirect(to(request, "agents_revisions", agent_id, file.path, query=shelf.query))
    said = _("Revision {number} is current again.") if written.changed else _("Nothing to restore.")
    messages.success(request, said.format(number=number))
    return redirect(to(request, "agents_file", agent_id, file.path, query=shelf.query))


def _number(request: TeamRequest, name: str, default: int) -> int:
    text = request.GET.get(name, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 9 else default


def _content(file: File, number: int) -> str:
    """Revision 0 is the file before it was."""
    if number == 0:
        return ""
    if not file.revisions.filter(number=number).exists():
        raise Http404
    return content_of(file, number)
