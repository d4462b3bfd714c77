"""Where a person can go from anywhere, as links: the list behind Ctrl/⌘ K."""

from collections.abc import Iterator

from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from memoryweb.accounts.permissions import Permission
from memoryweb.web.access import TeamRequest, team_view
from memoryweb.web.agents.tabs import HISTORY, TABS
from memoryweb.web.htmx import to
from memoryweb.web.rail import Rail

_MOST = 200  # agents; the others are found under Agents
Place = tuple[str, str, str]  # what it is called, what it belongs to, its address


@team_view("GET")
def palette(request: TeamRequest) -> HttpResponse:
    """A part of a page, and without a script one by itself."""
    return render(request, "palette.html", {"places": list(_places(request))})


def _places(request: TeamRequest) -> Iterator[Place]:
    visit = request.visit
    for place in Rail(request).places:
        yield str(place["label"]), "", place["url"]
    for name, label, permission in (
        ("agents_new", _("New agent"), Permission.MANAGE_AGENTS),
        ("over_time", _("Over time"), Permission.READ),
        ("settings_tokens", _("Tokens"), Permission.READ),
        ("settings_members", _("Members"), Permission.SEE_MEMBERS),
        ("settings_integrations", _("Integrations"), Permission.SEE_TOKENS),
        ("settings_erasing", _("Erasing"), Permission.SEE_AUDIT),
        ("settings_use", _("Cost and use"), Permission.SEE_AUDIT),
        ("settings_health", _("Health"), Permission.SEE_AUDIT),
    ):
        if visit.can(permission):
            yield label, _("Settings") if name.startswith("settings") else "", to(request, name)
    for agent in visit.team.agents.live().order_by("name")[:_MOST]:
        for view, tab in (TABS | HISTORY).items():
            yield str(tab), agent.name, to(request, view, agent.pk)
        yield _("Preview tonight"), agent.name, to(request, "agents_tonight", agent.pk)
