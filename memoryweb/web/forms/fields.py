from zoneinfo import available_timezones

from django import forms
from django.utils.translation import gettext_lazy as _


def zone_choices() -> list[tuple[str, str]]:
    """Every zone that the machine knows, UTC first."""
    names = sorted(name for name in available_timezones() if "/" in name and name[:3] != "Etc")
    return [("UTC", "UTC"), *((name, name.replace("_", " ")) for name in names)]


class ZoneField(forms.ChoiceField):
    def __init__(self, **kwargs: object) -> None:
        kwargs.setdefault("label", _("Time zone"))
        super().__init__(choices=zone_choices, **kwargs)  # type: ignore[arg-type]
