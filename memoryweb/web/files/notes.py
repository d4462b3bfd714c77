"""The daily notes of one memory, day by day: what a dream reads."""

from uuid import UUID

from django.http import HttpResponse

from memoryweb.memory.placeholders import for_people_all
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
    texts = for_people_all([(one, one.content) for one in shown])
    rows = [
        {"file": one, "url": file_url(request, one), "text": markdown.render_text(text)}
        for one, text in zip(shown, texts, strict=True)
    ]
    context = about(workspace, tab="notes", page=shown, rows=rows)
    return show(request, "files/notes.html", context)
