from allauth.account.adapter import get_adapter
from django import forms
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from memoryweb.accounts.models import User
from memoryweb.web.form_fields import ZoneField


class ProfileForm(forms.Form):
    name = forms.CharField(label=_("Name"), max_length=120)
    time_zone = ZoneField(help_text=_("Every page shows times in this zone."))


class AddressForm(forms.Form):
    email = forms.EmailField(label=_("New e-mail address"), max_length=254)
    password = forms.CharField(
        label=_("Your password"),
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )

    def __init__(self, data: object = None, *, user: User) -> None:
        super().__init__(data)  # type: ignore[arg-type]
        self.user = user

    def clean_email(self) -> str:
        email: str = self.cleaned_data["email"].lower()
        if email == self.user.email:
            raise ValidationError(_("You already sign in with this address."))
        return email

    def clean_password(self) -> str:
        password: str = self.cleaned_data["password"]
        if not get_adapter().reauthenticate(self.user, password):
            raise ValidationError(_("Wrong password."))
        return password


class JoinForm(forms.Form):
    name = forms.CharField(label=_("Your name"), max_length=120)
    password = forms.CharField(
        label=_("Password"),
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
        help_text=_("You'll sign in with your e-mail address and this password."),
    )

    def __init__(self, data: object = None, *, email: str) -> None:
        super().__init__(data)  # type: ignore[arg-type]
        self.email = email

    def clean_password(self) -> str:
        password: str = self.cleaned_data["password"]
        validate_password(password, User(email=self.email))
        return password
