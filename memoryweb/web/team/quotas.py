"""What each team may use, as whoever runs the installation sets it: for a superuser."""

from datetime import UTC
from typing import Any

from django import forms
from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from memoryweb.accounts.teams import by_name, set_limits
from memoryweb.audit.record import Actor
from memoryweb.llm import usage
from memoryweb.web.access import TeamRequest, team_view
from memoryweb.web.pages import page, show, to

_LABELS = {
    "requests_minute": gettext_lazy("Calls a minute"),
    "requests_day": gettext_lazy("Calls a day"),
    "tokens_day": gettext_lazy("Tokens of models a day"),
    "stored_mb": gettext_lazy("Stored, in MB"),
}


class QuotasForm(forms.Form):
    """Empty: as every team."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        every = settings.QUOTAS | {"tokens_day": settings.DAILY_TOKENS}
        for name, label in _LABELS.items():
            limits: Any = {"required": False, "min_value": 1, "max_value": 2**31 - 1}
            self.fields[name] = field = forms.IntegerField(label=label, **limits)
            field.widget.attrs["placeholder"] = every[name] or _("no limit")


@team_view("GET", "POST")
def quotas(request: TeamRequest) -> HttpResponse:
    """Of the team that `team=` names; without it the list of all."""
    if not request.user.is_superuser:
        raise Http404
    teams, slug = by_name(), request.GET.get("team")
    team = get_object_or_404(teams, slug=slug) if slug else None
    form = QuotasForm(
        request.POST or None, initial={name: getattr(team, name, None) for name in _LABELS}
    )
    if team and form.is_valid():
        by = Actor("person", str(request.user.pk), "superuser")
        set_limits(team=team, by=by, **form.cleaned_data)
        messages.success(request, _("Limits of {team} saved.").format(team=team))
        return redirect(to(request, "settings_quotas"))
    shown = page(request, teams)
    used = usage.on_day(request.visit.now.astimezone(UTC).date(), [one.pk for one in shown.items])
    context = {
        "tab": "quotas",
        "chosen": team,
        "form": form,
        "page": shown,
        "rows": [(one, *used.get(one.pk, (0, 0))) for one in shown.items],
    }
    return show(request, "settings/quotas.html", context, status=422 if form.errors else 200)
