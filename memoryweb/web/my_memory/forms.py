"""What a person can ask of their own memory."""

from collections.abc import Iterable
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from memoryweb.agents.models import Agent
from memoryweb.memory.my_memory import KINDS, Spot, Wanted
from memoryweb.web.form_fields import FilterForm

KIND_LABELS = {
    "memory": _("What matters"),
    "profile": _("Who you are"),
    "other": _("Other files"),
    "notes": _("Daily notes"),
    "diary": _("Diary and history"),
}
_LARGEST = 2**31 - 1


class MineForm(FilterForm):
    q = forms.CharField(label=_("Words"), required=False, max_length=200)
    kind = forms.ChoiceField(
        label=_("Kind"),
        required=False,
        choices=[("", _("All kinds")), *((kind, KIND_LABELS[kind]) for kind in KINDS)],
    )
    agent = forms.ChoiceField(label=_("Agent"), required=False)

    def __init__(self, data: Any, *, agents: Iterable[Agent]) -> None:
        named = ((str(agent.pk), agent.name) for agent in agents)
        super().__init__(data, agent=[("", _("All agents")), *named])
        for field in self.fields.values():
            field.is_plain = True  # type: ignore[attr-defined]

    @property
    def wanted(self) -> Wanted:
        asked = self.asked
        kinds = (asked["kind"],) if "kind" in asked else ()
        return Wanted(asked.get("q", "").replace("\0", ""), kinds, asked.get("agent"))


class SpotForm(forms.Form):
    """Which sentence, as it stood on the page."""

    file = forms.UUIDField(widget=forms.HiddenInput)
    first = forms.IntegerField(widget=forms.HiddenInput, min_value=1, max_value=_LARGEST)
    last = forms.IntegerField(widget=forms.HiddenInput, min_value=1, max_value=_LARGEST)
    sha256 = forms.RegexField(r"^[0-9a-f]{64}$", widget=forms.HiddenInput)
    back = forms.CharField(widget=forms.HiddenInput, required=False, max_length=2000)

    @property
    def spot(self) -> Spot:
        asked = self.cleaned_data
        return Spot(asked["first"], asked["last"], asked["sha256"])


class RewordForm(SpotForm):
    text = forms.CharField(
        label=_("New text"),
        strip=False,
        required=False,
        widget=forms.Textarea(attrs={"rows": 4}),
    )


class RemoveForm(SpotForm):
    sources = forms.BooleanField(required=False)


class CodeForm(forms.Form):
    code = forms.CharField(
        label=_("Code"),
        max_length=40,
        help_text=_(
            "Eight letters and digits, such as ABCD-EFGH. It works once, within ten minutes."
        ),
        widget=forms.TextInput(
            attrs={"autocomplete": "one-time-code", "autocapitalize": "characters", "size": 12}
        ),
    )
