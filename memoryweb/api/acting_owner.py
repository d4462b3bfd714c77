"""Whom a call is about. Comes from the authenticated request, never from a tool's argument.

A person's token reaches the person and the shared memory; an integration's token reaches the
owner that the call names, within its own end users and its channels (SPEC §1, §2).
"""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Q, QuerySet

from memoryweb.accounts.permissions import Permission, Scope
from memoryweb.agents import owners
from memoryweb.agents.exceptions import OwnerAmbiguous, OwnerRefused, OwnerUnknown
from memoryweb.agents.models import Agent, Owner
from memoryweb.api.auth import Caller, Right
from memoryweb.api.problems import Forbidden, Invalid, Problem
from memoryweb.api.schemas import OwnerFields
from memoryweb.audit.record import Entry, record
from memoryweb.memory.models.writer import Memory

SHARED = "shared"


@dataclass(frozen=True)
class _Identity:
    """The three columns of an owner that may not have been met yet."""

    source: str
    external_id: str

    def known(self, caller: Caller) -> Owner:
        """The owner, or an unsaved one that owns nothing: reading makes no rows."""
        if found := owners.owners_known_as(caller.team.pk, self.source, self.external_id):
            return found[0]
        columns = {"source": self.source, "external_id": self.external_id}
        person = caller.user if self.source == "user" else None
        return Owner(team=caller.team, person=person, integration=caller.integration, **columns)

    def met(self, caller: Caller) -> Owner:
        """The owner, made on first sight."""
        if self.source == "user" and caller.user:
            return owners.person_owner(caller.team, caller.user)
        if self.source.startswith("api:") and caller.integration:
            return owners.api_owner(caller.team, caller.integration, self.external_id)
        channel, _colon, room = self.source.partition(":")
        make = owners.room_owner if room else owners.channel_owner
        return make(caller.team, channel, self.external_id)


def asked(caller: Caller, text: str | None, *, default: str = SHARED) -> Owner | None:
    """The owner of an `owner=` parameter, for reading; None for the shared memory."""
    found = _named(caller, text, default, reading=True)
    return found.known(caller) if isinstance(found, _Identity) else found


def readable(caller: Caller, agent_id: str, owner: str | None, *, default: str = SHARED) -> Memory:
    """Of the agent of an address, and of the owner of its `owner=` parameter."""
    return Memory(caller.agent(agent_id), asked(caller, owner, default=default))


def acting(
    caller: Caller, fields: OwnerFields, *, default: str = "me", room: str = ""
) -> Owner | None:
    """The acting owner of a body, made on first sight; None for the shared memory.

    `room` is what identifies a group chat that sends no `roomId`: its conversation.
    """
    if (fields.end_user_id, fields.channel, fields.sender_id) != (None, None, None):
        if fields.owner is not None:
            raise Invalid("owner", "Send either an owner or an end user's ids, not both.")
        return _end_user(caller, fields, room).met(caller)
    if fields.group:
        raise Invalid("channel", "A group conversation needs its channel.")
    return target(caller, fields.owner, default=default)


def target(caller: Caller, text: str | None, *, default: str = SHARED) -> Owner | None:
    """The owner of an `owner=` parameter, for writing; None for the shared memory."""
    found = _named(caller, text, default, reading=False)
    return found.met(caller) if isinstance(found, _Identity) else found


def intended(caller: Caller, text: str) -> Owner | None:
    """The owner that a write would reach; makes no rows."""
    found = _named(caller, text, SHARED, reading=False)
    return found.known(caller) if isinstance(found, _Identity) else found


def writable(caller: Caller, agent_id: str, owner: str | None, *, default: str = SHARED) -> Memory:
    """As `readable`, where the caller may change it.

    Everyone may correct the memory about themselves; any other takes the right to write.
    """
    found = Memory(caller.agent(agent_id), target(caller, owner, default=default))
    if found.owner is None or not is_own(caller, found.owner):
        caller.require(Right.WRITE)
    return found


