from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from memoryweb.accounts.permissions import Permission
from memoryweb.dreaming.queries import nights_of, people_of
from memoryweb.memory.agents import (
    KEPT,
    NameTaken,
    archive_agent,
    change_agent,
    create_agent,
    restore_agent,
)
from memoryweb.memory.models.transaction import write_transaction
from memoryweb.web import wording
from memoryweb.web.access import (
    TeamRequest,
    find_agent,
    find_archived_agent,
    require,
    team_view,
)
from memoryweb.web.agents.forms import AgentForm
from memoryweb.web.htmx import show, to
from memoryweb.web.paging import page
from memoryweb.web.refusals import told_in


@team_view("GET")
def agents(request: TeamRequest) -> HttpResponse:
    visit = request.visit
    found = page(request, visit.team.agents.live(), size=25)
    for agent in found:
        agent.team = visit.team
    people = people_of(found.items)
    rows = [
        {
            "nights": one,
            "people": people.get(one.agent.pk, 0),
            "chip": wording.standing(one, sees_all=visit.can(Permission.SEE_OWNERS))[0],
            "next_at": one.agent.next_dream_at if one.agent.dreaming else None,
            "ended_at": one.told_at,
        }
        for one in nights_of(found.items, visit.outcomes(), visit.now)
    ]
    can_create = visit.can(Permission.MANAGE_AGENTS)
    context = {
        "rows": rows,
        "page": found,
        "can_create": can_create,
        "archived": _archived(request) if can_create else [],
    }
    return show(request, "agents/agents.html", context)


@team_view("GET", "POST", takes=Permission.MANAGE_AGENTS)
def new(request: TeamRequest) -> HttpResponse:
    form = AgentForm(request.POST or None, initial={"time_zone": request.user.time_zone})
    if request.method == "POST" and form.is_valid():
        with told_in(form, "name"):
            with write_transaction(request.visit.team, actor=request.visit.actor) as work:
                agent = create_agent(work, **form.cleaned_data)
            messages.success(request, _("{name} was created.").format(name=agent.name))
            return redirect(to(request, "agents_connect", agent.pk))
    return show(request, "agents/new.html", {"form": form})


@team_view("GET", "POST")
def settings(request: TeamRequest, agent_id: UUID) -> HttpResponse:
    """Everybody sees how an agent is set; admins change it."""
    agent = find_agent(request, agent_id)
    can_change = request.visit.can(Permission.MANAGE_AGENTS)
    if request.method == "POST":
        require(request, Permission.MANAGE_AGENTS)
    values = {name: getattr(agent, name) for name in AgentForm.base_fields}
    form = AgentForm(request.POST or None, initial=values)
    if request.method == "POST" and form.is_valid():
        with told_in(form, "name"):
            with write_transaction(request.visit.team, actor=request.visit.actor) as work:
                change_agent(work, agent, **form.cleaned_data)
            messages.success(request, _("The settings were saved."))
            return redirect(to(request, "agents_settings", agent.pk))
    if not can_change:
        form.freeze()
    context = {"agent": agent, "tab": "settings", "form": form, "can_change": can_change}
    return show(request, "agents/settings.html", context, partials=("settings",))


@team_view("GET", takes=Permission.MANAGE_AGENTS)
def archive_confirm(request: TeamRequest, agent_id: UUID) -> HttpResponse:
    agent = find_agent(request, agent_id)
    return show(request, "agents/archive.html", {"agent": agent, "tab": "settings"})


@team_view("POST", takes=Permission.MANAGE_AGENTS)
def archive(request: TeamRequest, agent_id: UUID) -> HttpResponse:
    agent = find_agent(request, agent_id)
    with write_transaction(request.visit.team, actor=request.visit.actor) as work:
        archive_agent(work, agent)
    said = _("{name} was archived. You can restore it here for 30 days.")
    messages.success(request, said.format(name=agent.name))
    return redirect(to(request, "agents"))


@team_view("POST", takes=Permission.MANAGE_AGENTS)
def unarchive(request: TeamRequest, agent_id: UUID) -> HttpResponse:
    agent = find_archived_agent(request, agent_id)
    try:
        with write_transaction(request.visit.team, actor=request.visit.actor) as work:
            restore_agent(work, agent)
    except NameTaken as taken:
        messages.error(request, f"{taken} {_('Rename that one first, then restore this one.')}")
    else:
        messages.success(request, _("{name} was restored.").format(name=agent.name))
    return redirect(to(request, "agents"))


def _archived(request: TeamRequest) -> list[dict[str, object]]:
    agents = request.visit.team.agents.archived().order_by("-archived_at")
    return [
        {"agent": agent, "until": agent.archived_at + KEPT} for agent in agents if agent.archived_at
    ]
