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
    time_zone = ZoneField(help_text=_("Decides when its night begins and what “today” means."))
    dreaming = forms.BooleanField(
        label=_("Dreams every night"),
        required=False,
        initial=True,
        help_text=_("Reviews the notes of the last seven days and adds what matters to MEMORY.md."),
    )
    dream_at = forms.TimeField(
        label=_("Dreams at"),
        initial=time(2, 0),
        widget=forms.TimeInput(attrs={"type": "time"}, format="%H:%M"),
    )
    auto_summarize = forms.BooleanField(
        label=_("Takes notes after conversations"),
        required=False,
        initial=True,
        help_text=_("Writes what is worth keeping to the daily note."),
    )
    owner_isolation = forms.BooleanField(
        label=_("Keeps each person's memory separate"),
        required=False,
        initial=True,
        help_text=_(
            "When off, what anyone says goes into shared memory, which the whole team can read."
        ),
    )
    policy = forms.ChoiceField(
        label=_("When a machine changes MEMORY, PROFILE, SOUL or AGENTS"),
        choices=Agent.Policy.choices,
        initial=Agent.Policy.APPLY,
        widget=forms.RadioSelect,
    )
    consolidator = forms.ChoiceField(
        label=_("What writes the dreams"),
        choices=Agent.Consolidator.choices,
        initial=Agent.Consolidator.AUTO,
        widget=forms.RadioSelect,
    )

    def freeze(self) -> None:
        for field in self.fields.values():
            field.disabled = True
