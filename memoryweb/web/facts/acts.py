"""What a person may do about a statement, on whichever page it stands."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from django import forms
from django.utils.translation import gettext_lazy

from memoryweb.memory import facts, forgetting
from memoryweb.memory.models import Fact
from memoryweb.memory.still_true import still_true
from memoryweb.web.wording import Text

_LIVING = frozenset({Fact.State.ACTIVE, Fact.State.DISPUTED})


@dataclass(frozen=True)
class Act:
    """`where`: its address behind the statement's; `undo` names the act that takes it back."""

    do: Callable[..., object]
    said: Text
    where: str
    undo: str = ""

    @property
    def back(self) -> str:
        return ACTS[self.undo].where if self.undo else ""


ACTS = {
    "confirm": Act(facts.confirm, gettext_lazy("You said this is right."), "confirm/", "unconfirm"),
    "unconfirm": Act(facts.unconfirm, gettext_lazy("Undone."), "confirm/undo/"),
    "not_true": Act(facts.not_true, gettext_lazy("Marked as not true."), "not-true/", "restore"),
    "restore": Act(facts.restore, gettext_lazy("Restored to its file."), "restore/"),
    "still_true": Act(
        still_true, gettext_lazy("It still holds. Agents are told so again."), "still-true/"
    ),
    "forget": Act(
        partial(forgetting.forget_fact, is_theirs=True),
        gettext_lazy("Forgotten."),
        "forget/",
        "unforget",
    ),
    "unforget": Act(
        forgetting.undo_of_fact, gettext_lazy("It is remembered again."), "forget/undo/"
    ),
}


class EditForm(forms.Form):
    text = forms.CharField(
        label=gettext_lazy("New text"), max_length=600, widget=forms.Textarea(attrs={"rows": 3})
    )


def possible(fact: Fact, state: Fact.State, *, is_own_word: bool) -> frozenset[str]:
    """What may be done about it as it stands; to confirm one's own words says nothing."""
    if state in Fact.OVER:
        return frozenset({"forget"} if fact.file_id else {"forget", "restore"})
    found = {"forget", "edit", "not_true"}
    if state in _LIVING and not fact.confirmed_at and not is_own_word:
        found.add("confirm")
    if state in _LIVING and fact.ended:
        found.add("still_true")
    return frozenset(found)
