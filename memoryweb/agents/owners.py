"""Owners: made on first sight from an authenticated identity, found by the forms of SPEC §2."""

import unicodedata
import uuid
from collections.abc import Sequence
from datetime import datetime
from secrets import token_hex
from typing import Any

from django.db import transaction
from django.db.models import (
    Case,
    CharField,
    DateTimeField,
    F,
    Q,
    QuerySet,
    UUIDField,
    Value,
    When,
)
from django.db.models.functions import Concat
from django.utils.translation import gettext as _

from memoryweb.accounts import integrations
from memoryweb.accounts.models import Integration, Team, User
from memoryweb.agents.exceptions import OwnerAmbiguous, OwnerRefused, OwnerUnknown
from memoryweb.agents.models import Owner
from memoryweb.audit.record import Actor, Entry, lock, record, target
from memoryweb.core.prepared_queries import PreparedQuery
from memoryweb.language.secrets.in_names import holds_secret


def person_owner(team: Team, user: User) -> Owner:
    """The signed-in person: kept by the immutable user id, never by name or e-mail."""
    owner, _made = Owner.objects.get_or_create(
        team=team, source="user", external_id=str(user.pk), defaults={"person": user}
    )
    return owner


@PreparedQuery
def readable_owners(team_id: uuid.UUID, user_id: uuid.UUID, now: datetime) -> "QuerySet[Owner]":
    """Whose memory a person may read: their account and its channels, the system's, and, with the
    `grant` and its end in `open_until`, what break-glass has opened to them."""
    shown = Owner.objects.filter(team=team_id).select_related("integration", "person")
    common = shown.filter(Q(person=user_id) | Q(source="system"))
    grants = {"break_glass__user": user_id, "break_glass__expires_at__gt": now}
    opened = shown.filter(**grants).annotate(
        grant=F("break_glass__pk"), open_until=F("break_glass__expires_at")
    )
    none = {"grant": Value(None, UUIDField()), "open_until": Value(None, DateTimeField())}
    return common.annotate(**none).union(opened, all=True)


@PreparedQuery
def owners_known_as(team_id: uuid.UUID, source: str, external_id: str) -> "QuerySet[Owner]":
    found = Owner.objects.filter(team=team_id, source=source, external_id=external_id)
    return found.select_related("integration", "person")  # by whose name they are shown


def api_owner(team: Team, integration: Integration, end_user_id: str) -> Owner:
    return _met(team, f"api:{integration.pk}", end_user_id, integration)


def trial_owner(team: Team, integration: Integration, user: User, by: Actor) -> Owner:
    """Somebody made up, as whom a person tries a program out. Whoever makes one has it erased."""
    owner = api_owner(team, integration, f"test-{token_hex(4)}")
    owner.person = user
    owner.save(update_fields=["person"])
    entry = Entry("owner.linked", by, **target(owner), on_behalf_of=owner.pk)
    record(team.pk, entry)
    return owner


def channel_owner(team: Team, channel: str, sender_id: str) -> Owner:
    return _met(team, checked_channel(channel), sender_id)


def room_owner(team: Team, channel: str, room_id: str) -> Owner:
    return _met(team, f"{checked_channel(channel)}:room", room_id)


def system_owner(team: Team) -> Owner:
    owner, _made = Owner.objects.get_or_create(team=team, source="system", external_id="system")
    return owner


def speaker_id(team_id: uuid.UUID, owner_id: uuid.UUID | None) -> uuid.UUID | None:
    """Whose conversations a memory is made of: what is sent as shared, the system says."""
    if owner_id is not None:
        return owner_id
    found = Owner.objects.filter(team=team_id, source="system", external_id="system")
    return found.values_list("pk", flat=True).first()


def memory_of(speaker: Owner) -> uuid.UUID | None:
    """The other way about."""
    return None if speaker.is_system else speaker.pk


def find(team: Team, text: str, user: User | None = None) -> Owner | None:
    """The owner that a command or an `owner=` parameter names; None for `shared`.

    Takes an owner's UUID, `me`, `shared`, a shown form, or a bare `api:<endUserId>`.
    Raises OwnerUnknown, OwnerAmbiguous.
    """
    if text == "shared":
        return None
    if text == "me" and user is not None:
        return person_owner(team, user)
    wanted = unicodedata.normalize("NFC", text)
    found = None
    if not _has_control(wanted):
        found = _by_uuid(team, wanted) or _by_shown_form(team, wanted)
    if found is None:
        raise OwnerUnknown(_("There is no owner “{text}” in this team.").format(text=text))
    return found


def find_for_command(team: Team, text: str) -> Owner | None:
    """The same for whoever runs commands: a member is also found by their address, as in
    `user:ann@harbour.example`. Raises OwnerUnknown, OwnerAmbiguous."""
    source, _colon, name = text.partition(":")
    if source == "user" and "@" in name:
        found = Owner.objects.filter(team=team, source="user", person=_member(team, name)).first()
        if found:
            return found
    return find(team, text)


