"""Preview tonight: what the next dream would do, by the rules and by a model."""

from collections.abc import Iterable
from typing import Any
from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import redirect

from memoryweb.accounts.permissions import Permission
from memoryweb.dreaming import preview as dreaming
from memoryweb.dreaming.models import Operation
from memoryweb.dreaming.preview import Preview
from memoryweb.llm.endpoint import configured
from memoryweb.memory.visible.request_contents import away_from
from memoryweb.runs.healthcheck import idle_worker
from memoryweb.web import wording
from memoryweb.web.access import (
    TeamRequest,
    Workspace,
    find_workspace,
    note_read,
    own_workspace,
    require_write,
    team_view,
)
from memoryweb.web.dreams.operations import told_of
from memoryweb.web.htmx import about, show, to

_MILLION = 1_000_000


@team_view("GET")
def preview(request: TeamRequest, agent_id: UUID) -> HttpResponse:
    workspace = find_workspace(request, agent_id)
    agent, owner = workspace.agent, workspace.owner
    agent.team = request.visit.team
    note_read(request, owner, "agent", agent.pk)
    known = None if owner and owner._state.adding else owner
    found = Preview(agent, known, request.visit.now)
    context = about(
        workspace,
        tab="dreams",
        has_notes=found.has_notes,
        next_at=agent.next_dream_at if agent.dreaming else None,
        reads=True,
        **_sides(request, workspace, found),
    )
    return show(request, "dreams/preview.html", context)


def _sides(request: TeamRequest, workspace: Workspace, found: Preview) -> dict[str, Any]:
    away = away_from(workspace.agent.pk, workspace.owner_id)

    def told(done: Iterable[Operation]) -> dict[str, Any]:
        return told_of(request, found.run, done, away)

    has_model = configured(workspace.agent.team_id)
    asks = has_model and found.has_notes
    by_model, run = found.by_model if asks else None, found.asked if has_model else None
    expected = found.expected if asks and by_model is None else None
    return {
        "by_rules": told(found.by_rules) if found.has_notes else None,
        "by_model": told(by_model) if by_model is not None else None,
        "has_model": has_model,
        "is_asking": bool(run and run.is_active),
        "run": run,
        "failed": wording.reason(run.reason) if run and run.status == "failed" else "",
        "cost": run.cost_micros / _MILLION if run else 0,
        "expected": expected,
        "expected_cost": expected.cost_micros / _MILLION if expected else 0,
        "can_ask": asks and request.visit.can(Permission.DREAM) and workspace.can_write,
        "idle_worker": idle_worker(request.visit.now) if run and run.is_active else "",
    }


@team_view("POST", takes=Permission.DREAM)
def ask(request: TeamRequest, agent_id: UUID) -> HttpResponse:
    workspace = find_workspace(request, agent_id)
    require_write(request, workspace)
    with request.visit.write() as tx:
        workspace = own_workspace(request, workspace)
        dreaming.request(tx, workspace.agent, workspace.owner, request.user)
    return redirect(to(request, "agents_tonight", agent_id, query=workspace.query))
