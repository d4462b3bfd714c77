"""Which model and which embedding endpoint the team uses, and what that costs."""

from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from datetime import date, timedelta
from math import ceil
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

from django import forms
from django.conf import settings
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.debug import sensitive_post_parameters

from memoryweb.accounts.permissions import Permission
from memoryweb.accounts.teams import set_limits
from memoryweb.dreaming.preview import Nightly, nightly, trial
from memoryweb.llm import choices, embedding, usage
from memoryweb.llm.choices import Own
from memoryweb.llm.endpoint import configured
from memoryweb.llm.exceptions import ModelError
from memoryweb.llm.models import OwnEndpoint, TeamEmbedding, TeamModel
from memoryweb.runs import models
from memoryweb.runs.models import TokenUse
from memoryweb.web.access import TeamRequest, team_view
from memoryweb.web.charts import Chart, Series, chart
from memoryweb.web.form_fields import WordsField
from memoryweb.web.pages import show, to

Choice = OwnEndpoint.Choice
Table = Any  # TeamModel or TeamEmbedding
_MEANING: Mapping[str, Promise] = {
    Choice.NONE: gettext_lazy("Off: search finds words"),
    Choice.INSTALLATION: gettext_lazy("The installation's endpoint"),
    Choice.OWN: gettext_lazy("The team's own endpoint"),
}
_MILLION, _DAYS, _LISTED = 1_000_000, 30, 20


class ChoiceForm(forms.Form):
    choice = forms.ChoiceField(choices=Choice.choices, widget=forms.RadioSelect)


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


class OwnEmbeddingForm(OwnForm):
    provider = price_in = price_out = None  # type: ignore[assignment]

    def __init__(self, said: Any = None, *, row: TeamEmbedding) -> None:
        super().__init__(said, row=row)
        self.auto_id = "id_meaning_%s"
        for name in ("base_url", "model"):
            self.fields[name].required = False  # empty: none any more

    def clean(self) -> None:
        if self.cleaned_data.get("base_url") and not self.cleaned_data.get("model"):
            self.add_error("model", _("Enter the model's name."))


_FORMS: dict[Table, Any] = {TeamModel: OwnForm, TeamEmbedding: OwnEmbeddingForm}


@team_view("GET", takes=Permission.SEE_AUDIT)
def model(request: TeamRequest) -> HttpResponse:
    """The cost; who may choose, chooses here."""
    return _show(request)


@team_view("POST", takes=Permission.MANAGE_MEMBERS)
def use(request: TeamRequest, table: Table = TeamModel) -> HttpResponse:
    form = ChoiceForm(request.POST)
    if form.is_valid():
        try:
            row = _choose(request, table, form.cleaned_data["choice"])
        except ModelError as refused:
            form.add_error("choice", str(refused))
        else:
            label = _MEANING[row.choice] if table is TeamEmbedding else row.get_choice_display()
            messages.success(request, _("Saved. From now on: {choice}.").format(choice=label))
            return redirect(to(request, "settings_model"))
    return _show(request, table, choice_form=form)


def _choose(request: TeamRequest, table: Table, choice: str) -> OwnEndpoint:
    visit = request.visit
    whose: Any = {"team_id": visit.team.pk, "by": visit.actor, "choice": choice}
    if table is TeamEmbedding:
        return embedding.choose(daily_tokens=visit.team.token_budget, **whose)
    return choices.choose(table=TeamModel, **whose)


