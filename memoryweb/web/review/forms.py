from django import forms
from django.utils.translation import gettext_lazy as _


class ReleaseForm(forms.Form):
    value = forms.CharField(
        label=_("Type the value to put it back into its line"),
        required=False,
        max_length=4096,
        strip=False,
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
        help_text=_(
            "It was not stored, so nobody can look it up here. Leave it empty to let it "
            "pass from now on and leave the line as it is."
        ),
    )
