from django import forms
from django.utils.translation import gettext_lazy as _

from memoryweb.web.audit.outcomes import OUTCOMES
from memoryweb.web.form_fields import PeriodForm


class FilterForm(PeriodForm):
    actor = forms.ChoiceField(label=_("Who"), required=False)
    agent = forms.ChoiceField(label=_("Agent"), required=False)
    action = forms.ChoiceField(label=_("What happened"), required=False)
    outcome = forms.ChoiceField(
        label=_("Outcome"),
        required=False,
        choices=[("", _("Any")), *((name, label) for name, (label, _of) in OUTCOMES.items())],
    )
    run = forms.UUIDField(required=False, widget=forms.HiddenInput)
    target = forms.UUIDField(required=False, widget=forms.HiddenInput)
    field_order = ("actor", "agent", "action", "outcome", "since", "until")
