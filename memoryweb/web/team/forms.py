from collections.abc import Callable, Iterable
from datetime import date, datetime, timedelta
from typing import Any

from allauth.account.adapter import get_adapter
from django import forms
from django.conf import settings
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.http import QueryDict
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from memoryweb.accounts.integrations import DEFAULT_SCOPES
from memoryweb.accounts.models import Integration, Membership, Theme, User
from memoryweb.accounts.permissions import GRANTED, Role, Scope
from memoryweb.accounts.tokens import DEFAULT_DAYS, LONGEST_DAYS, PERSONAL_SCOPES
from memoryweb.agents.models import Agent
from memoryweb.notify.endpoints import UrlRefused, check_slack, check_url
from memoryweb.notify.models import LABELS
from memoryweb.web.form_fields import DayInput, WordsField, ZoneField, set_choices, start_of

_LABELS = dict(Scope.choices)
_WHO_READS_IT = {
    Scope.PERSONAL_READ: _("Everyone sees it on their page. Say what it is needed for."),
    Scope.SHARED_WRITE: _("Shown in its list in Settings. Say what it is needed for."),
}
_SCOPES = [(name, _LABELS[name]) for name in PERSONAL_SCOPES]


class TeamForm(forms.Form):
    name = WordsField(label=_("Name"), max_length=120)


class RoleForm(forms.Form):
    role = forms.ChoiceField(label=_("Role"), choices=Role.choices, initial=Role.MEMBER)
    ends_on = forms.DateField(
        label=_("Ends on"),
        required=False,
        widget=DayInput(format="%Y-%m-%d"),
    )

    @classmethod
    def of(cls, membership: Membership) -> "RoleForm":
        ends = timezone.localtime(membership.ends_at).date() if membership.ends_at else None
        return cls(
            initial={"role": membership.role, "ends_on": ends}, auto_id=f"id_{membership.pk}_%s"
        )

    @property
    def ends_at(self) -> datetime | None:
        """The end of that day where the person who sets it lives."""
        day: date | None = self.cleaned_data["ends_on"]
        if day is None:
            return None
        return start_of(day + timedelta(days=1))


class MemberForm(RoleForm):
    email = forms.EmailField(label=_("E-mail address"))
    name = forms.CharField(label=_("Name"), max_length=120, required=False)
    password = forms.CharField(
        label=_("First password"),
        required=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
        help_text=_("Only for a new account. Give it to the person and ask them to change it."),
    )
    field_order = ("email", "name", "role", "ends_on", "password")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not settings.LOCAL_PASSWORDS:
            del self.fields["password"]

    def clean_password(self) -> str:
        password: str = self.cleaned_data["password"]
        if password:
            validate_password(password)
        return password


class InvitationForm(RoleForm):
    email = forms.EmailField(label=_("E-mail address"))
    field_order = ("email", "role", "ends_on")


class _ScopesField(forms.MultipleChoiceField):
    widget = forms.CheckboxSelectMultiple

    def __init__(self) -> None:
        super().__init__(label=_("Permissions"), choices=_SCOPES, initial=DEFAULT_SCOPES)


