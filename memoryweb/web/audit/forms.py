from collections.abc import Mapping
from datetime import datetime, time

from django import forms
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from memoryweb.web.audit.outcomes import OUTCOMES


class FilterForm(forms.Form):
    action = forms.ChoiceField(label=_("What happened"), required=False)
    outcome = forms.ChoiceField(
        label=_("Outcome"),
        required=False,
        choices=[("", _("Any")), *((name, label) for name, (label, _of) in OUTCOMES.items())],
    )
    since = forms.DateField(
        label=_("From"), required=False, widget=forms.DateInput(attrs={"type": "date"})
    )
    until = forms.DateField(
        label=_("Until"), required=False, widget=forms.DateInput(attrs={"type": "date"})
    )
    run = forms.UUIDField(required=False, widget=forms.HiddenInput)
    target = forms.UUIDField(required=False, widget=forms.HiddenInput)

    def __init__(self, *args: object, actions: Mapping[str, str | Promise]) -> None:
        super().__init__(*args)  # type: ignore[arg-type]
        named = sorted(actions.items(), key=lambda item: str(item[1]))
        self.fields["action"].choices = [("", _("Anything")), *named]  # type: ignore[attr-defined]

    def start_of(self, name: str) -> datetime:
        return timezone.make_aware(datetime.combine(self.cleaned_data[name], time.min))
