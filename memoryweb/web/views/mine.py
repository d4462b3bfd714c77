"""My memory: what is kept about the person who looks, whatever their role."""

from django.contrib import messages
from django.http import HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from memoryweb.agents.owners import person_owner
from memoryweb.agents.pausing import set_paused
from memoryweb.memory.unit import unit
from memoryweb.web.access import TeamRequest, team_view
from memoryweb.web.htmx import done, show, to
from memoryweb.web.looks import looks
from memoryweb.workspace.queries import kept_about

_PARTIALS = ("pause",)


@require_GET
@team_view()
def mine(request: TeamRequest) -> HttpResponse:
    visit = request.visit
    owners = list(visit.mine)
    context = {
        "me": visit.me,
        "kept": kept_about(visit.team, owners),
        "channels": [owner for owner in visit.mine.values() if owner.source != "user"],
        **looks(visit.team, owners),
    }
    return show(request, "mine/mine.html", context, partials=_PARTIALS)


@require_POST
@team_view()
def pause(request: TeamRequest) -> HttpResponse:
    return _set(request, paused=True)


@require_POST
@team_view()
def resume(request: TeamRequest) -> HttpResponse:
    return _set(request, paused=False)


def _set(request: TeamRequest, *, paused: bool) -> HttpResponse:
    visit = request.visit
    with unit(visit.team):
        person_owner(visit.team, request.user)
        for owner in visit.team.owners.filter(person=request.user):
            set_paused(owner=owner, paused=paused, by=visit.actor)
    said = _("Memory is paused: nothing about you is kept or used until you resume it.")
    messages.success(request, said if paused else _("Memory goes on."))
    return done(request, _fragment, to(request, "mine"), partials=_PARTIALS)


def _fragment(request: TeamRequest) -> HttpResponse:
    return show(request, "mine/mine.html", {"me": request.visit.me}, partials=_PARTIALS)
