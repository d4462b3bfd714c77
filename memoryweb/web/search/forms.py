from datetime import date

from django import forms
from django.utils.translation import gettext_lazy as _

KINDS = (("", _("Files and messages")), ("file", _("Files")), ("message", _("Messages")))


class DayInput(forms.DateInput):
    input_type = "date"


class SearchForm(forms.Form):
    """What is looked for and where. All of it stands in the address."""

    q = forms.CharField(
        label=_("What are you looking for?"),
        max_length=1000,
        required=False,
        widget=forms.TextInput(
            attrs={"type": "search", "autocomplete": "off", "autofocus": True, "data-search": ""}
        ),
    )
    agent = forms.ChoiceField(label=_("Agent"), required=False)
    whose = forms.ChoiceField(label=_("Whose memory"), required=False)
    kind = forms.ChoiceField(label=_("In"), choices=KINDS, required=False)
    path = forms.CharField(label=_("File name contains"), max_length=256, required=False)
    after = forms.DateField(label=_("From"), required=False, widget=DayInput)
    before = forms.DateField(label=_("Before"), required=False, widget=DayInput)
    at = forms.DateField(label=_("As of the end of"), required=False, widget=DayInput)
    cursor = forms.CharField(max_length=300, required=False, widget=forms.HiddenInput)

    def __init__(
        self,
        data: object,
        *,
        agents: list[tuple[str, str]],
        owners: list[tuple[str, str]],
    ) -> None:
        super().__init__(data)  # type: ignore[arg-type]
        self.fields["agent"].choices = [("", _("All agents")), *agents]  # type: ignore[attr-defined]
        self.fields["whose"].choices = owners  # type: ignore[attr-defined]

    @property
    def narrows(self) -> bool:
        """Whether one of the filters that are folded away is in use."""
        given: dict[str, date | str | None] = getattr(self, "cleaned_data", {})
        return any(given.get(name) for name in ("path", "after", "before", "at"))
