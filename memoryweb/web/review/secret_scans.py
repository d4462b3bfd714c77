"""Looking again for secrets in what is kept already: agent by agent, with its progress."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from memoryweb.accounts.permissions import Permission
from memoryweb.agents.models import Agent
from memoryweb.language.secrets import credentials
from memoryweb.memory import review
from memoryweb.runs.models import Run
from memoryweb.web import wording
from memoryweb.web.access import TeamRequest, find_agent, team_view
from memoryweb.web.htmx import show, to
from memoryweb.web.paging import page


@team_view("GET", takes=Permission.MANAGE_AGENTS)
def scans(request: TeamRequest) -> HttpResponse:
    shown = page(request, request.visit.team.agents.live().order_by("folded_name"), size=25)
    runs = request.visit.team.runs.filter(kind=review.KIND, agent__in=list(shown))
    latest = {run.agent_id: run for run in runs.order_by("created_at")}
    rows = [_listed(agent, latest.get(agent.pk)) for agent in shown]
    context = {
        "page": shown,
        "rows": rows,
        "is_running": any(row["is_running"] for row in rows),
    }
    return show(request, "review/scans.html", context, partials=("scans",))


@team_view("POST", takes=Permission.MANAGE_AGENTS)
def scan(request: TeamRequest, agent_id: UUID) -> HttpResponse:
    begun = _("The search has begun. This page shows how far it is.")
    _start(request, find_agent(request, agent_id), begun, fix=False)
    return redirect(to(request, "review_scans"))


@team_view("GET", takes=Permission.MANAGE_AGENTS)
def mask_confirm(request: TeamRequest, agent_id: UUID) -> HttpResponse:
    return show(request, "review/mask.html", {"agent": find_agent(request, agent_id)})


@team_view("POST", takes=Permission.MANAGE_AGENTS)
def mask(request: TeamRequest, agent_id: UUID) -> HttpResponse:
    begun = _("Masking has begun. This page shows how far it is.")
    _start(request, find_agent(request, agent_id), begun, fix=True)
    return redirect(to(request, "review_scans"))


def _start(request: TeamRequest, agent: Agent, begun: str, *, fix: bool) -> None:
    visit = request.visit
    with visit.write() as tx:
        run = review.request(tx, agent, fix=fix, trigger=Run.Trigger.PERSON, user=request.user)
    if review.masks(run) == fix:
        messages.success(request, begun)
    else:
        said = _("Another one is at work for this agent. When it has ended, begin this one.")
        messages.error(request, said)


def _listed(agent: Agent, run: Run | None) -> dict[str, Any]:
    """Kinds and places; whose memory it is and what it says stay out."""
    result = run.result if run else {}
    sightings = result.get("sightings", [])
    found, masked = result.get("found", 0), result.get("masked", 0)
    return {
        "agent": agent,
        "run": run,
        "chip": wording.of_run(run) if run else None,
        "is_running": bool(run and run.is_active),
        "done": result.get("done", 0),
        "total": result.get("total", 0),
        "found": found,
        "masked": masked,
        "can_mask": found > masked and bool(run and not run.is_active),
        "places": [
            (credentials.secret_kind(one["kind"]), credentials.place(one["where"]), one["line"])
            for one in sightings[:20]
        ],
        "more": max(0, found - 20),
    }
