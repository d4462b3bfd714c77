from django import forms
from django.utils.translation import gettext_lazy as _

from memoryweb.web.form_fields import FilterForm, WordsField


class OwnersForm(FilterForm):
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


class BreakGlassForm(forms.Form):
    reason = WordsField(
        label=_("Reason"),
        max_length=500,
        min_length=10,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=_("The person will see this. Say what you need to find out, and for whom."),
    )


class LinkForm(forms.Form):
    email = forms.EmailField(
        label=_("E-mail address of the person"),
        required=False,
        help_text=_("It is mailed there and not kept. Left empty, you get the link."),
    )
