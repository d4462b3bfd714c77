"""The evidence pack of a statement, for an auditor's browser."""

from functools import partial
from uuid import UUID

from django.contrib import messages
from django.http import FileResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect

from memoryweb.accounts.permissions import Permission
from memoryweb.agents.models import Owner
from memoryweb.memory import evidence_packs
from memoryweb.memory.evidence_packs import Auditor
from memoryweb.web.access import TeamRequest, find_workspace, note_read, team_view
from memoryweb.web.pages import to
from memoryweb.web.time_travel import MomentForm


@team_view("POST", takes=Permission.PACK_EVIDENCE)
def pack(request: TeamRequest, agent_id: UUID, fact_id: UUID) -> HttpResponseBase:
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
