from datetime import datetime
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

YEARS = range(2000, 2101)


class MomentField(forms.DateTimeField):
    """A moment in the person's zone, or with an offset of its own, as links carry it."""

    def __init__(self, *, label: Any, required: bool = True) -> None:
        widget = forms.DateTimeInput(attrs={"type": "datetime-local", "step": "1"})
        super().__init__(label=label, required=required, widget=widget)
        self.error_messages["invalid"] = _("Enter a date and time, such as 2026-11-20 14:30.")

    def to_python(self, value: Any) -> datetime | None:
        moment = super().to_python(value)
        if moment is not None and moment.year not in YEARS:
            raise ValidationError(_("Choose a moment between 2000 and 2100."))
        return moment

    def prepare_value(self, value: Any) -> Any:
        """What a browser's input takes: no offset, no more than seconds."""
        try:
            moment = self.to_python(value)
        except ValidationError:
            return ""
        return f"{timezone.localtime(moment):%Y-%m-%dT%H:%M:%S}" if moment else ""


class MomentForm(forms.Form):
    at = MomentField(label=_("Date and time"))
    owner = forms.CharField(required=False, widget=forms.HiddenInput)


class BetweenForm(forms.Form):
    since = MomentField(label=_("From"))
    until = MomentField(label=_("Until (leave empty for now)"), required=False)
    owner = forms.CharField(required=False, widget=forms.HiddenInput)
