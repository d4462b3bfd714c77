"""The code of a link, wherever it was taken from."""

from django import forms
from django.utils.translation import gettext_lazy as _


class EntranceForm(forms.Form):
    code = forms.CharField(
        label=_("Link or code"),
        max_length=2000,
        help_text=_("Paste the whole link that you got, or what stands behind its #."),
        error_messages={"required": _("Paste the link that you got; it holds the code.")},
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )

    def clean_code(self) -> str:
        code: str = self.cleaned_data["code"]
        return code.rpartition("#")[2].strip()
