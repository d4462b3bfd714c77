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
