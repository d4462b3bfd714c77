from collections.abc import Sequence
from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext_lazy as _

from memoryweb.snapshots.structure import MAX_UPLOAD


class UploadForm(forms.Form):
    """Whose memory it becomes is asked each time: nothing is chosen beforehand."""

    file = forms.FileField(
        label=_("Archive"),
        help_text=_("A ZIP file of at most 16 MiB: a snapshot, or an OpenClaw workspace."),
        widget=forms.FileInput(attrs={"accept": ".zip,application/zip"}),
    )
    owner = forms.ChoiceField(label=_("Whose memory does it become?"), widget=forms.RadioSelect)

    def __init__(self, choices: Sequence[tuple[str, str]], *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["owner"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = list(choices)

    def clean_file(self) -> "UploadedFile[Any]":
        file: UploadedFile[Any] = self.cleaned_data["file"]
        if (file.size or 0) > MAX_UPLOAD:
            raise forms.ValidationError(_("The archive is larger than 16 MiB."), code="too_large")
        return file
