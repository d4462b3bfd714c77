"""Owners as counts and outcomes, for admins and auditors; and the way to open one with a reason."""

from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from memoryweb.accounts.permissions import Permission
from memoryweb.agents.break_glass import open_glass
from memoryweb.agents.models import Owner
from memoryweb.runs.queries import last_runs_of_owners
from memoryweb.web import wording
from memoryweb.web.access import Refused, TeamRequest, find_owner, team_view
from memoryweb.web.forms.owners import BreakGlassForm
from memoryweb.web.htmx import show, to
from memoryweb.web.looks import looks
from memoryweb.web.naming import owner_title
from memoryweb.web.paging import page
from memoryweb.workspace.queries import files_per_owner, kept_about


@require_GET
@team_view(Permission.SEE_OWNERS)
def owners(request: TeamRequest) -> HttpResponse:
    team = request.visit.team
    found = team.owners.select_related("person", "integration").order_by("-created_at")
    shown = page(request, found, size=50)
    ids = [owner.pk for owner in shown]
    files, runs = files_per_owner(team, ids), last_runs_of_owners(team.pk, ids)
    rows = [
        {
            "owner": owner,
            "title": owner_title(owner),
            "files": files.get(owner.pk, 0),
            "run": runs.get(owner.pk),
            "chip": wording.of_run(runs[owner.pk]) if owner.pk in runs else None,
        }
        for owner in shown
    ]
    return show(request, "owners/owners.html", {"page": shown, "rows": rows})


@require_GET
@team_view(Permission.SEE_OWNERS)
def detail(request: TeamRequest, owner_id: UUID) -> HttpResponse:
    return _detail(request, find_owner(request, owner_id), BreakGlassForm())


@require_POST
@team_view(Permission.BREAK_GLASS)
def open_memory(request: TeamRequest, owner_id: UUID) -> HttpResponse:
    owner = find_owner(request, owner_id)
    if owner.pk in request.visit.mine:
        raise Refused("own_memory")
    form = BreakGlassForm(request.POST)
    if not form.is_valid():
        return _detail(request, owner, form, status=422)
    open_glass(
        owner=owner,
        user=request.user,
        reason=form.cleaned_data["reason"],
        by=request.visit.actor,
    )
    messages.success(
        request, _("This memory is open to you for 60 minutes. Every page you read is recorded.")
    )
    return redirect(to(request, "owners_detail", owner.pk))


def _detail(
    request: TeamRequest, owner: Owner, form: BreakGlassForm, status: int = 200
) -> HttpResponse:
    visit = request.visit
    context = {
        "owner": owner,
        "title": owner_title(owner),
        "kept": kept_about(visit.team, [owner.pk]),
        "grant": visit.opened.get(owner.pk),
        **looks(visit.team, [owner.pk]),
        "is_mine": owner.pk in visit.mine,
        "form": form,
        "can_open": visit.can(Permission.BREAK_GLASS) and owner.pk not in visit.mine,
    }
    return show(request, "owners/detail.html", context, partials=("open",), status=status)
