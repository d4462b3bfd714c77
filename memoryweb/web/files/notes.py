"""The daily notes of one memory, day by day: what a dream reads."""

import re
from datetime import UTC, date, datetime, time
from uuid import UUID

from django.http import HttpResponse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from memoryweb.memory.visible.placeholders import for_people_all
from memoryweb.web import markdown
from memoryweb.web.access import TeamRequest, find_workspace, note_read, team_view
from memoryweb.web.htmx import about, show
from memoryweb.web.paging import page
from memoryweb.web.provenance.trace import file_url

_DAYS = 7
_TIME = re.compile(r"^([-*] )([01]\d|2[0-3]):([0-5]\d)(?= )", re.MULTILINE)


@team_view("GET")
def notes(request: TeamRequest, agent_id: UUID) -> HttpResponse:
    workspace = find_workspace(request, agent_id)
    note_read(request, workspace.owner, "files", agent_id)
    found = workspace.files.present().filter(note_date__isnull=False)
    shown = page(request, found.order_by("-note_date", "folded_path"), size=_DAYS)
    texts = for_people_all([(one, one.content) for one in shown])
    rows = [
        {
            "file": one,
            "url": file_url(request, one),
            "text": markdown.render_text(_journal(text, one.note_date)),
        }
        for one, text in zip(shown, texts, strict=True)
        if one.note_date
    ]
    context = about(workspace, tab="notes", page=shown, rows=rows)
    return show(request, "files/notes.html", context)


def _journal(text: str, day: date) -> str:
    """Without the date that is its heading, and with the reader's time in place of UTC."""

    def local(line: re.Match[str]) -> str:
        said_at = datetime.combine(day, time(int(line[2]), int(line[3])), UTC)
        here = timezone.localtime(said_at)
        is_other_day = here.date() != day
        shown = f"{date_format(here, _('j M'))} {here:%H:%M}" if is_other_day else f"{here:%H:%M}"
        return f"{line[1]}{shown}"

    return _TIME.sub(local, text.removeprefix(f"# {day}\n"))
