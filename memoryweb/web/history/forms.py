from collections.abc import Sequence
from datetime import datetime, time

from django import forms
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from memoryweb.accounts.models import User
from memoryweb.workspace.models import AuthorKind


class HistoryForm(forms.Form):
    """Which revisions of a file to show. The run comes with a link."""

    kind = forms.ChoiceField(
        label=_("Written by"), required=False, choices=[("", _("Anybody")), *AuthorKind.choices]
    )
    person = forms.ChoiceField(label=_("Person"), required=False)
    since = forms.DateField(
        label=_("From"), required=False, widget=forms.DateInput(attrs={"type": "date"})
    )
    until = forms.DateField(
        label=_("Until"), required=False, widget=forms.DateInput(attrs={"type": "date"})
    )
    run = forms.UUIDField(required=False, widget=forms.HiddenInput)
    owner = forms.CharField(required=False, widget=forms.HiddenInput)

    def __init__(self, *args: object, people: Sequence[User]) -> None:
        super().__init__(*args)  # type: ignore[arg-type]
        named = [(str(user.pk), str(user)) for user in people]
        self.fields["person"].choices = [("", _("Anybody")), *named]  # type: ignore[attr-defined]

    def start_of(self, name: str) -> datetime:
        return timezone.make_aware(datetime.combine(self.cleaned_data[name], time.min))
