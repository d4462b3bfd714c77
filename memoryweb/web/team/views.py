from django.conf import settings
from django.contrib import messages
from django.contrib.auth import logout
from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from memoryweb.accounts.exceptions import AccountsRefused
from memoryweb.accounts.models import Team
from memoryweb.accounts.permissions import Permission
from memoryweb.accounts.teams import only_here, remove_demo, rename_team
from memoryweb.llm import usage
from memoryweb.llm.endpoint import configured
from memoryweb.web.access import TeamRequest, require, team_view
from memoryweb.web.htmx import show, to
from memoryweb.web.refusals import told_in
from memoryweb.web.team.forms import TeamForm


@team_view("GET", "POST")
def team(request: TeamRequest) -> HttpResponse:
    visit = request.visit
    if request.method == "POST":
        require(request, Permission.MANAGE_MEMBERS)
    form = TeamForm(request.POST or None, initial={"name": visit.team.name})
    if request.method == "POST" and form.is_valid():
        with told_in(form, "name"):
            rename_team(team=visit.team, name=form.cleaned_data["name"], by=visit.actor)
            messages.success(request, _("Team name saved."))
            return redirect(to(request, "settings"))
    context = {
        "tab": "team",
        "form": form,
        "can_manage": visit.can(Permission.MANAGE_MEMBERS),
        "today": usage.today(visit.team.pk, visit.team.daily_tokens),
        "has_model": configured(visit.team.pk),
        "runs_kept": settings.RUNS_KEPT_DAYS,
        "sessions_kept": settings.SESSIONS_KEPT_DAYS,
    }
    return show(request, "settings/team.html", context)


@team_view("GET", takes=Permission.MANAGE_MEMBERS)
def demo_confirm(request: TeamRequest) -> HttpResponse:
    people = list(only_here(_demo(request)))
    context = {
        "tab": "team",
        "others": [person for person in people if person != request.user],
        "is_me_too": request.user in people,
    }
    return show(request, "settings/demo_remove.html", context)


@team_view("POST", takes=Permission.MANAGE_MEMBERS)
def demo_remove(request: TeamRequest) -> HttpResponse:
    try:
        gone = remove_demo(team=_demo(request), by=request.visit.actor)
    except AccountsRefused as refused:
        messages.error(request, str(refused))
        return redirect("home")
    is_me_too = request.user in gone
    if is_me_too:
        logout(request)
    messages.success(request, _("The demo team and everything in it was removed."))
    return redirect("account_login" if is_me_too else "home")


def _demo(request: TeamRequest) -> Team:
    team = request.visit.team
    if not team.is_demo:
        raise Http404
    return team
