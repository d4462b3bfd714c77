"""Invitations: a link with which one address may join a team, until it runs out or is withdrawn."""

import hashlib
import secrets
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from memoryweb.accounts.exceptions import (
    AlreadyMember,
    InvitationGone,
    NotInvited,
)
from memoryweb.accounts.members import add_member, check_end
from memoryweb.accounts.models import Invitation, Membership, Team, User, checked_address
from memoryweb.accounts.permissions import Role
from memoryweb.audit.record import Actor, Entry, lock, record, target

VALID = timedelta(days=7)


@transaction.atomic
def invite(
    *,
    team: Team,
    email: str,
    role: Role,
    by: Actor,
    invited_by: User | None = None,
    ends_at: datetime | None = None,
) -> tuple[Invitation, str]:
    """The invitation and the secret of its link, shown this once. Replaces an older one.

    Raises AddressRefused, AlreadyMember, EndRefused.
    """
    email = checked_address(email)
    now = timezone.now()
    check_end(ends_at)
    lock(team.pk)
    member = team.memberships.current().filter(user__email=email).select_related("user").first()
    if member is not None:
        raise AlreadyMember(member.user)
    open_of(team).filter(email=email).update(revoked_at=now)
    secret = secrets.token_urlsafe(24)
    invitation = Invitation.objects.create(
        team=team,
        email=email,
        role=role,
        ends_at=ends_at,
        sha256=_hash(secret),
        invited_by=invited_by,
        created_at=now,
        expires_at=now + VALID,
    )
    _record("invitation.made", invitation, by)
    return invitation, secret


@transaction.atomic
def withdraw(*, invitation: Invitation, by: Actor) -> None:
    """Raises InvitationGone when it was used or withdrawn already."""
    lock(invitation.team_id)
    if not _take(invitation, revoked_at=timezone.now()):
        raise InvitationGone
    _record("invitation.withdrawn", invitation, by)


@transaction.atomic
def accept(*, invitation: Invitation, user: User) -> Membership:
    """Join the team as the invited person. Raises NotInvited, InvitationGone, EndRefused."""
    if user.email != invitation.email:
        raise NotInvited(invitation.email)
    return _join(invitation, user)


@transaction.atomic
def accept_as_new(*, invitation: Invitation, name: str, password: str) -> Membership:
    """Make the invited person's account and join. Raises NotInvited, InvitationGone, EndRefused."""
    lock(invitation.team_id)  # “Join” pressed twice makes one account
    if has_account(invitation):
        raise NotInvited(invitation.email)
    user = User.objects.create_user(invitation.email, password, name=name.strip())
    return _join(invitation, user)


def find(secret: str) -> Invitation | None:
    """The open invitation of a link's secret; None for used, withdrawn, run out and unknown."""
    return _open().filter(sha256=_hash(secret)).first()


def find_open(invitation_id: str | None) -> Invitation | None:
    """One found before, while it is still open."""
    return _open().filter(pk=invitation_id).first() if invitation_id else None


def open_of(team: Team) -> "QuerySet[Invitation]":
    return _open().filter(team=team)


def has_account(invitation: Invitation) -> bool:
    return User.objects.filter(email=invitation.email).exists()


def _open() -> "QuerySet[Invitation]":
    found = Invitation.objects.filter(accepted_at=None, revoked_at=None)
    return found.filter(expires_at__gt=timezone.now()).select_related("team", "invited_by")


def _join(invitation: Invitation, user: User) -> Membership:
    lock(invitation.team_id)
    if not _take(invitation, accepted_at=timezone.now()):
        raise InvitationGone
    by = Actor("person", str(user.pk), "")
    membership = add_member(
        team=invitation.team,
        email=user.email,
        role=Role(invitation.role),
        by=by,
        ends_at=invitation.ends_at,
    )
    _record("invitation.accepted", invitation, by)
    return membership


def _take(invitation: Invitation, **fields: datetime) -> bool:
    """Whoever changes the row first has it: two tabs cannot use one link twice."""
    still_open = Invitation.objects.filter(
        pk=invitation.pk, accepted_at=None, revoked_at=None, expires_at__gt=timezone.now()
    )
    return still_open.update(**fields) == 1


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()


def _record(action: str, invitation: Invitation, by: Actor) -> None:
    record(
        invitation.team_id,
        Entry(action, by, **target(invitation), details={"role": str(invitation.role)}),
    )