def is_own(caller: Caller, owner: Owner) -> bool:
    """The person behind the token is who this memory is about."""
    return caller.user is not None and owner.person_id == caller.user.pk


def shown(owner: Owner | None, scope: str = "") -> str:
    if scope == "GLOBAL":
        return "global"
    return owner.shown_as if owner else SHARED


def record_reading(caller: Caller, owner: Owner | None) -> None:
    """An integration that an admin let read across owners leaves an event each time it does."""
    entry = Entry(
        action="personal.read",
        actor=caller.actor,
        target_kind="owner" if owner else "team",
        target_id=owner.pk if owner else caller.team.pk,
        on_behalf_of=owner.pk if owner else None,
        reason_code="granted",
        details={"grant": str(caller.actor.id)},
    )
    with transaction.atomic():
        record(caller.team.pk, entry)


def within_reach(caller: Caller, source: str) -> bool:
    assert caller.integration
    if source == f"api:{caller.integration.pk}":
        return True
    return source.removesuffix(":room") in caller.integration.channels


def _named(
    caller: Caller, text: str | None, default: str, *, reading: bool
) -> _Identity | Owner | None:
    if text is None and caller.integration:
        raise _owner_required()
    text = text or default
    if text in {SHARED, "system"}:
        return None
    if caller.integration:
        return _of_integration(caller, text, reading=reading)
    return _of_person(caller, text)


def _owner_required() -> Problem:
    detail = (
        "Choose an owner: send “endUserId”, “channel” with “senderId”, or “owner”: “shared”"
        " (in a query: owner=…)."
    )
    return Problem(400, "owner_required", detail, errors=[{"field": "owner", "message": detail}])


def _of_person(caller: Caller, text: str) -> _Identity | Owner:
    user_id = str(caller.token.user_id)
    if text in {"me", f"user:{user_id}"}:
        return _Identity("user", user_id)
    for owner in caller.team.owners.filter(person=caller.user).select_related("integration"):
        if text in {str(owner.pk), owner.shown_as}:
            return owner
    raise _forbidden("A personal token can only access your own memory and the shared memory.")


def _of_integration(caller: Caller, text: str, *, reading: bool) -> _Identity | Owner:
    identity = _identity(caller, text)
    if identity and within_reach(caller, identity.source):
        return identity
    found = _existing(caller, text)
    if found and within_reach(caller, found.source):
        return found
    if found and reading and Scope.PERSONAL_READ in caller.scopes:
        record_reading(caller, found)
        return found
    raise _forbidden("This integration can only access its own end users and channels.")


def _identity(caller: Caller, text: str) -> _Identity | None:
    """`api:<own name>/<id>`, a bare `api:<id>`, `<channel>:<id>` or `<channel>:room:<id>`."""
    source, colon, rest = text.partition(":")
    if not colon or _is_uuid(text):
        return None
    if source == "api":
        return _api_identity(caller, rest)
    if rest.startswith("room:"):
        source, rest = f"{source}:room", rest.removeprefix("room:")
    return _Identity(source, _checked("owner", rest))


def _api_identity(caller: Caller, rest: str) -> _Identity | None:
    assert caller.integration
    name, slash, end_user = rest.partition("/")
    if slash and name == caller.integration.name:
        rest = end_user
    elif slash and caller.team.integrations.filter(name=name).exists():
        return None
    return _Identity(f"api:{caller.integration.pk}", _checked("owner", rest))


def _existing(caller: Caller, text: str) -> Owner | None:
    try:
        return owners.find(caller.team, text)
    except (OwnerUnknown, OwnerAmbiguous):
        return None


