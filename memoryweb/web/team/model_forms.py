from typing import Any

from django import forms
from django.conf import settings
from django.utils.translation import gettext_lazy as _

from memoryweb.llm.choices import Own
from memoryweb.llm.models import TeamModel
from memoryweb.web.form_fields import WordsField


class ChoiceForm(forms.Form):
    choice = forms.ChoiceField(
        label=_("Which model to use"), choices=TeamModel.Choice.choices, widget=forms.RadioSelect
    )


class BudgetForm(forms.Form):
    daily_tokens = forms.IntegerField(
        label=_("Tokens a day"),
        required=False,
        min_value=0,
        help_text=_("Empty: as many as this installation allows. At 80%, agents' pages say so."),
    )

    daily_cost = forms.FloatField(
        label=_("Cost a day"),
        required=False,
        min_value=0.01,
        max_value=1e6,
        help_text=_("In the currency of the models' prices. Empty: no limit."),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["daily_tokens"]
        field.widget.attrs["placeholder"] = settings.DAILY_TOKENS
        # What the operator lets a team have is not for the team to raise.
        field.validators.append(forms.IntegerField(max_value=settings.DAILY_TOKENS).validators[0])


class OwnForm(forms.Form):
    provider = forms.ChoiceField(label=_("Format"), choices=TeamModel.Provider.choices)
    base_url = WordsField(label=_("Base URL"), max_length=255)
    model = WordsField(label=_("Model"), max_length=120)
    key = forms.CharField(
        label=_("Key"),
        required=False,
        max_length=1000,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )
    price_in = forms.FloatField(
        label=_("Price of a million tokens read"), min_value=0, max_value=1e6, required=False
    )
    price_out = forms.FloatField(
        label=_("Price of a million tokens written"), min_value=0, max_value=1e6, required=False
    )

    def __init__(self, said: Any = None, *, row: TeamModel) -> None:
        names = ("provider", "base_url", "model", "price_in", "price_out")
        super().__init__(said, initial={name: getattr(row, name) for name in names})
        hosts = ", ".join(settings.MODEL_HOSTS)
        self.fields["base_url"].help_text = _("Hosts that the operator allows: {hosts}").format(
            hosts=hosts
        )
        self.fields["key"].help_text = (
            _("A key is stored and never shown. Leave this empty to keep it.")
            if row.has_key
            else _("Stored encrypted and never shown again.")
        )

    @property
    def own(self) -> Own:
        said = self.cleaned_data
        return Own(
            provider=said["provider"],
            base_url=said["base_url"],
            model=said["model"],
            key=said["key"],
            price_in=said["price_in"] or 0,
            price_out=said["price_out"] or 0,
        )
