from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from memoryweb.accounts.exceptions import AccountsRefused
from memoryweb.accounts.permissions import Permission
from memoryweb.accounts.teams import rename_team
from memoryweb.llm import client, usage
from memoryweb.web.access import TeamRequest, require, team_view
from memoryweb.web.forms.settings import TeamForm
from memoryweb.web.htmx import show, to


@require_http_methods(["GET", "POST"])
@team_view()
def team(request: TeamRequest) -> HttpResponse:
    visit = request.visit
    if request.method == "POST":
        require(request, Permission.MANAGE_MEMBERS)
    form = TeamForm(request.POST or None, initial={"name": visit.team.name})
    if request.method == "POST" and form.is_valid():
        try:
            rename_team(team=visit.team, name=form.cleaned_data["name"], by=visit.actor)
        except AccountsRefused as refused:
            form.add_error("name", str(refused))
        else:
            messages.success(request, _("The team's name was saved."))
            return redirect(to(request, "settings"))
    context = {
        "tab": "team",
        "form": form,
        "can_manage": visit.can(Permission.MANAGE_MEMBERS),
        "today": usage.today(visit.team.pk, visit.team.daily_tokens),
        "has_model": client.configured(),
    }
    return show(request, "settings/team.html", context, status=422 if form.is_bound else 200)