@team_view("POST", takes=Permission.MANAGE_MEMBERS)
@sensitive_post_parameters("key")
def own(request: TeamRequest, table: Table = TeamModel) -> HttpResponse:
    visit = request.visit
    whose: Any = {"team_id": visit.team.pk, "by": visit.actor, "table": table}
    before: Any = choices.of(visit.team.pk, table)
    form = _FORMS[table](request.POST, row=before)
    if form.is_valid():
        try:
            if form.cleaned_data["base_url"]:
                row = choices.set_own(own=form.own, **whose)
            else:
                row = choices.remove_own(**whose)
        except ModelError as refused:
            form.add_error(None, str(refused))
        else:
            is_lost = row.base_url and before.has_key and not row.has_key
            said = (
                _("Saved. The address changed, so the key was deleted. Enter the key again.")
                if is_lost
                else _("Saved. Make a test call before you use it.")
                if table is TeamModel
                else _("Saved.")
            )
            messages.success(request, said)
            return redirect(to(request, "settings_model"))
    return _show(request, table, own_form=form)


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
    table: Table = TeamModel,
    *,
    choice_form: forms.Form | None = None,
    own_form: forms.Form | None = None,
    budget_form: forms.Form | None = None,
) -> HttpResponse:
    team = request.visit.team
    can_manage = request.visit.can(Permission.MANAGE_MEMBERS)
    spent = usage.today(team.pk, team.token_budget)
    context = {
        "tab": "model",
        "can_manage": can_manage,
        "has_model": configured(team.pk),
        "spent": spent,
        "percent": min(100, round(100 * spent.used / spent.limit)) if spent.limit else 100,
        **_used(request),
    }
    if can_manage:
        expected = nightly(team.pk, request.visit.now)
        sides = [_side(team.pk, one, expected) for one in (TeamModel, TeamEmbedding)]
        side = sides[table is TeamEmbedding]
        side["own_form"] = own_form or side["own_form"]
        side["errors"] = choice_form.errors["choice"] if choice_form else ()
        row = sides[0]["row"]
        limits = {"daily_tokens": team.daily_tokens, "daily_cost": row.daily_cost}
        context |= {
            "hosts": settings.MODEL_HOSTS,
            "expected": expected,
            "sides": sides,
            "budget_form": budget_form or BudgetForm(team.allowed_tokens, initial=limits),
            "tokens": trial().tokens,
            "minutes": ceil(settings.DREAM_TIMEOUT_SECONDS / 60),
        }
    status = 422 if choice_form or own_form or budget_form else 200
    return show(request, "settings/model.html", context, status=status)


def _side(team_id: UUID, table: Table, expected: Nightly) -> dict[str, Any]:
    row: Any = choices.of(team_id, table)
    options = [_option(row, choice, expected) for choice in Choice]
    return {"row": row, "options": options, "own_form": _FORMS[table](row=row)}


def _option(row: TeamModel | TeamEmbedding, choice: Choice, expected: Nightly) -> dict[str, Any]:
    """With where texts would go and what that would take, or why they may not."""
    is_meaning = isinstance(row, TeamEmbedding)
    option = {"value": choice.value, "label": _MEANING[choice] if is_meaning else choice.label}
    chosen = copy(row)
    chosen.choice = choice
    try:
        found = choices.endpoint_of(chosen)
    except ModelError as refused:
        return option | {"why": str(refused)}
    if found is None:
        return option | {"can_use": True}
    cost = found.cost_micros(expected.tokens_in, expected.tokens_out) / _MILLION
    is_priced = bool(found.price_in or found.price_out)
    told = {"host": urlsplit(found.url).netloc, "model": found.model, "asks": not is_meaning}
    return option | {"can_use": True, "cost": cost, "is_priced": is_priced, **told}


# What models cost the team, day by day.


def _used(request: TeamRequest) -> dict[str, Any]:
    visit, zone = request.visit, timezone.get_current_timezone()
    today = timezone.localdate(visit.now)
    days = [today - timedelta(days=n) for n in reversed(range(_DAYS))]
    since = visit.now - timedelta(days=_DAYS)
    found = models.uses(visit.team, since, zone)
    used, agents, kinds = (_summed((where[n], one) for *where, one in found) for n in range(3))
    cost = sum(one.cost for one in used.values())
    whose = ("agent", "owner__integration", "owner__person")
    return {
        "is_priced": bool(cost or settings.MODEL_PRICE_IN or settings.MODEL_PRICE_OUT),
        "chart": _chart(days, used),
        "agents": _most(agents),
        "kinds": _most(kinds),
        "latest": models.asking(visit.team, since)
        .select_related(*whose)
        .order_by("-created_at")[:_LISTED],
        "cost": cost,
    }


def _summed(found: Iterable[tuple[Any, TokenUse]]) -> dict[Any, TokenUse]:
    sums: dict[Any, TokenUse] = {}
    for key, one in found:
        sums[key] = sums.get(key, TokenUse()) + one
    return sums


def _chart(days: Sequence[date], used: Mapping[date, TokenUse]) -> Chart:
    each = [used.get(day, TokenUse()) for day in days]
    series = (
        Series(_("in"), "b1", "", [one.tokens_in for one in each]),
        Series(_("out"), "b2", "k2", [one.tokens_out for one in each]),
    )
    total = sum(one.tokens for one in each)
    return chart("use", _("Tokens by day"), total, _("tokens in 30 days"), days, series)


def _most(found: Any) -> list[tuple[str, TokenUse]]:
    return sorted(found.items(), key=lambda one: -one[1].tokens)
