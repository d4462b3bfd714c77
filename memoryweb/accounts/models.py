import unicodedata
import uuid
from datetime import datetime, timedelta
from typing import Any, ClassVar
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser, BaseUserManager, PermissionsMixin
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from memoryweb.accounts.exceptions import AddressRefused, NameRefused
from memoryweb.accounts.permissions import Role
from memoryweb.core import tables

EXPIRY_WARNING = timedelta(days=14)


class UserManager(BaseUserManager["User"]):
    def create_user(self, email: str, password: str | None = None, **fields: Any) -> "User":
        user = self.model(email=self.normalize_email(email).lower(), **fields)
        user.set_password(password)
        user.save()
        return user

    def create_superuser(self, email: str, password: str | None = None, **fields: Any) -> "User":
        return self.create_user(email, password, is_superuser=True, **fields)


class Theme(models.TextChoices):
    DEVICE = "", _("As on this device")
    LIGHT = "light", _("Light")
    DARK = "dark", _("Dark")


class User(AbstractBaseUser, PermissionsMixin):
    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    email = models.EmailField(_("e-mail address"), unique=True)
    name = models.CharField(_("name"), max_length=120, blank=True)
    time_zone = models.CharField(_("time zone"), max_length=64, default="UTC")
    language = models.CharField(
        max_length=8, default="", blank=True, help_text="empty: the browser's"
    )
    theme = models.CharField(
        max_length=8, choices=Theme.choices, default="", blank=True, help_text="empty: the device's"
    )
    letter_keys_off = models.BooleanField(default=False, help_text="letters press no buttons")
    is_active = models.BooleanField(default=True)
    date_joined = models.DateTimeField(default=timezone.now)

    objects: ClassVar[UserManager] = UserManager()

    USERNAME_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = []

    def __str__(self) -> str:
        return self.name or self.email

    @property
    def zone(self) -> ZoneInfo:
        try:
            return ZoneInfo(self.time_zone or "UTC")  # empty: none chosen yet
        except (ZoneInfoNotFoundError, ValueError):
            return ZoneInfo("UTC")

    def has_usable_password(self) -> bool:
        """An installation may have turned passwords off; a superuser's stays."""
        return (settings.LOCAL_PASSWORDS or self.is_superuser) and super().has_usable_password()

    def check_password(self, raw_password: str | None) -> bool:
        return super().check_password(raw_password) and self.has_usable_password()


class Identity(models.Model):
    """Who a person is where the company's accounts are. What that gives holds `valid_until`."""

    user = models.OneToOneField(User, models.CASCADE)
    issuer = models.CharField(max_length=255)
    subject = models.CharField(max_length=255)
    valid_until = models.DateTimeField(null=True, help_text="null: that it is over was recorded")
    sealed_key = models.BinaryField(default=bytes, help_text="a refresh token; empty: none")
    check_at = models.DateTimeField(null=True, help_text="when that token is used next")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["issuer", "subject"], name="accounts_identity_once")
        ]

    def __str__(self) -> str:
        return self.subject

    @property
    def is_current(self) -> bool:
        """Its issuer is the one that the settings name."""
        return self.issuer == settings.OIDC_ISSUER

    @property
    def bound_to(self) -> str:
        """What its token is sealed for."""
        return f"refresh token {self.user_id} {self.issuer}"


class Team(models.Model):
    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    name = models.CharField(_("name"), max_length=120)
    slug = models.SlugField(unique=True)
    is_system = models.BooleanField(default=False)
    is_demo = models.BooleanField(default=False)
    daily_tokens = models.BigIntegerField(null=True, blank=True)
    messages_days = models.IntegerField(null=True, help_text="null: kept until they are deleted")
    owners_days = models.IntegerField(null=True, help_text="the same of people who are silent")
    reports_days = models.IntegerField(null=True, help_text="the same of what old runs told")
    requests_minute = models.IntegerField(null=True, help_text="quota; null: the installation's")
    requests_day = models.IntegerField(null=True, help_text="the same a UTC day")
    tokens_day = models.BigIntegerField(null=True, help_text="the same of models")
    stored_mb = models.IntegerField(null=True, help_text="the same of messages and files")
    stored_bytes = models.BigIntegerField(null=True, help_text="as measured where it is limited")
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["is_system"], condition=Q(is_system=True), name="accounts_one_system_team"
            )
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def quotas(self) -> dict[str, int | None]:
        """What the operator allows this team, or else every team; None: no limit."""
        return {name: getattr(self, name) or default for name, default in settings.QUOTAS.items()}

    @property
    def allowed_tokens(self) -> int:
        """The same of models' tokens a day, which always have a limit."""
        return self.tokens_day or settings.DAILY_TOKENS

    @property
    def token_budget(self) -> int:
        """Of what is allowed, what the team wants to spend."""
        own = self.daily_tokens
        return self.allowed_tokens if own is None else min(self.allowed_tokens, own)

    @property
    def stored(self) -> float:
        """In MB, when it was measured last."""
        return (self.stored_bytes or 0) / 1_000_000

    @property
    def is_full(self) -> bool:
        most = self.quotas["stored_mb"]
        return most is not None and self.stored >= most


class MembershipQuerySet(models.QuerySet["Membership"]):
    def current(self, now: datetime | None = None) -> "MembershipQuerySet":
        return self.filter(Q(ends_at=None) | Q(ends_at__gt=now or timezone.now()))


