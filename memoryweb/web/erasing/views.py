"""What was erased, what a legal hold keeps, and how long things are kept."""

from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _

from memoryweb.accounts.permissions import Permission
from memoryweb.accounts.teams import keep_for
from memoryweb.memory import forgetting
from memoryweb.memory.models.transaction import write_transaction
from memoryweb.web.access import TeamRequest, team_view
from memoryweb.web.erasing.forms import HoldForm, RetentionForm
from memoryweb.web.htmx import show, to
from memoryweb.web.paging import page


@team_view("GET", takes=Permission.SEE_AUDIT)
def erasing(request: TeamRequest) -> HttpResponse:
    return _show(request)


@team_view("POST", takes=Permission.FORGET)
def hold(request: TeamRequest) -> HttpResponse:
    visit = request.visit
    form = HoldForm(visit.team, request.POST)
    if not form.is_valid():
        return _show(request, hold_form=form)
    with write_transaction(visit.team, actor=visit.actor) as work:
        forgetting.make(work, by=visit.user, **form.cleaned_data)
    messages.success(request, _("Held: nothing of it is erased until the hold ends."))
    return redirect(to(request, "settings_erasing"))


@team_view("POST", takes=Permission.FORGET)
def end_hold(request: TeamRequest, hold_id: UUID) -> HttpResponse:
    visit = request.visit
    found = get_object_or_404(forgetting.lasting(visit.team.pk), pk=hold_id)
    with write_transaction(visit.team, actor=visit.actor) as work:
        forgetting.end(work, found)
    messages.success(request, _("The hold has ended. What waited for it is erased now."))
    return redirect(to(request, "settings_erasing"))


@team_view("POST", takes=Permission.FORGET)
def keep(request: TeamRequest) -> HttpResponse:
    form, visit = RetentionForm(request.POST), request.visit
    if not form.is_valid():
        return _show(request, retention_form=form)
    keep_for(team=visit.team, by=visit.actor, **form.cleaned_data)
    messages.success(request, _("Saved. The next night erases what is older."))
    return redirect(to(request, "settings_erasing"))


def _show(
    request: TeamRequest,
    *,
    hold_form: HoldForm | None = None,
    retention_form: RetentionForm | None = None,
) -> HttpResponse:
    team = request.visit.team
    kept = {"messages_days": team.messages_days, "owners_days": team.owners_days}
    context = {
        "tab": "erasing",
        "is_by_rows": not forgetting.promises_bytes(),
        "can_manage": request.visit.can(Permission.FORGET),
        "holds": forgetting.lasting(team.pk).select_related("agent", "owner", "created_by"),
        "page": page(request, forgetting.of(team.pk).select_related("agent", "by"), size=40),
        "hold_form": hold_form or HoldForm(team),
        "retention_form": retention_form or RetentionForm(initial=kept),
    }
    status = 422 if hold_form or retention_form else 200
    return show(request, "settings/erasing.html", context, status=status)
