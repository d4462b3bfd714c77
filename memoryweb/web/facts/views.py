"""The statements of an agent, one statement, and what a person does about it."""

from typing import Any
from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import get_object_or_404

from memoryweb.facts.listing import narrowed, weighed
from memoryweb.web.access import (
    TeamRequest,
    Workspace,
    find_workspace,
    note_read,
    team_view,
)
from memoryweb.web.facts.forms import FactsForm
from memoryweb.web.facts.rows import (
    grounds_of,
    notes_of,
    rows_of,
    surroundings,
    terms_of,
    values_shown,
)
from memoryweb.web.files.views import workspace_choices
from memoryweb.web.htmx import about, show
from memoryweb.web.naming import owner_name
from memoryweb.web.paging import page


@team_view("GET")
def facts(request: TeamRequest, agent_id: UUID) -> HttpResponse:
    workspace = find_workspace(request, agent_id)
    note_read(request, workspace.owner, "facts", agent_id)
    form = FactsForm(request.GET)
    found = narrowed(_of(workspace), request.visit.now, **form.narrowing())
    found = found.select_related("file__agent", "file__owner").order_by("-changed_at", "-pk")
    shown = page(request, found, size=40)
    context = about(
        workspace,
        tab="facts",
        choices=workspace_choices(request, workspace, "agents_facts"),
        form=form,
        is_filtered=bool(form.asked.keys() - {"owner"}),
        page=shown,
        rows=rows_of(request, workspace, shown.items),
    )
    return show(request, "facts/facts.html", context)


@team_view("GET")
def fact(request: TeamRequest, agent_id: UUID, fact_id: UUID) -> HttpResponse:
    workspace = find_workspace(request, agent_id)
    return show(request, "facts/fact.html", _shown(request, workspace, fact_id))


def _of(workspace: Workspace) -> Any:
    return weighed(workspace.agent.facts.of(workspace.agent.pk, workspace.owner_id))


def _find(request: TeamRequest, workspace: Workspace, fact_id: UUID) -> Any:
    shown = ("file__agent", "file__owner", "owner", "confirmed_by", "contradiction")
    fact = get_object_or_404(_of(workspace).select_related(*shown), pk=fact_id)
    note_read(request, workspace.owner, "fact", fact_id)
    return fact


def _shown(request: TeamRequest, workspace: Workspace, fact_id: UUID) -> dict[str, Any]:
    fact = _find(request, workspace, fact_id)
    [row] = rows_of(request, workspace, [fact])
    return about(
        workspace,
        tab="facts",
        row=row,
        fact=fact,
        chip=row["chip"],
        whose=owner_name(request.visit, fact.owner),
        notes=notes_of(request, fact),
        terms=terms_of(row["weight"]),
        grounds=grounds_of(request, fact),
        values=values_shown(request, workspace, fact),
        surroundings=surroundings(fact, row["line"]),
    )
