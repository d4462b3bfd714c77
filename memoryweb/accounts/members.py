from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from memoryweb.accounts import tokens
from memoryweb.accounts.exceptions import (
    AlreadyMember,
    EndRefused,
    LastAdmin,
    NotFound,
    NotMember,
)
from memoryweb.accounts.models import Membership, Team, User, checked_address
from memoryweb.accounts.permissions import Role
from memoryweb.accounts.signins import record_act
from memoryweb.audit.record import Actor, Entry, lock, record
from memoryweb.core.prepared_queries import PreparedQuery


@transaction.atomic
def add_member(
    *,
    team: Team,
    email: str,
    role: Role,
    by: Actor,
    name: str = "",
    password: str | None = None,
    ends_at: datetime | None = None,
) -> Membership:
    """Give a person a role, making the account if the address is new.

    An account that exists keeps its name and password: no team decides over those.
    Raises AddressRefused, AlreadyMember, EndRefused.
    """
    check_end(ends_at)
    lock(team.pk)
    user = _person(email, name, password)
    membership = Membership.objects.filter(team=team, user=user).first()
    if membership is None:
        membership = Membership(team=team, user=user)
    elif membership.is_current:
        raise AlreadyMember(user)
    membership.role, membership.ends_at = role, ends_at
    membership.save()
    _record("member.added", membership, by)
    return membership


@transaction.atomic
def change_member(
    *, membership: Membership, role: Role, ends_at: datetime | None, by: Actor
) -> Membership:
    """Raises EndRefused, LastAdmin, NotMember."""
    if ends_at != membership.ends_at:
        check_end(ends_at)
    _lock(membership)
    if (role, ends_at) == (membership.role, membership.ends_at):
        return membership
    if role != Role.ADMIN or ends_at is not None:
        _keep_an_admin(membership)
    membership.role, membership.ends_at = role, ends_at
    membership.save(update_fields=["role", "ends_at"])
    _record("member.changed", membership, by)
    return membership


@transaction.atomic
def remove_member(*, membership: Membership, by: Actor) -> None:
    """End a membership at once, with its tokens in this team. Raises LastAdmin, NotMember."""
    _lock(membership)
    _keep_an_admin(membership)
    team = membership.team
    tokens.revoke_all(team, team.tokens.filter(user_id=membership.user_id), by=by)
    _record("member.removed", membership, by)
    membership.delete()


def find(team: Team, email: str) -> Membership:
    """A current membership by address. Raises NotFound."""
    found = team.memberships.current().filter(user__email=email.strip().lower())
    membership = found.select_related("user").first()
    if membership is None:
        raise NotFound(_("{email} is not a member of this team.").format(email=email))
    return membership


@PreparedQuery
def current_memberships(user_id: UUID, now: datetime) -> "QuerySet[Membership]":
    """A person's, by the name of the team; the rail shows them all."""
    found = Membership.objects.current(now).filter(user=user_id, team__is_system=False)
    return found.select_related("team", "user").order_by("team__name", "pk")


def check_end(ends_at: datetime | None) -> None:
    """Raises EndRefused."""
    if ends_at is not None and ends_at <= timezone.now():
        raise EndRefused


def _person(email: str, name: str, password: str | None) -> User:
    email = checked_address(email)
    known = User.objects.filter(email=email).first()
    return known or User.objects.create_user(email, password, name=name.strip())


def _lock(membership: Membership) -> None:
    """Two admins may act on the same people at once: go by what stands there now."""
    lock(membership.team_id)
    try:
        membership.refresh_from_db()
    except Membership.DoesNotExist:
        raise NotMember(membership.user) from None


def _keep_an_admin(leaving: Membership) -> None:
    """An admin whose time runs out would leave the team without one, so only lasting ones count."""
    if leaving.role != Role.ADMIN or not leaving.is_current:
        return
    others = leaving.team.memberships.filter(
        ~Q(pk=leaving.pk), role=Role.ADMIN, ends_at=None, user__is_active=True
    )
    if not others.exists():
        raise LastAdmin


def _record(action: str, membership: Membership, by: Actor) -> None:
    ends = membership.ends_at
    record(
        membership.team_id,
        Entry(
            action,
            by,
            target_kind="user",
            target_id=membership.user_id,
            details={
                "role": str(membership.role),
                "endsAt": ends.isoformat() if ends else None,
            },
        ),
    )


# What a person changes about their own account.


@transaction.atomic
def change_profile(
    *,
    user: User,
    name: str,
    time_zone: str,
    language: str = "",
    theme: str = "",
    letter_keys_off: bool = False,
) -> bool:
    """Says whether anything changed. Every team of the person is told that, not what."""
    values = {
        "name": name,
        "time_zone": time_zone,
        "language": language,
        "theme": theme,
        "letter_keys_off": letter_keys_off,
    }
    if all(getattr(user, field) == value for field, value in values.items()):
        return False
    for field, value in values.items():
        setattr(user, field, value)
    user.save(update_fields=values)
    record_act(user, "profile.changed")
    return True
