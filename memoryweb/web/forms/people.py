from django import forms
from django.utils.translation import gettext_lazy as _

from memoryweb.web.forms.fields import ZoneField


class ProfileForm(forms.Form):
    name = forms.CharField(label=_("Name"), max_length=120)
    time_zone = ZoneField(help_text=_("Times on every page are shown in it."))
