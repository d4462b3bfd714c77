from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _


class TextField(forms.CharField):
    """A file's text as it is: no stripping, and the line ends that browsers send undone."""

    is_plain = True  # empty is as good as any text: the label says nothing about it

    def __init__(self) -> None:
        super().__init__(
            label=_("Text"),
            required=False,
            strip=False,
            widget=forms.Textarea(attrs={"class": "text", "rows": 24, "spellcheck": "true"}),
        )

    def to_python(self, value: object) -> str:
        text = super().to_python(value)
        return (text or "").replace("\r\n", "\n").replace("\r", "\n")


class EditForm(forms.Form):
    content = TextField()
    reason = forms.CharField(
        label=_("Why this change"),
        max_length=300,
        required=False,
        help_text=_("Shown in the list of revisions."),
    )
    sha256 = forms.RegexField(r"^[0-9a-f]{64}$", widget=forms.HiddenInput)


class NewFileForm(forms.Form):
    path = forms.CharField(
        label=_("Name"),
        max_length=256,
        help_text=_("Ends in .md; folders with a slash, such as skills/refunds/SKILL.md."),
    )
    content = TextField()
    reason = forms.CharField(label=_("Why this file"), max_length=300, required=False)


class DeleteForm(forms.Form):
    sha256 = forms.RegexField(r"^[0-9a-f]{64}$", widget=forms.HiddenInput)


class RenameForm(forms.Form):
    path = forms.CharField(
        label=_("New name"),
        max_length=256,
        help_text=_("Ends in .md; folders with a slash, such as skills/refunds/SKILL.md."),
    )
    sha256 = forms.RegexField(r"^[0-9a-f]{64}$", widget=forms.HiddenInput)


class ArrangeForm(forms.Form):
    """One of: a switch, a step, or the file to stand before (nothing: at the end)."""

    enabled = forms.ChoiceField(choices=[("on", "on"), ("off", "off")], required=False)
    move = forms.ChoiceField(choices=[("up", "up"), ("down", "down")], required=False)
    before = forms.CharField(max_length=256, required=False, strip=False)

    def clean(self) -> dict[str, Any]:
        if not {"enabled", "move", "before"} & set(self.data):
            raise forms.ValidationError(_("Say what to do with the file."))
        return self.cleaned_data
