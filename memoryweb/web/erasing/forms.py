from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from memoryweb.accounts.models import Team
from memoryweb.agents.models import Agent, Owner
from memoryweb.web.form_fields import WordsField

_FOR_EVER = _("Empty: until somebody deletes it.")


class HoldForm(forms.Form):
    """On all of a team's memory, on one agent's, on one person's, or on both."""

    reason = WordsField(label=_("Reason"), max_length=500)
    agent: "forms.ModelChoiceField[Agent]" = forms.ModelChoiceField(
        None, label=_("Agent"), required=False, empty_label=_("All agents")
    )
    owner = forms.UUIDField(
        label=_("Person"),
        required=False,
        help_text=_("The id on the person's page. Empty: everyone, and shared memory."),
    )

    def __init__(self, team: Team, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.team = team
        self.fields["agent"].queryset = team.agents.live()  # type: ignore[attr-defined]

    def clean_owner(self) -> Owner | None:
        wanted = self.cleaned_data["owner"]
        found = self.team.owners.filter(pk=wanted).first() if wanted else None
        if wanted and found is None:
            raise forms.ValidationError(_("Nobody has this id."))
        return found


class RetentionForm(forms.Form):
    messages_days = forms.IntegerField(
        label=_("Days that messages are kept"),
        required=False,
        min_value=1,
        max_value=36_500,
        help_text=_FOR_EVER,
    )
    owners_days = forms.IntegerField(
        label=_("Days after which people who are silent are erased"),
        required=False,
        min_value=30,
        max_value=36_500,
        help_text=_FOR_EVER,
    )
