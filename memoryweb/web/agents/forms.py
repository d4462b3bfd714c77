from datetime import time

from django import forms
from django.utils.translation import gettext_lazy as _

from memoryweb.agents.models import Agent
from memoryweb.web.form_fields import WordsField, ZoneField


class AgentForm(forms.Form):
    name = WordsField(label=_("Name"), max_length=64)
    description = WordsField(
        label=_("Description"),
        max_length=500,
        required=False,
        help_text=_("What it is for, in a few words. People see it; the agent does not."),
    )
    time_zone = ZoneField(help_text=_("Its nights and its “today” are counted in it."))
    dreaming = forms.BooleanField(
        label=_("Dreams every night"),
        required=False,
        initial=True,
        help_text=_("Weighs the notes of the last seven days and writes what lasts to MEMORY.md."),
    )
    dream_at = forms.TimeField(
        label=_("Dreams at"),
        initial=time(2, 0),
        widget=forms.TimeInput(attrs={"type": "time"}, format="%H:%M"),
    )
    auto_summarize = forms.BooleanField(
        label=_("Extracts after conversations"),
        required=False,
        initial=True,
        help_text=_("Writes what is worth keeping to the day's note."),
    )
    owner_isolation = forms.BooleanField(
        label=_("Keeps each owner's memory apart"),
        required=False,
        initial=True,
        help_text=_("Off: what anyone says goes into the shared memory that the team can read."),
    )
    policy = forms.ChoiceField(
        label=_("Changes of MEMORY, PROFILE, SOUL and AGENTS by a machine"),
        choices=Agent.Policy.choices,
        initial=Agent.Policy.APPLY,
        widget=forms.RadioSelect,
    )
    consolidator = forms.ChoiceField(
        label=_("Who consolidates"),
        choices=Agent.Consolidator.choices,
        initial=Agent.Consolidator.AUTO,
        widget=forms.RadioSelect,
    )

    def freeze(self) -> None:
        for field in self.fields.values():
            field.disabled = True