def find_or_meet(team: Team, text: str) -> Owner | None:
    """The same for messages that come in: a whole shown form makes its owner on first sight.

    Raises OwnerUnknown, OwnerAmbiguous, OwnerRefused, and NotFound of an integration.
    """
    try:
        return find(team, text)
    except OwnerUnknown:
        source, _colon, rest = text.partition(":")
        if source == "api" and "/" in rest:
            name, _slash, end_user = rest.partition("/")
            return api_owner(team, integrations.find(team, name), end_user)
        if source == "user":
            return person_owner(team, _member(team, rest))
        if not rest or source in integrations.RESERVED:
            raise
    if rest.startswith("room:"):
        return room_owner(team, source, rest.removeprefix("room:"))
    return channel_owner(team, source, rest)


def matching(team: Team, text: str) -> "QuerySet[Owner]":
    """Owners whose shown form, or whose person's name, holds that text."""
    text_field = CharField()
    program = Concat(
        Value("api:"),
        "integration__name",
        Value("/"),
        "external_id",
        output_field=text_field,
    )
    shown = Case(
        When(source="system", then=Value("system")),
        When(source__startswith="api:", integration__isnull=False, then=program),
        default=Concat("source", Value(":"), "external_id", output_field=text_field),
        output_field=text_field,
    )
    owners = Owner.objects.filter(team=team).annotate(shown=shown)
    wanted = unicodedata.normalize("NFC", text).replace("\0", "").strip()
    if not wanted:
        return owners
    named = Q(person__name__icontains=wanted) | Q(person__email__icontains=wanted)
    return owners.filter(Q(shown__icontains=wanted) | (named & Q(source="user")))


def sources(team: Team) -> list[str]:
    """Which sources this team's owners have."""
    found = Owner.objects.filter(team=team).order_by("source").values_list("source", flat=True)
    return list(found.distinct())


def checked_identity(text: str) -> str:
    """NFC, 1–255 characters, no control characters. Raises OwnerRefused."""
    text = unicodedata.normalize("NFC", text)
    if not 1 <= len(text) <= 255:
        raise OwnerRefused(_("An owner's id has 1 to 255 characters."))
    if _has_control(text):
        raise OwnerRefused(_("An owner's id may not contain control characters."))
    return text


def checked_channel(name: str) -> str:
    if not integrations.CHANNEL.fullmatch(name) or name in integrations.RESERVED:
        raise OwnerRefused(
            _(
                "A channel's name is a lower-case word such as “slack”. "
                "Some, such as “user”, are reserved."
            )
        )
    return name


def _has_control(text: str) -> bool:
    """Control characters (PostgreSQL keeps no NUL) and halves of characters."""
    return any(unicodedata.category(character) in {"Cc", "Cs"} for character in text)


def _met(team: Team, source: str, identity: str, integration: Integration | None = None) -> Owner:
    """Somebody new may not be called by a secret: an id is shown, logged and kept as it is."""
    keys: dict[str, Any] = {
        "team": team,
        "source": source,
        "external_id": checked_identity(identity),
    }
    if found := owners_known_as(team.pk, source, keys["external_id"]):
        return found[0]
    if holds_secret(keys["external_id"]):
        raise OwnerRefused(_("An owner's id may not contain what looks like a secret."))
    owner, _made = Owner.objects.get_or_create(**keys, defaults={"integration": integration})
    return owner


def _member(team: Team, name: str) -> User:
    """A member by id, or by the address that they sign in with."""
    for membership in team.memberships.current().select_related("user"):
        if name == str(membership.user_id) or name.casefold() == membership.user.email.casefold():
            return membership.user
    raise OwnerUnknown(_("There is no member “{id}” in this team.").format(id=name))


def _by_uuid(team: Team, text: str) -> Owner | None:
    try:
        return Owner.objects.filter(team=team, pk=uuid.UUID(text)).first()
    except ValueError:
        return None


def _by_shown_form(team: Team, text: str) -> Owner | None:
    source, _colon, rest = text.partition(":")
    owners = Owner.objects.filter(team=team)
    if text == "system":
        return owners.filter(source="system").first()
    if source != "api":
        if rest.startswith("room:"):
            room = owners.filter(source=f"{source}:room", external_id=rest[5:]).first()
            if room:
                return room
        return owners.filter(source=source, external_id=rest).first()
    name, slash, end_user = rest.partition("/")
    if slash:
        named = owners.filter(integration__name=name, external_id=end_user).first()
        if named:
            return named
    bare = list(owners.filter(source__startswith="api:", external_id=rest)[:10])
    if len(bare) > 1:
        raise OwnerAmbiguous(
            _("Several owners have this id. Name one of these: {list}.").format(
                list=", ".join(sorted(owner.shown_as for owner in bare))
            )
        )
    return bare[0] if bare else None


SWITCHES = ("keeping", "using")


@transaction.atomic
def set_paused(*, owner: Owner, paused: bool, by: Actor, what: Sequence[str] = SWITCHES) -> bool:
    """`what` of keeping and using. Says whether anything changed."""
    lock(owner.team_id)
    owner.refresh_from_db(fields=SWITCHES)
    changed = [name for name in what if getattr(owner, name) is paused]
    for name in changed:
        setattr(owner, name, not paused)
    if changed:
        owner.save(update_fields=changed)
        record(
            owner.team_id,
            Entry(
                action="owner.paused" if paused else "owner.resumed",
                actor=by,
                **target(owner),
                on_behalf_of=owner.pk,
                details={"keeping": owner.keeping, "using": owner.using},
            ),
        )
    return bool(changed)
