"""What was erased, what a legal hold keeps, and how long things are kept."""

from typing import Any
from uuid import UUID

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from memoryweb.accounts.models import Team
from memoryweb.accounts.permissions import Permission
from memoryweb.accounts.teams import keep_for
from memoryweb.agents.models import Agent, Owner
from memoryweb.memory import forgetting
from memoryweb.web.access import TeamRequest, team_view
from memoryweb.web.form_fields import WordsField
from memoryweb.web.htmx import show, to
from memoryweb.web.paging import page

_FOR_EVER = gettext_lazy("Empty: until somebody deletes it.")


class HoldForm(forms.Form):
    """On all of a team's memory, on one agent's, on one person's, or on both."""

    reason = WordsField(label=gettext_lazy("Reason"), max_length=500)
    agent: "forms.ModelChoiceField[Agent]" = forms.ModelChoiceField(
        None, label=gettext_lazy("Agent"), required=False, empty_label=gettext_lazy("All agents")
    )
    owner = forms.UUIDField(
        label=gettext_lazy("Person"),
        required=False,
        help_text=gettext_lazy("The id on the person's page. Empty: everyone, and shared memory."),
    )

    def __init__(self, team: Team, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.team = team
        self.fields["agent"].queryset = team.agents.live()  # type: ignore[attr-defined]

    def clean_owner(self) -> Owner | None:
        wanted = self.cleaned_data["owner"]
        found = self.team.owners.filter(pk=wanted).first() if wanted else None
        if wanted and found is None:
            raise forms.ValidationError(gettext_lazy("Nobody has this id."))
        return found


class RetentionForm(forms.Form):
    messages_days = forms.IntegerField(
        label=gettext_lazy("Days that messages are kept"),
        required=False,
        min_value=1,
        max_value=36_500,
        help_text=_FOR_EVER,
    )
    owners_days = forms.IntegerField(
        label=gettext_lazy("Days after which people who are silent are erased"),
        required=False,
        min_value=30,
        max_value=36_500,
        help_text=_FOR_EVER,
    )


@team_view("GET", takes=Permission.SEE_AUDIT)
def erasing(request: TeamRequest) -> HttpResponse:
    return _show(request)


@team_view("POST", takes=Permission.FORGET)
def hold(request: TeamRequest) -> HttpResponse:
    visit = request.visit
    form = HoldForm(visit.team, request.POST)
    if not form.is_valid():
        return _show(request, hold_form=form)
    with visit.write() as tx:
        forgetting.make(tx, by=visit.user, **form.cleaned_data)
    messages.success(request, _("Held: nothing of it is erased until the hold ends."))
    return redirect(to(request, "settings_erasing"))


@team_view("POST", takes=Permission.FORGET)
def end_hold(request: TeamRequest, hold_id: UUID) -> HttpResponse:
    visit = request.visit
    found = get_object_or_404(forgetting.lasting(visit.team.pk), pk=hold_id)
    with visit.write() as tx:
        forgetting.end(tx, found)
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
