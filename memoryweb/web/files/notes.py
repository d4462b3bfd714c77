"""The daily notes of one memory, day by day: what a dream reads."""

from uuid import UUID

from django.http import HttpResponse

from memoryweb.web import markdown
from memoryweb.web.access import TeamRequest, find_workspace, note_read, team_view
from memoryweb.web.htmx import about, show
from memoryweb.web.paging import page
from memoryweb.web.provenance.trace import file_url

_DAYS = 7


@team_view("GET")
def notes(request: TeamRequest, agent_id: UUID) -> HttpResponse:
    workspace = find_workspace(request, agent_id)
    note_read(request, workspace.owner, "files", agent_id)
    found = workspace.files.present().filter(note_date__isnull=False)
    shown = page(request, found.order_by("-note_date", "folded_path"), size=_DAYS)
    rows = [
        {"file": one, "url": file_url(request, one), "text": markdown.render_text(one.content)}
        for one in shown
    ]
    context = about(workspace, tab="notes", page=shown, rows=rows)
    return show(request, "files/notes.html", context)
