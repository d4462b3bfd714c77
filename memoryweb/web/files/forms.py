from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from memoryweb.markdown import paths
from memoryweb.markdown.diff import unix_ends
from memoryweb.markdown.paths import PathRefused
from memoryweb.memory.models.refusals import AssignmentsFound, MemoryRefused


class TextField(forms.CharField):
    """A file's text as it is: no stripping, and the line ends that browsers send undone."""

    is_plain = True  # empty is as good as any text: the label says nothing about it

    def __init__(self) -> None:
        looks = {"class": "text", "rows": 24, "spellcheck": "true"}
        super().__init__(
            label=_("Text"), required=False, strip=False, widget=forms.Textarea(attrs=looks)
        )

    def to_python(self, value: object) -> str:
        return unix_ends(super().to_python(value) or "")


class PathField(forms.CharField):
    """A workspace path; what is wrong with it is said in the words of every other door."""

    def __init__(self, label: Any) -> None:
        super().__init__(
            label=label,
            help_text=_(
                "Must end in .md. Use slashes for folders, such as skills/refunds/SKILL.md."
            ),
        )
        self.validators = []  # Django has words of its own about NUL

    def clean(self, value: object) -> str:
        text: str = super().clean(value)
        try:
            return paths.parse(text).text
        except PathRefused as refused:
            raise forms.ValidationError(str(refused)) from refused


class RefusableForm(forms.Form):
    """What is written may look like a secret."""

    no_secrets = forms.BooleanField(
        label=_("These are no secrets"),
        required=False,
        help_text=_(
            "The same values pass from now on: everywhere in this team if the file is shared, "
            "else in this person's memory alone."
        ),
    )
    is_asking = False  # about what looks like a password, which `no_secrets` answers

    def refuse(self, refused: AssignmentsFound | MemoryRefused) -> None:
        self.is_asking = isinstance(refused, AssignmentsFound)
        self.add_error(None, str(refused))


class SaveForm(RefusableForm):
    """Whatever is saved: a text and why."""

    content = TextField()
    reason = forms.CharField(
        label=_("Why this change"),
        max_length=300,
        required=False,
        help_text=_("Shown in the file's history."),
    )
    field_order = ("content", "reason", "no_secrets")

    @property
    def said(self) -> dict[str, str]:
        return {name: self.cleaned_data[name] for name in ("content", "reason")}

    def begin_at(self, name: str) -> None:
        """Where the page has nothing to say first."""
        self.fields[name].widget.attrs["autofocus"] = True


class EditForm(SaveForm):
    sha256 = forms.RegexField(r"^[0-9a-f]{64}$", widget=forms.HiddenInput)


class NewFileForm(SaveForm):
    path = PathField(_("Name"))

    field_order = ("path", "content", "reason")


class DeleteForm(forms.Form):
    sha256 = forms.RegexField(r"^[0-9a-f]{64}$", widget=forms.HiddenInput)


class RenameForm(forms.Form):
    path = PathField(_("New name"))
    sha256 = forms.RegexField(r"^[0-9a-f]{64}$", widget=forms.HiddenInput)


class ArrangeForm(forms.Form):
    """One of: a switch, a step, or the file to stand before (nothing: at the end)."""

    enabled = forms.ChoiceField(choices=[("on", "on"), ("off", "off")], required=False)
    move = forms.ChoiceField(choices=[("up", "up"), ("down", "down")], required=False)
    before = forms.CharField(max_length=256, required=False, strip=False)

    def clean(self) -> dict[str, Any]:
        if not {"enabled", "move", "before"} & set(self.data):
            raise forms.ValidationError(_("Choose what to do with the file."))
        return self.cleaned_data


_MOST = 2**31 - 1


class LinesForm(forms.Form):
    """Lines of a text with this hash, both included."""

    first = forms.IntegerField(min_value=1, max_value=_MOST)
    last = forms.IntegerField(min_value=1, max_value=_MOST)
    sha256 = forms.RegexField(r"^[0-9a-f]{64}$")


class LineForm(RefusableForm):
    """Lines of the text with this hash, and what they shall say. `last` is one less than `first`
    where they were taken away meanwhile and are to stand there again."""

    first = forms.IntegerField(min_value=1, max_value=_MOST, widget=forms.HiddenInput)
    last = forms.IntegerField(min_value=0, max_value=_MOST, widget=forms.HiddenInput)
    sha256 = forms.RegexField(r"^[0-9a-f]{64}$", widget=forms.HiddenInput)
    text = TextField()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        said = str(self["text"].value() or "")
        rows = sum(1 + len(line) // 90 for line in said.split("\n"))
        self.fields["text"].widget.attrs |= {"rows": min(rows, 24), "autofocus": True}

    def clean(self) -> dict[str, Any]:
        said = self.cleaned_data
        if said.get("last", 0) < said.get("first", 1) - 1:
            raise forms.ValidationError(_("Choose which lines to change."))
        return said