def _end_user(caller: Caller, fields: OwnerFields, room: str) -> _Identity:
    if caller.integration is None:
        raise _forbidden("Only an integration token can name an end user or a channel.")
    if fields.end_user_id is not None:
        if fields.channel is not None or fields.sender_id is not None:
            raise Invalid("endUserId", "Send either endUserId, or channel with senderId.")
        end_user = _checked("endUserId", fields.end_user_id)
        return _Identity(f"api:{caller.integration.pk}", end_user)
    return _of_channel(caller, fields, room)


def _of_channel(caller: Caller, fields: OwnerFields, room: str) -> _Identity:
    assert caller.integration
    if fields.channel is None:
        raise Invalid("channel", "A senderId needs its channel.")
    if fields.channel not in caller.integration.channels:
        raise Forbidden("channel_forbidden", "This integration can't use this channel.")
    if fields.group:
        room = fields.room_id or room or fields.sender_id or ""
        return _Identity(f"{fields.channel}:room", _checked("roomId", room))
    if fields.sender_id is None:
        raise Invalid("senderId", "A channel also needs a senderId.")
    return _Identity(fields.channel, _checked("senderId", fields.sender_id))


def _checked(field: str, text: str) -> str:
    try:
        return owners.checked_identity(text)
    except OwnerRefused as refused:
        raise Invalid(field, str(refused)) from None


def _is_uuid(text: str) -> bool:
    try:
        UUID(text)
    except ValueError:
        return False
    return True


def _forbidden(detail: str) -> Forbidden:
    return Forbidden("owner_forbidden", detail)


# Which rows with an owner a caller may list, and whose texts it may read.


@dataclass(frozen=True)
class Visibility:
    """`owners` whose rows may be listed, and `texts` whose text is shown; None: everyone's."""

    owners: frozenset[UUID] | None
    texts: frozenset[UUID] | None
    shared: bool = True

    def rows(self, owner: str = "owner") -> Q:
        """The filter for rows that have that field."""
        if self.owners is None:
            return Q()
        listed = Q(**{f"{owner}__in": self.owners})
        if self.shared:
            listed |= Q(**{owner: None}) | Q(**{f"{owner}__source": "system"})
        return listed

    def readable(self, owner: str = "owner") -> Q:
        """The filter for rows whose text is shown."""
        return Visibility(self.texts, self.texts, self.shared).rows(owner)

    def shows(self, owner: Owner | None) -> bool:
        if owner is None or owner.is_system:
            return True
        return self.texts is None or owner.pk in self.texts


def seen_by(caller: Caller, owner: str | None) -> Visibility:
    """What `owner=` narrows to; without it a person sees what the role allows (SPEC §1).

    An integration has to name an owner, unless an admin let it read across owners.
    """
    across = caller.integration is not None and Scope.PERSONAL_READ in caller.scopes
    if owner is None and across:
        record_reading(caller, None)
        return Visibility(None, None)
    if owner is not None or caller.integration:
        return of_owner(asked(caller, owner))
    mine = frozenset(caller.team.owners.filter(person=caller.user).values_list("pk", flat=True))
    if caller.may(Permission.SEE_OWNERS):
        return Visibility(None, mine)
    return Visibility(mine, mine)


def reach(caller: Caller, agent_id: str, owner: str | None) -> tuple[Agent, Visibility]:
    """An agent, and what of its memory `owner=` narrows to."""
    return caller.agent(agent_id), seen_by(caller, owner)


def of_one(caller: Caller, owner: str | None, named: QuerySet[Any]) -> Visibility:
    """For a row that an id names: an integration need not say whose it is."""
    if owner or caller.integration is None or Scope.PERSONAL_READ in caller.scopes:
        return seen_by(caller, owner)
    row = named.select_related("owner").first()
    its = row.owner if row else None
    return of_owner(its if its and within_reach(caller, its.source) else None)


def of_owner(owner: Owner | None) -> Visibility:
    if owner is None:
        return Visibility(frozenset(), frozenset())
    return Visibility(frozenset({owner.pk}), frozenset({owner.pk}), shared=False)
