from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from memoryweb.memory.models import Fact
from memoryweb.memory.models.author_kinds import SourceClass
from memoryweb.memory.statements.trust import Band
from memoryweb.web import wording
from memoryweb.web.form_fields import FilterForm

_LOOKUPS = {
    "q": "words",
    "kind": "kind",
    "trust": "trusted",
    "about": "heading",
    "source": "source",
}
_LIVING = (Fact.State.ACTIVE, Fact.State.DISPUTED, Fact.State.PENDING)


class FactsForm(FilterForm):
    q = forms.CharField(label=_("Words"), required=False, max_length=200)
    state = forms.ChoiceField(
        label=_("State"),
        required=False,
        choices=[("", _("Holds now")), *Fact.State.choices, ("all", _("All"))],
    )
    kind = forms.ChoiceField(
        label=_("Kind"),
        required=False,
        choices=[("", _("All kinds")), *wording.FACT_KINDS.items()],
    )
    trust = forms.ChoiceField(
        label=_("Trust"), required=False, choices=[("", _("Any")), *Band.choices]
    )
    about = forms.ChoiceField(label=_("Subject"), required=False)
    source = forms.ChoiceField(
        label=_("Who said it"), required=False, choices=[("", _("Anybody")), *SourceClass.choices]
    )
    owner = forms.CharField(required=False, widget=forms.HiddenInput)

    def narrowing(self) -> dict[str, Any]:
        """For `memory.statements.listing.narrowed`."""
        state = self.asked.get("state", "")
        states = {"": _LIVING, "all": ()}.get(state, (state,))
        return {"states": states, **self.lookups(**_LOOKUPS)}


class EditForm(forms.Form):
    text = forms.CharField(
        label=_("New text"), max_length=600, widget=forms.Textarea(attrs={"rows": 3})
    )
