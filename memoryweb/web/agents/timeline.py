"""One memory day by day: what each night changed, the day's note, and the archives of months."""

from collections import defaultdict
from datetime import date, timedelta
from typing import Any
from uuid import UUID

from django.http import HttpResponse
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from memoryweb.dreaming.queries import Dreamt, dreamt
from memoryweb.memory.models import File
from memoryweb.web import wording
from memoryweb.web.access import TeamRequest, find_workspace, note_read, team_view
from memoryweb.web.agents.home import lines_of
from memoryweb.web.htmx import about, show, to
from memoryweb.web.trace import file_url

_DAYS = 31
_ARCHIVES = "memory/dreams/"


@team_view("GET")
def timeline(request: TeamRequest, agent_id: UUID) -> HttpResponse:
    workspace = find_workspace(request, agent_id)
    note_read(request, workspace.owner, "facts", agent_id)
    now, agent = request.visit.now, workspace.agent
    dreams: dict[date, list[Dreamt]] = defaultdict(list)
    for dream in dreamt(agent, workspace.owner_id, now, _DAYS):
        dreams[dream.day].append(dream)
    files = workspace.files.present().defer("content")
    since = now.date() - timedelta(days=_DAYS)
    notes = {one.note_date: one for one in files.filter(note_date__gte=since) if one.note_date}
    archives = files.filter(folded_path__startswith=_ARCHIVES).order_by("-folded_path")
    context = about(
        workspace,
        tab="timeline",
        days=[
            _day(request, day, dreams[day], notes.get(day))
            for day in sorted({*dreams, *notes}, reverse=True)
        ],
        archives=[(one.path, file_url(request, one)) for one in archives],
    )
    return show(request, "agents/timeline.html", context)


def _day(
    request: TeamRequest, day: date, dreams: list[Dreamt], note: File | None
) -> dict[str, Any]:
    rows = []
    for one in dreams:
        lines = lines_of([one])
        remembered = sum(line["mark"] != "went" for line in lines)
        url, chip = to(request, "agents_run", one.run), wording.outcome(one.status, remembered)
        rows.append({"url": url, "chip": chip, "lines": lines})
    return {
        "name": date_format(day, _("D j")),
        "dreams": rows,
        "note": (note.path, file_url(request, note)) if note else None,
    }
