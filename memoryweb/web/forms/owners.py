from django import forms
from django.utils.translation import gettext_lazy as _


class BreakGlassForm(forms.Form):
    reason = forms.CharField(
        label=_("Reason"),
        max_length=500,
        min_length=10,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=_("The person reads it. Say what you need to find out, and for whom."),
    )
