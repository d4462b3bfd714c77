from django import forms
from django.utils.translation import gettext_lazy as _

from memoryweb.notify.endpoints import check_url
from memoryweb.notify.exceptions import UrlRefused
from memoryweb.notify.outbox import LABELS


class WebhookForm(forms.Form):
    url = forms.URLField(
        label=_("URL"),
        max_length=500,
        assume_scheme="https",
        help_text=_("It must begin with https:// and be reachable from the internet."),
    )
    events = forms.MultipleChoiceField(
        label=_("What is it told?"),
        choices=list(LABELS.items()),
        initial=list(LABELS),
        widget=forms.CheckboxSelectMultiple,
    )

    def clean_url(self) -> str:
        url: str = self.cleaned_data["url"]
        try:
            check_url(url)
        except UrlRefused as refused:
            raise forms.ValidationError(str(refused)) from None
        return url