class Membership(models.Model):
    """Not scoped: it is what decides which team's scope a person may enter."""

    team = models.ForeignKey(Team, models.CASCADE, related_name="memberships")
    user = models.ForeignKey(User, models.CASCADE, related_name="memberships")
    role = models.CharField(_("role"), max_length=16, choices=Role.choices)
    ends_at = models.DateTimeField(_("ends"), null=True, blank=True)
    by_group = models.BooleanField(default=False, help_text="given by the company's account")
    created_at = models.DateTimeField(default=timezone.now)

    objects = models.Manager.from_queryset(MembershipQuerySet)()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["team", "user"], name="accounts_membership_once")
        ]

    def __str__(self) -> str:
        return f"{self.user} as {self.role}"

    @property
    def is_current(self) -> bool:
        return self.ends_at is None or self.ends_at > timezone.now()


class Integration(tables.UUIDRow):
    """A program that talks for people. Survives its creator and its tokens."""

    team = models.ForeignKey(Team, models.CASCADE, related_name="integrations")
    name = tables.PlainCharField(_("name"), max_length=64)
    channels = tables.PlainJSONField(
        default=list, blank=True, help_text="allowed channels; empty: none"
    )
    agents = tables.PlainJSONField(
        default=list, blank=True, help_text="allowed agent ids; empty: all"
    )
    scopes = tables.PlainJSONField(default=list)
    personal_read_reason = tables.PlainCharField(max_length=300, blank=True)
    shared_write_reason = tables.PlainCharField(max_length=300, blank=True)
    created_by = models.ForeignKey(User, models.SET_NULL, null=True, related_name="+")
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["team", "name"], name="accounts_integration_name")
        ]

    def __str__(self) -> str:
        return self.name


class Token(models.Model):
    """Not scoped: the hash is what finds the team. Only the SHA-256 is kept."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    team = models.ForeignKey(Team, models.CASCADE, related_name="tokens")
    user = models.ForeignKey(User, models.CASCADE, null=True, related_name="tokens")
    integration = models.ForeignKey(Integration, models.CASCADE, null=True, related_name="tokens")
    name = tables.PlainCharField(_("name"), max_length=64)
    sha256 = tables.PlainCharField(max_length=64, unique=True)
    prefix = tables.PlainCharField(max_length=8)
    last4 = tables.PlainCharField(max_length=4)
    scopes = tables.PlainJSONField(default=list)
    act_as_person = models.BooleanField(
        default=False, help_text="what it writes is its person's own word, not an agent's"
    )
    shared_write_reason = tables.PlainCharField(max_length=300, blank=True)
    wrote_shared = models.BooleanField(
        default=False, help_text="without a grant, until that was asked for; nobody decided yet"
    )
    client = models.ForeignKey(
        "allauth_idp_oidc.Client",
        models.PROTECT,
        null=True,
        related_name="grants",
        help_text="an app that its person let in, by OAuth",
    )
    agent_id = models.UUIDField(null=True, help_text="all that it may use; null: the team's")
    secret_until = models.DateTimeField(null=True, help_text="an app has to renew it by then")
    expires_at = models.DateTimeField()
    last_used_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)
    created_by = models.ForeignKey(User, models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(user__isnull=False, integration__isnull=True)
                | Q(user__isnull=True, integration__isnull=False),
                name="accounts_token_one_holder",
            )
        ]
        indexes = [models.Index(fields=["team", "-created_at"], name="accounts_token_team")]

    def __str__(self) -> str:
        return f"{self.prefix}…{self.last4}"

    @property
    def is_live(self) -> bool:
        return self.revoked_at is None and self.expires_at > timezone.now()

    @property
    def is_fresh(self) -> bool:
        """An app renewed its secret in time."""
        return self.secret_until is not None and self.secret_until > timezone.now()

    @property
    def expires_soon(self) -> bool:
        """Without anybody renewing it, as an app does."""
        is_left = self.is_live and self.client_id is None
        return is_left and self.expires_at - timezone.now() < EXPIRY_WARNING


class Invitation(models.Model):
    """Not scoped: the hash in its link is what finds the team. Only the SHA-256 is kept."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    team = models.ForeignKey(Team, models.CASCADE, related_name="invitations")
    email = tables.ErasableCharField(_("e-mail address"), max_length=254)
    role = models.CharField(_("role"), max_length=16, choices=Role.choices)
    ends_at = models.DateTimeField(_("membership ends"), null=True, blank=True)
    sha256 = tables.PlainCharField(max_length=64, unique=True)
    invited_by = models.ForeignKey(User, models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField()
    accepted_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)

    erasure = tables.Erasure.IDENTITY

    class Meta:
        indexes = [models.Index(fields=["team", "-created_at"], name="accounts_invitation_team")]

    def __str__(self) -> str:
        return f"{self.email} as {self.role}"


# What a name or an address given by a person may be.


def checked_name(name: str, *, longest: int, without: str = "") -> str:
    """NFC, trimmed, printable, not empty. Raises NameRefused."""
    name = unicodedata.normalize("NFC", name).strip()
    if not 1 <= len(name) <= longest:
        raise NameRefused(_("A name has 1 to {longest} characters.").format(longest=longest))
    if not name.isprintable():
        raise NameRefused(_("A name may not contain control characters."))
    if found := [c for c in without if c in name]:
        raise NameRefused(_("This name may not contain “{character}”.").format(character=found[0]))
    return name


def checked_address(email: str) -> str:
    """Trimmed and in lower case, as it is stored. Raises AddressRefused."""
    email = email.strip().lower()
    try:
        validate_email(email if len(email) <= 254 else "")  # as long as the column
    except ValidationError:
        raise AddressRefused(email) from None
    return email