class IntegrationForm(forms.Form):
    name = WordsField(label=_("Name"), max_length=64)
    channels = WordsField(
        label=_("Channels"),
        required=False,
        help_text=_(
            "Chat channels it speaks for, such as slack, feishu. Empty: its own users only."
        ),
    )
    # Said aloud: no box ticked must never come to mean every agent.
    reach = forms.ChoiceField(
        label=_("Agents it may use"),
        choices=[
            ("every", _("All agents, including new ones")),
            ("some", _("Only these agents")),
        ],
        initial="every",
        widget=forms.RadioSelect,
    )
    agents = forms.MultipleChoiceField(
        label=_("Chosen agents"), required=False, widget=forms.CheckboxSelectMultiple
    )
    scopes = _ScopesField()

    def __init__(self, *args: object, agents: Iterable[Agent], **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        named = [(str(a.pk), _archived(a) if a.archived_at else a.name) for a in agents]
        set_choices(self, {"agents": named})

    @classmethod
    def values(cls, integration: Integration) -> dict[str, object]:
        return {
            "name": integration.name,
            "channels": ", ".join(integration.channels),
            "reach": "some" if integration.agents else "every",
            "agents": integration.agents,
            "scopes": integration.scopes,
        }

    def clean_channels(self) -> list[str]:
        return [name.strip() for name in self.cleaned_data["channels"].split(",") if name.strip()]

    def clean(self) -> dict[str, object]:
        said: dict[str, object] = self.cleaned_data
        if said.get("reach") == "some" and not said.get("agents"):
            self.add_error("agents", gettext("Choose at least one agent."))
        if said.pop("reach", "") == "every":
            said["agents"] = []
        return said


class GrantForm(forms.Form):
    reason = WordsField(
        label=_("Reason"), max_length=300, min_length=10, widget=forms.Textarea(attrs={"rows": 2})
    )

    def __init__(self, said: QueryDict | None = None, *, scope: Scope) -> None:
        super().__init__(said, auto_id=f"id_{scope.name.lower()}_%s")
        self.scope = scope
        self.fields["reason"].help_text = _WHO_READS_IT[scope]


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
        return _checked(self.cleaned_data["url"], check_url)


class SlackForm(forms.Form):
    address = forms.CharField(
        label=_("Slack's webhook URL"),
        max_length=500,
        widget=forms.PasswordInput(attrs={"autocomplete": "off"}),
        help_text=_("From the channel's app “Incoming Webhooks”. It is kept encrypted."),
    )

    def clean_address(self) -> str:
        return _checked(self.cleaned_data["address"], check_slack)


def _checked(url: str, check: Callable[[str], None]) -> str:
    try:
        check(url)
    except UrlRefused as refused:
        raise forms.ValidationError(str(refused)) from None
    return url


class TokenForm(forms.Form):
    name = WordsField(
        label=_("Name"),
        max_length=64,
        help_text=_("Where you will use it, so you can tell it apart."),
    )
    holder = forms.ChoiceField(label=_("Acts as"))
    act_as_person = forms.BooleanField(
        label=_("What it writes is my own word"),
        required=False,
        help_text=_(
            "No dream may change or bring back what such a token changes, and its lines carry your "
            "name. Use it only for tools that you type into yourself, never for an agent."
        ),
    )
    days = forms.IntegerField(
        label=_("Days until it expires"), min_value=1, max_value=LONGEST_DAYS, initial=DEFAULT_DAYS
    )
    scopes = _ScopesField()

    def __init__(self, *args: object, holders: Iterable[Integration], **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        self.by_id = {str(integration.pk): integration for integration in holders}
        shown: list[tuple[str, Any]] = [("me", _("Me"))]
        shown += [(key, integration.name) for key, integration in self.by_id.items()]
        granted = [(scope.value, said) for scope in GRANTED if (said := self._granted(scope))]
        set_choices(self, {"holder": shown, "scopes": [*_SCOPES, *granted]})

    def _granted(self, scope: Scope) -> str:
        names = [one.name for one in self.by_id.values() if scope in one.scopes]
        said = gettext("{scope} (only {names})")
        return said.format(scope=scope.label, names=", ".join(names)) if names else ""

    @property
    def integration(self) -> Integration | None:
        return self.by_id.get(self.cleaned_data["holder"])


class ProfileForm(forms.Form):
    name = forms.CharField(label=_("Name"), max_length=120)
    time_zone = ZoneField(help_text=_("Every page shows times in this zone."))
    language = forms.ChoiceField(
        label=_("Language"),
        required=False,
        choices=lambda: [("", _("As the browser says")), *settings.LANGUAGES],
        help_text=_("Of pages and mails. What agents remember stays in the words it was said in."),
    )
    theme = forms.ChoiceField(label=_("Colors"), required=False, choices=Theme.choices)
    letter_keys_off = forms.BooleanField(
        label=_("Turn letter keys off"),
        required=False,
        help_text=_("Then no letter confirms, edits or forgets anything."),
    )


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


def _archived(agent: Agent) -> str:
    return gettext("{name} (archived)").format(name=agent.name)
