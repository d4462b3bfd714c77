import hashlib
import secrets
from datetime import datetime, timedelta
from uuid import UUID

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from memoryweb.accounts import exceptions, tokens
from memoryweb.accounts.models import Invitation, Membership, Team, User, checked_address
from memoryweb.accounts.permissions import Role
from memoryweb.accounts.signins import record_act
from memoryweb.accounts.teams import create_team
from memoryweb.audit.record import Actor, Entry, lock, record, target
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
        raise exceptions.AlreadyMember(user)
    membership.role, membership.ends_at, membership.by_group = role, ends_at, False
    membership.save()
    record_change("member.added", membership, by)
    return membership


@transaction.atomic
def found_team(*, name: str, admin: User, by: Actor) -> Team:
    """Raises NameRefused."""
    team = create_team(name=name, by=by)
    add_member(team=team, email=admin.email, role=Role.ADMIN, by=by)
    return team


@transaction.atomic
def change_member(
    *, membership: Membership, role: Role, ends_at: datetime | None, by: Actor
) -> Membership:
    """Raises ByGroup, EndRefused, LastAdmin, NotMember."""
    if ends_at != membership.ends_at:
        check_end(ends_at)
    _lock(membership)
    if membership.by_group:
        raise exceptions.ByGroup(membership.user)
    if (role, ends_at) == (membership.role, membership.ends_at):
        return membership
    if role != Role.ADMIN or ends_at is not None:
        _keep_an_admin(membership)
    membership.role, membership.ends_at = role, ends_at
    membership.save(update_fields=["role", "ends_at"])
    record_change("member.changed", membership, by)
    return membership


@transaction.atomic
def remove_member(*, membership: Membership, by: Actor, keep_an_admin: bool = True) -> None:
    """End a membership at once, with its tokens in this team. Raises LastAdmin, NotMember."""
    _lock(membership)
    if keep_an_admin:
        _keep_an_admin(membership)
    team = membership.team
    tokens.revoke_all(team, team.tokens.filter(user_id=membership.user_id), by=by)
    record_change("member.removed", membership, by)
    membership.delete()


def find(team: Team, email: str) -> Membership:
    """A current membership by address. Raises NotFound."""
    found = team.memberships.current().filter(user__email=email.strip().lower())
    membership = found.select_related("user").first()
    if membership is None:
        raise exceptions.NotFound(_("{email} is not a member of this team.").format(email=email))
    return membership


@PreparedQuery
def current_memberships(user_id: UUID, now: datetime) -> "QuerySet[Membership]":
    """A person's, by the name of the team; the rail shows them all."""
    found = Membership.objects.current(now).filter(user=user_id, team__is_system=False)
    return found.select_related("team", "user").order_by("team__name", "pk")


def check_end(ends_at: datetime | None) -> None:
    """Raises EndRefused."""
    if ends_at is not None and ends_at <= timezone.now():
        raise exceptions.EndRefused


def _person(email: str, name: str, password: str | None) -> User:
    email = checked_address(email)
    known = User.objects.filter(email=email).first()
    return known or User.objects.create_user(email, password, name=name.strip(), time_zone="")


def _lock(membership: Membership) -> None:
    """Two admins may act on the same people at once: go by what stands there now."""
    lock(membership.team_id)
    try:
        membership.refresh_from_db()
    except Membership.DoesNotExist:
        raise exceptions.NotMember(membership.user) from None


def _keep_an_admin(leaving: Membership) -> None:
    """An admin whose time runs out would leave the team without one, so only lasting ones count."""
    if leaving.role != Role.ADMIN or not leaving.is_current:
        return
    others = leaving.team.memberships.filter(
        ~Q(pk=leaving.pk), role=Role.ADMIN, ends_at=None, user__is_active=True
    )
    if not others.exists():
        raise exceptions.LastAdmin


def record_change(action: str, membership: Membership, by: Actor, reason_code: str = "") -> None:
    ends = membership.ends_at
    record(
        membership.team_id,
        Entry(
            action,
            by,
            target_kind="user",
            target_id=membership.user_id,
            reason_code=reason_code,
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


@transaction.atomic
def set_zone(*, user: User, time_zone: str) -> None:
    """Of who has chosen none."""
    if User.objects.filter(pk=user.pk, time_zone="").update(time_zone=time_zone):
        record_act(user, "profile.changed")


# Invitations: a link with which one address may join a team, until it runs out or is withdrawn.

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
        raise exceptions.AlreadyMember(member.user)
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
    _record_invitation("invitation.made", invitation, by)
    return invitation, secret


@transaction.atomic
def withdraw(*, invitation: Invitation, by: Actor) -> None:
    """Raises InvitationGone when it was used or withdrawn already."""
    lock(invitation.team_id)
    if not _take(invitation, revoked_at=timezone.now()):
        raise exceptions.InvitationGone
    _record_invitation("invitation.withdrawn", invitation, by)


@transaction.atomic
def accept(*, invitation: Invitation, user: User) -> Membership:
    """Join the team as the invited person. Raises NotInvited, InvitationGone, EndRefused."""
    if user.email != invitation.email:
        raise exceptions.NotInvited(invitation.email)
    return _join(invitation, user)


@transaction.atomic
def accept_as_new(*, invitation: Invitation, name: str, password: str) -> Membership:
    """Make the invited person's account and join. Raises NotInvited, InvitationGone, EndRefused."""
    lock(invitation.team_id)  # “Join” pressed twice makes one account
    if has_account(invitation):
        raise exceptions.NotInvited(invitation.email)
    user = User.objects.create_user(invitation.email, password, name=name.strip(), time_zone="")
    return _join(invitation, user)


def find_invitation(secret: str) -> Invitation | None:
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
        raise exceptions.InvitationGone
    by = Actor("person", str(user.pk), "")
    membership = add_member(
        team=invitation.team,
        email=user.email,
        role=Role(invitation.role),
        by=by,
        ends_at=invitation.ends_at,
    )
    _record_invitation("invitation.accepted", invitation, by)
    return membership


def _take(invitation: Invitation, **fields: datetime) -> bool:
    """Whoever changes the row first has it: two tabs cannot use one link twice."""
    still_open = Invitation.objects.filter(
        pk=invitation.pk, accepted_at=None, revoked_at=None, expires_at__gt=timezone.now()
    )
    return still_open.update(**fields) == 1


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()


def _record_invitation(action: str, invitation: Invitation, by: Actor) -> None:
    record(
        invitation.team_id,
        Entry(action, by, **target(invitation), details={"role": str(invitation.role)}),
    )
