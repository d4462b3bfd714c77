"""People who sign in with the company's account: who they are here, and what its groups give them.

A membership by group holds for `OIDC_SECONDS` after its person signed in, or after the provider was
asked about them. Then it is over: tokens answer 401 and sessions end until they sign in again.
"""

import json
import time
from collections.abc import Collection, Mapping
from dataclasses import asdict
from datetime import datetime, timedelta
from uuid import UUID

from django.conf import settings
from django.contrib.sessions.backends.base import SessionBase
from django.core.mail import send_mail
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone, translation
from django.utils.translation import gettext as _
from django_q.tasks import async_task

from memoryweb.accounts import oidc, tokens
from memoryweb.accounts.exceptions import AddressRefused
from memoryweb.accounts.members import record_change
from memoryweb.accounts.models import Identity, Membership, Team, User, checked_address
from memoryweb.accounts.permissions import Role
from memoryweb.accounts.signins import record_act
from memoryweb.accounts.teams import system_team
from memoryweb.audit import keys
from memoryweb.audit.record import SYSTEM, Actor, lock

TURN_SECONDS = 60.0  # of one task
ENDS_A_TICK = 200
COMPANY = "_company_until"  # in sessions that the company's account began: when it is asked again
_KEPT, _KEPT_SECONDS = "_company_claims", 900  # as long as allauth waits for a second factor
_AGAIN = timedelta(minutes=5)  # after a check that nobody answered


@transaction.atomic
def person_of(claims: oidc.Claims) -> User:
    """Known by issuer and subject alone, else a new one. Raises SignInRefused."""
    lock(system_team().pk)  # of two first sign-ins one makes the account
    known = _identities(claims.subject).first()
    if known is not None:
        return known.user
    try:
        email = checked_address(claims.email)
    except AddressRefused:
        raise oidc.SignInRefused("unverified") from None
    if User.objects.filter(email=email).exists():
        raise oidc.SignInRefused("taken")
    user = User.objects.create_user(email, name=claims.name, time_zone="")
    connect(user, claims.subject)
    return user


@transaction.atomic
def connect(user: User, subject: str, by: Actor | None = None) -> None:
    """In the place of the account that they were linked with before. Raises SignInRefused."""
    if _identities(subject).exclude(user=user).exists():
        raise oidc.SignInRefused("linked")
    identity = {"issuer": settings.OIDC_ISSUER, "subject": subject, "sealed_key": b""}
    Identity.objects.update_or_create(user=user, defaults=identity | {"check_at": None})
    record_act(user, "signin.linked", by=by)


def keep_claims(session: SessionBase, user: User, claims: oidc.Claims) -> None:
    """For `renew_kept`: a second factor may be asked for before that."""
    said = asdict(claims) | {"groups": sorted(claims.groups), "at": timezone.now().timestamp()}
    session[_KEPT] = keys.seal(json.dumps(said), _kept_for(user)).hex()


def renew_kept(session: SessionBase, user: User) -> dict[str, float]:
    """They are signed in now. What their session keeps of that, if the company's account did it."""
    kept = keys.unseal(bytes.fromhex(session.pop(_KEPT, "")), _kept_for(user))
    said, now = json.loads(kept or "{}"), timezone.now().timestamp()
    if now - said.pop("at", 0) > _KEPT_SECONDS:
        return {}
    renew(user, oidc.Claims(**said))
    return {COMPANY: now + settings.OIDC_SECONDS}


@transaction.atomic
def renew(user: User, claims: oidc.Claims) -> None:
    """The provider knows them now: what their groups give holds from now on."""
    now = timezone.now()
    until = now + timedelta(seconds=settings.OIDC_SECONDS)
    roles = _roles(claims.groups)
    _lock_teams(user, roles)
    identity = Identity.objects.get(user=user, subject=claims.subject)
    identity.valid_until = until
    if claims.refresh:
        identity.sealed_key = keys.seal(claims.refresh, identity.bound_to)
    identity.check_at = now + (until - now) * 3 / 4 if identity.sealed_key else None
    identity.save(update_fields=["valid_until", "sealed_key", "check_at"])
    _follow(user, roles, until)


def tick(now: datetime) -> None:
    """Once a minute: end what is over, and have a worker ask where the provider lets us."""
    if settings.OIDC_ISSUER and _due(now).exists():
        async_task("memoryweb.accounts.company.check_due", save=False)
    over = Identity.objects.filter(valid_until__lte=now).select_related("user")
    for identity in over.order_by("valid_until")[:ENDS_A_TICK]:
        _end(identity)


def check_due() -> None:
    ends = time.monotonic() + TURN_SECONDS
    for identity in _due(timezone.now()).order_by("check_at"):
        if time.monotonic() < ends:  # the next tick goes on
            _check(identity)


