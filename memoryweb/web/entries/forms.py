from django import forms
from django.utils.translation import gettext_lazy as _

from memoryweb.memory.models.entries import MOST_OF_NAME
from memoryweb.web.files.forms import TextField


class EntryForm(forms.Form):
    name = forms.CharField(
        label=_("Name"),
        max_length=MOST_OF_NAME,
        help_text=_("What the agent will ask for, such as “Sourdough starter”."),
    )
    content = TextField()
    content.widget = forms.Textarea(attrs={"rows": 6})
    # What everyone shall find is said aloud.
    owner = forms.ChoiceField(
        label=_("Who is it for?"),
        choices=[("me", _("Only me")), ("shared", _("Everyone who uses this agent"))],
        initial="me",
        required=False,
        widget=forms.RadioSelect,
    )


class NameForm(forms.Form):
    """`act`: whether the entry gets the name, or loses it."""

    name = forms.CharField(max_length=MOST_OF_NAME)
    act = forms.ChoiceField(choices=[("add", ""), ("remove", "")])
