from collections.abc import Mapping

from django import forms
from django.utils.translation import gettext_lazy as _

from memoryweb.web.form_fields import WordsField


class FilterForm(forms.Form):
    q = forms.CharField(label=_("Person"), required=False, max_length=200)
    source = forms.ChoiceField(label=_("Source"), required=False)
    state = forms.ChoiceField(
        label=_("Memory"),
        required=False,
        choices=[
            ("", _("Any")),
            ("paused", _("Paused")),
            ("linked", _("Linked to an account")),
        ],
    )

    def __init__(self, data: Mapping[str, str], *, sources: Mapping[str, str]) -> None:
        super().__init__(data)
        self.fields["source"].choices = [("", _("All sources")), *sources.items()]  # type: ignore[attr-defined]


class BreakGlassForm(forms.Form):
    reason = WordsField(
        label=_("Reason"),
        max_length=500,
        min_length=10,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=_("The person will see this. Say what you need to find out, and for whom."),
    )
