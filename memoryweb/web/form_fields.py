from collections.abc import Iterable, Mapping
from datetime import date, datetime, time, timedelta
from functools import cache, cached_property
from typing import Any
from zoneinfo import available_timezones

from django import forms
from django.core.exceptions import ValidationError
from django.forms.utils import flatatt
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from memoryweb.memory.models.refusals import ContentRefused
from memoryweb.memory.writing import screening


@cache
def zone_choices() -> list[tuple[str, str]]:
    """Every zone that the machine knows, UTC first."""
    names = sorted(name for name in available_timezones() if "/" in name and name[:3] != "Etc")
    return [("UTC", "UTC"), *((name, name.replace("_", " ")) for name in names)]


class PlainSelect(forms.Select):
    """Django renders a template for each option: for 500 zones, three quarters of a page's time.
    Of options in no groups."""

    def render(self, name: str, value: Any, attrs: Any = None, renderer: Any = None) -> SafeString:
        shown = self.get_context(name, value, attrs)["widget"]
        chosen = {True: flatatt({"selected": True}), False: ""}
        options = ((key, chosen[key in shown["value"]], label) for key, label in self.choices)
        return format_html(
            '<select name="{}"{}>{}</select>',
            name,
            flatatt(shown["attrs"]),
            format_html_join("\n", '<option value="{}"{}>{}</option>', options),
        )

    def optgroups(self, name: str, value: list[str], attrs: Any = None) -> list[Any]:
        return []


class ChoiceField(forms.ChoiceField):
    widget = PlainSelect


class ZoneField(ChoiceField):
    def __init__(self, **kwargs: object) -> None:
        kwargs.setdefault("label", _("Time zone"))
        super().__init__(choices=zone_choices, **kwargs)  # type: ignore[arg-type]


class DayInput(forms.DateInput):
    input_type = "date"


class UntilForm(forms.Form):
    day = forms.DateField(
        label=_("Last day"),
        required=False,
        widget=DayInput,
        help_text=_("Empty: as long as its text says."),
    )


class WordsField(forms.CharField):
    def validate(self, value: Any) -> None:
        super().validate(value)
        try:
            screening.check_words(value)
        except ContentRefused as refused:
            raise ValidationError(str(refused)) from refused


Choices = Iterable[tuple[str, str | Promise]]


def set_choices(form: forms.Form, choices: Mapping[str, Choices]) -> None:
    """What can be chosen in fields of that name, where only the page knows it."""
    for name, offered in choices.items():
        form.fields[name].choices = list(offered)  # type: ignore[attr-defined]


class FilterForm(forms.Form):
    """Filters that stand in the address. What can't be read as one filters nothing; the form says
    so."""

    def __init__(self, data: Any, **choices: Choices) -> None:
        super().__init__(data)
        set_choices(self, choices)

    @cached_property
    def asked(self) -> Mapping[str, Any]:
        self.is_valid()
        return {name: value for name, value in self.cleaned_data.items() if value}

    def lookups(self, **columns: str) -> dict[str, Any]:
        """What is asked for, by column. `columns`: field → column."""
        return {column: self.asked[name] for name, column in columns.items() if name in self.asked}


class PeriodForm(FilterForm):
    """From a day until a day, both included."""

    since = forms.DateField(label=_("From"), required=False, widget=DayInput)
    until = forms.DateField(label=_("Until"), required=False, widget=DayInput)

    def period(self) -> tuple[datetime | None, datetime | None]:
        """From the first moment, until before the second one."""
        since, until = self.asked.get("since"), self.asked.get("until")
        return since and start_of(since), until and start_of(until + timedelta(days=1))


def start_of(day: date) -> datetime:
    """In the zone of the person who looks."""
    return timezone.make_aware(datetime.combine(day, time.min))
