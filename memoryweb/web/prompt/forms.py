from django import forms
from django.utils.translation import gettext_lazy as _


class TryForm(forms.Form):
    message = forms.CharField(
        label=_("A message"),
        max_length=2000,
        required=False,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text=_("Write it as someone would say it to the agent. Nothing is recorded."),
    )
    owner = forms.CharField(required=False, widget=forms.HiddenInput)