def tell_superusers(team_id: UUID) -> None:
    """That a team has no admin, each in their language."""
    team = Team.objects.get(pk=team_id)
    for user in User.objects.filter(is_superuser=True, is_active=True):
        with translation.override(user.language or settings.LANGUAGE_CODE):
            said = _(
                "The last admin of {team} was one by a group of {name}, and that is over. Until one"
                " signs in again nobody looks after the team. To add one by hand: manage.py"
                " add_member --team {slug} --role admin --email …"
            ).format(team=team, name=settings.OIDC_NAME, slug=team.slug)
            send_mail(_("{team} has no admin").format(team=team), said, None, [user.email])


def _kept_for(user: User) -> str:
    return f"claims {user.pk} {settings.OIDC_ISSUER}"


def _due(now: datetime) -> QuerySet[Identity]:
    mine = Identity.objects.filter(issuer=settings.OIDC_ISSUER, user__is_active=True)
    return mine.filter(check_at__lte=now, valid_until__gt=now).select_related("user")


def _identities(subject: str) -> QuerySet[Identity]:
    known = Identity.objects.filter(issuer=settings.OIDC_ISSUER, subject=subject)
    return known.select_related("user")


def _lock_teams(user: User, others: Collection[UUID] = ()) -> None:
    """In one order for everyone, as sign-ins do, and before any other row."""
    for team_id in sorted({*others, *user.memberships.values_list("team_id", flat=True)}):
        lock(team_id)


def _roles(groups: Collection[str]) -> dict[UUID, Role]:
    """By team: of the first of the settings that names both. A team that isn't there gives none."""
    roles: dict[str, Role] = {}
    for group, said in settings.OIDC_GROUPS.items():
        for given in said.split(",") if group in groups else ():
            slug, _colon, role = given.strip().partition(":")
            roles.setdefault(slug, Role(role))
    teams = Team.objects.filter(slug__in=roles, is_system=False)
    return {team.pk: roles[team.slug] for team in teams}


def _follow(user: User, roles: Mapping[UUID, Role], until: datetime) -> None:
    """Make the memberships by group those of `roles`. One that was made by hand stays."""
    given = Membership.objects.filter(user=user, by_group=True).select_related("team")
    for membership in given.exclude(team__in=roles):
        tokens.revoke_all(membership.team, user.tokens.all(), by=SYSTEM)
        Membership.objects.filter(pk=membership.pk).delete()
        _record("member.removed", membership, "group_left", was=membership.role)
    theirs = {membership.team_id: membership for membership in user.memberships.all()}
    for team_id, role in roles.items():
        membership = theirs.get(team_id) or Membership(user=user, team_id=team_id, by_group=True)
        if membership.by_group or not membership.is_current:
            _give(membership, role, until)


def _give(membership: Membership, role: Role, until: datetime) -> None:
    was = membership.role if membership.pk and membership.is_current else None
    membership.role, membership.ends_at, membership.by_group = role, until, True
    membership.save()
    if was != role:
        action = "member.changed" if was else "member.added"
        _record(action, membership, "by_group", was=was)


def _check(identity: Identity) -> None:
    """One worker alone: many providers take a token that is used twice for a stolen one."""
    mine = Identity.objects.filter(pk=identity.pk, check_at=identity.check_at)
    if not mine.update(check_at=timezone.now() + _AGAIN):
        return
    token = keys.unseal(bytes(identity.sealed_key), identity.bound_to)
    try:
        if token is None:
            raise oidc.SignInRefused("code")
        claims = oidc.refresh(token, identity.subject)
    except oidc.SignInRefused as refused:
        if refused.code in {"code", "groups"}:  # it won't help later either
            Identity.objects.filter(pk=identity.pk).update(sealed_key=b"", check_at=None)
    else:
        renew(identity.user, claims)


@transaction.atomic
def _end(identity: Identity) -> None:
    _lock_teams(identity.user)
    mine = Identity.objects.filter(pk=identity.pk, valid_until=identity.valid_until)
    if mine.update(valid_until=None, sealed_key=b"", check_at=None):
        for membership in identity.user.memberships.filter(by_group=True).select_related("team"):
            _record("member.removed", membership, "sign_in_over", was=membership.role)


def _record(action: str, membership: Membership, reason: str, *, was: str | None) -> None:
    record_change(action, membership, SYSTEM, reason)
    admins = membership.team.memberships.current().filter(role=Role.ADMIN, user__is_active=True)
    if was == Role.ADMIN and not admins.exists():
        async_task("memoryweb.accounts.company.tell_superusers", membership.team_id, save=False)
