from typing import Any
from zoneinfo import available_timezones

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from memoryweb.memory import screening
from memoryweb.memory.exceptions import ContentRefused


def zone_choices() -> list[tuple[str, str]]:
    """Every zone that the machine knows, UTC first."""
    names = sorted(name for name in available_timezones() if "/" in name and name[:3] != "Etc")
    return [("UTC", "UTC"), *((name, name.replace("_", " ")) for name in names)]


class ZoneField(forms.ChoiceField):
    def __init__(self, **kwargs: object) -> None:
        kwargs.setdefault("label", _("Time zone"))
        super().__init__(choices=zone_choices, **kwargs)  # type: ignore[arg-type]


class DayInput(forms.DateInput):
    input_type = "date"


class WordsField(forms.CharField):
    def validate(self, value: Any) -> None:
        super().validate(value)
        try:
            screening.check_words(value)
        except ContentRefused as refused:
            raise ValidationError(str(refused)) from refused
