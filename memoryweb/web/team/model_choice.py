"""Which model the team uses, its own endpoint, and what that will cost: for admins."""

from collections.abc import Callable
from math import ceil
from typing import Any

from django import forms
from django.conf import settings
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.debug import sensitive_post_parameters

from memoryweb.accounts.permissions import Permission
from memoryweb.accounts.teams import set_limits
from memoryweb.dreaming.preview import Nightly, nightly, trial
from memoryweb.llm import choices, usage
from memoryweb.llm.choices import Own
from memoryweb.llm.endpoint import Endpoint, installation_endpoint, own_endpoint
from memoryweb.llm.exceptions import ModelError
from memoryweb.llm.models import OwnEndpoint, TeamEmbedding, TeamModel
from memoryweb.web.access import TeamRequest, team_view
from memoryweb.web.form_fields import WordsField
from memoryweb.web.pages import show, to


class ChoiceForm(forms.Form):
    choice = forms.ChoiceField(
        label=gettext_lazy("Which model to use"),
        choices=TeamModel.Choice.choices,
        widget=forms.RadioSelect,
    )


class BudgetForm(forms.Form):
    daily_tokens = forms.IntegerField(
        label=gettext_lazy("Tokens a day"),
        required=False,
        min_value=0,
        help_text=gettext_lazy(
            "Empty: as many as this installation allows. At 80%, agents' pages say so."
        ),
    )

    daily_cost = forms.FloatField(
        label=gettext_lazy("Cost a day"),
        required=False,
        min_value=0.01,
        max_value=1e6,
        help_text=gettext_lazy("In the currency of the models' prices. Empty: no limit."),
    )

    def __init__(self, most: int, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["daily_tokens"]
        field.widget.attrs["placeholder"] = most
        # What the operator lets a team have is not for the team to raise.
        field.validators.append(forms.IntegerField(max_value=most).validators[0])


class OwnForm(forms.Form):
    provider = forms.ChoiceField(label=gettext_lazy("Format"), choices=TeamModel.Provider.choices)
    base_url = WordsField(label=gettext_lazy("Base URL"), max_length=255)
    model = WordsField(label=gettext_lazy("Model"), max_length=120)
    key = forms.CharField(
        label=gettext_lazy("Key"),
        required=False,
        max_length=1000,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )
    price_in = forms.FloatField(
        label=gettext_lazy("Price of a million tokens read"),
        min_value=0,
        max_value=1e6,
        required=False,
    )
    price_out = forms.FloatField(
        label=gettext_lazy("Price of a million tokens written"),
        min_value=0,
        max_value=1e6,
        required=False,
    )

    def __init__(self, said: Any = None, *, row: TeamModel | TeamEmbedding) -> None:
        names = ("provider", "base_url", "model", "price_in", "price_out")
        super().__init__(said, initial={name: getattr(row, name) for name in names})
        hosts = ", ".join(settings.MODEL_HOSTS)
        self.fields["base_url"].help_text = gettext_lazy(
            "Hosts that the operator allows: {hosts}"
        ).format(hosts=hosts)
        self.fields["key"].help_text = (
            gettext_lazy("A key is stored and never shown. Leave this empty to keep it.")
            if row.has_key
            else gettext_lazy("Stored encrypted and never shown again.")
        )

    @property
    def own(self) -> Own:
        said = {name: value for name, value in self.cleaned_data.items() if value}
        return Own(**({"provider": TeamEmbedding.provider} | said))


_MILLION = 1_000_000
Choice = OwnEndpoint.Choice


@team_view("GET", takes=Permission.MANAGE_MEMBERS)
def model(request: TeamRequest) -> HttpResponse:
    return _show(request)


@team_view("POST", takes=Permission.MANAGE_MEMBERS)
def use(request: TeamRequest) -> HttpResponse:
    visit, form = request.visit, ChoiceForm(request.POST)
    if form.is_valid():
        try:
            row = choices.choose(
                team_id=visit.team.pk, by=visit.actor, table=TeamModel, **form.cleaned_data
            )
        except ModelError as refused:
            form.add_error("choice", str(refused))
        else:
            said = _("Saved. From now on: {choice}.")
            messages.success(request, said.format(choice=row.get_choice_display()))
            return redirect(to(request, "settings_model"))
    return _show(request, choice_form=form)


@team_view("POST", takes=Permission.MANAGE_MEMBERS)
@sensitive_post_parameters("key")
def own(request: TeamRequest) -> HttpResponse:
    visit = request.visit
    before = choices.of(visit.team.pk, TeamModel)
    form = OwnForm(request.POST, row=before)
    if form.is_valid():
        try:
            row = choices.set_own(
                team_id=visit.team.pk, own=form.own, by=visit.actor, table=TeamModel
            )
        except ModelError as refused:
            form.add_error(None, str(refused))
        else:
            is_lost = before.has_key and not row.has_key
            said = (
                _("Saved. The address changed, so the key was deleted. Enter the key again.")
                if is_lost
                else _("Saved. Make a test call before you use it.")
            )
            messages.success(request, said)
            return redirect(to(request, "settings_model"))
    return _show(request, own_form=form)


@team_view("POST", takes=Permission.MANAGE_MEMBERS)
def remove(request: TeamRequest) -> HttpResponse:
    choices.remove_own(team_id=request.visit.team.pk, by=request.visit.actor, table=TeamModel)
    messages.success(request, _("The team's own model and its key were removed."))
    return redirect(to(request, "settings_model"))


@team_view("POST", takes=Permission.MANAGE_MEMBERS)
def test(request: TeamRequest) -> HttpResponse:
    """Of a model that may not be in use yet."""
    visit, choice = request.visit, request.POST.get("choice", "")
    try:
        said = choices.try_out(
            team_id=visit.team.pk,
            choice=choice,
            trial=trial(),
            daily_tokens=visit.team.token_budget,
            by=visit.actor,
        )
    except ModelError as failed:
        messages.error(request, _("The test call failed. {why}").format(why=failed))
    else:
        messages.success(request, said)
    return redirect(to(request, "settings_model"))


@team_view("POST", takes=Permission.MANAGE_MEMBERS)
def budget(request: TeamRequest) -> HttpResponse:
    visit, form = request.visit, BudgetForm(request.visit.team.allowed_tokens, request.POST)
    if not form.is_valid():
        return _show(request, budget_form=form)
    said = form.cleaned_data
    set_limits(team=visit.team, by=visit.actor, daily_tokens=said["daily_tokens"])
    choices.limit_cost(team_id=visit.team.pk, by=visit.actor, daily_cost=said["daily_cost"])
    messages.success(request, _("Budget saved."))
    return redirect(to(request, "settings_model"))


def _show(
    request: TeamRequest,
    *,
    choice_form: forms.Form | None = None,
    own_form: forms.Form | None = None,
    budget_form: forms.Form | None = None,
) -> HttpResponse:
    team = request.visit.team
    row = choices.of(team.pk, TeamModel)
    expected = nightly(team.pk, request.visit.now)
    spent = usage.today(team.pk, team.token_budget)
    limits = {"daily_tokens": team.daily_tokens, "daily_cost": row.daily_cost}
    context = {
        "tab": "model",
        "row": row,
        "hosts": settings.MODEL_HOSTS,
        "expected": expected,
        "options": _options(row, expected),
        "choice_form": choice_form or ChoiceForm(initial={"choice": row.choice}),
        "own_form": own_form or OwnForm(row=row),
        "budget_form": budget_form or BudgetForm(team.allowed_tokens, initial=limits),
        "spent": spent,
        "trial": {"tokens": trial().tokens, "minutes": ceil(settings.DREAM_TIMEOUT_SECONDS / 60)},
    }
    status = 422 if choice_form or own_form or budget_form else 200
    return show(request, "settings/model.html", context, status=status)


def _options(row: TeamModel, expected: Nightly) -> list[dict[str, Any]]:
    """Each choice with what it would take, and why it can't be taken."""
    none = {"value": Choice.NONE.value, "label": Choice.NONE.label, "can_use": True}
    installed = _option(Choice.INSTALLATION, lambda: installation_endpoint("default"), expected)
    return [none, installed, _option(Choice.OWN, lambda: own_endpoint(row), expected)]


def _option(choice: Choice, found: Callable[[], Endpoint], expected: Nightly) -> dict[str, Any]:
    option: dict[str, Any] = {"value": choice.value, "label": choice.label}
    try:
        endpoint = found()
    except ModelError as refused:
        return option | {"can_use": False, "why": str(refused)}
    cost = endpoint.cost_micros(expected.tokens_in, expected.tokens_out) / _MILLION
    is_priced = bool(endpoint.price_in or endpoint.price_out)
    told = {"model": endpoint.model, "cost": cost, "is_priced": is_priced, "asks": True}
    return option | {"can_use": True, **told}
