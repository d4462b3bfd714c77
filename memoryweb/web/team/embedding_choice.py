"""Which embedding endpoint a team's texts and queries go to, if any: for admins."""

from collections.abc import Mapping
from copy import copy
from typing import Any
from urllib.parse import urlsplit

from django import forms
from django.conf import settings
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.debug import sensitive_post_parameters

from memoryweb.accounts.permissions import Permission
from memoryweb.llm import choices, embedding
from memoryweb.llm.exceptions import ModelError
from memoryweb.llm.models import OwnEndpoint, TeamEmbedding
from memoryweb.web.access import TeamRequest, team_view
from memoryweb.web.pages import show, to
from memoryweb.web.team import model_choice

Choice = OwnEndpoint.Choice
LABELS: Mapping[str, Promise] = {
    Choice.NONE: gettext_lazy("Off: search finds words"),
    Choice.INSTALLATION: gettext_lazy("The installation's endpoint"),
    Choice.OWN: gettext_lazy("The team's own endpoint"),
}


class ChoiceForm(forms.Form):
    choice = forms.ChoiceField(choices=[*LABELS.items()], widget=forms.RadioSelect)


class OwnForm(model_choice.OwnForm):
    provider = price_in = price_out = None  # type: ignore[assignment]

    def __init__(self, said: Any = None, *, row: TeamEmbedding) -> None:
        super().__init__(said, row=row)
        for name in ("base_url", "model"):
            self.fields[name].required = False  # empty: none any more

    def clean(self) -> None:
        if self.cleaned_data.get("base_url") and not self.cleaned_data.get("model"):
            self.add_error("model", _("Enter the model's name."))


@team_view("GET", takes=Permission.MANAGE_MEMBERS)
def endpoint(request: TeamRequest) -> HttpResponse:
    return _show(request)


@team_view("POST", takes=Permission.MANAGE_MEMBERS)
def use(request: TeamRequest) -> HttpResponse:
    visit, form = request.visit, ChoiceForm(request.POST)
    if form.is_valid():
        try:
            row = embedding.choose(
                team_id=visit.team.pk,
                by=visit.actor,
                daily_tokens=visit.team.token_budget,
                **form.cleaned_data,
            )
        except ModelError as refused:
            form.add_error("choice", str(refused))
        else:
            said = _("Saved. From now on: {choice}.")
            messages.success(request, said.format(choice=LABELS[row.choice]))
            return redirect(to(request, "settings_embedding"))
    return _show(request, choice_form=form)


@team_view("POST", takes=Permission.MANAGE_MEMBERS)
@sensitive_post_parameters("key")
def own(request: TeamRequest) -> HttpResponse:
    visit = request.visit
    whose: Any = {"team_id": visit.team.pk, "by": visit.actor, "table": TeamEmbedding}
    form = OwnForm(request.POST, row=choices.of(visit.team.pk, TeamEmbedding))
    if form.is_valid():
        try:
            if form.cleaned_data["base_url"]:
                choices.set_own(own=form.own, **whose)
            else:
                choices.remove_own(**whose)
        except ModelError as refused:
            form.add_error(None, str(refused))
        else:
            messages.success(request, _("Saved."))
            return redirect(to(request, "settings_embedding"))
    return _show(request, own_form=form)


def _show(
    request: TeamRequest,
    *,
    choice_form: forms.Form | None = None,
    own_form: forms.Form | None = None,
) -> HttpResponse:
    row = choices.of(request.visit.team.pk, TeamEmbedding)
    context = {
        "tab": "embedding",
        "row": row,
        "hosts": settings.MODEL_HOSTS,
        "options": [_option(row, choice) for choice in Choice],
        "choice_form": choice_form or ChoiceForm(),
        "own_form": own_form or OwnForm(row=row),
    }
    status = 422 if choice_form or own_form else 200
    return show(request, "settings/embedding.html", context, status=status)


def _option(row: TeamEmbedding, choice: Choice) -> dict[str, Any]:
    """With where texts would go, or why none may."""
    option = {"value": choice.value, "label": LABELS[choice]}
    chosen = copy(row)
    chosen.choice = choice
    try:
        found = choices.endpoint_of(chosen)
    except ModelError as refused:
        return option | {"why": str(refused)}
    told = {"host": urlsplit(found.url).netloc, "model": found.model} if found else {}
    return option | {"can_use": True, **told}
