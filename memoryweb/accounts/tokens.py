"""Bearer tokens: only the SHA-256 is kept; `language.secrets.own_token` is their shape."""

import hashlib
from collections.abc import Collection
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from memoryweb.accounts import exceptions
from memoryweb.accounts.models import Integration, Team, Token, User, checked_name
from memoryweb.accounts.permissions import GRANTED, Scope
from memoryweb.audit.record import Actor, Entry, lock, record, record_all, target
from memoryweb.core.prepared_queries import PreparedQuery
from memoryweb.language.secrets import own_token

DEFAULT_DAYS = 90
LONGEST_DAYS = 365
# A person reads across owners by break-glass only, and writes what is shared by their role.
PERSONAL_SCOPES: tuple[str, ...] = tuple(s.value for s in Scope if s not in GRANTED)

_LAST_USED_STEP = timedelta(minutes=1)


@transaction.atomic
def issue(
    *,
    team: Team,
    by: Actor,
    name: str,
    scopes: Collection[str],
    user: User | None = None,
    integration: Integration | None = None,
    days: int = DEFAULT_DAYS,
    act_as_person: bool = False,
    **app: Any,
) -> tuple[Token, str]:
    """A new token and its secret, which nobody can show again. A person's token writes as an
    agent unless it is made to `act_as_person`. `app`: the `client` and `agent_id` of an app's.

    Raises NameRefused, ScopeMissing, ScopeRefused, ExpiryRefused, NotMember, Revoked, NoPerson.
    """
    if act_as_person and user is None:
        raise exceptions.NoPerson
    lock(team.pk)
    name = checked_name(name, longest=64)
    check_scopes(scopes, _allowed(team, user, integration))
    if not 1 <= days <= LONGEST_DAYS:
        raise exceptions.ExpiryRefused(LONGEST_DAYS)
    secret = own_token.generate()
    token = Token.objects.create(
        team=team,
        user=user,
        integration=integration,
        name=name,
        **_kept(secret),
        scopes=sorted(scopes),
        act_as_person=act_as_person,
        **app,
        expires_at=timezone.now() + timedelta(days=days),
        created_by_id=by.id if by.kind == "person" else None,
    )
    details = {"days": days, "scopes": token.scopes, "acts_as_person": act_as_person}
    record(team.pk, _entry("token.issued", token, by, details))
    return token, secret


def recognise(secret: str, *, of_app: bool = False) -> Token | None:
    """The live token of this secret, with its team and integration; an app's only where one may
    call. No query on a bad checksum."""
    if not own_token.is_well_formed(secret):
        return None
    token = next(iter(_of_hash(_sha256(secret))), None)
    if token and token.client_id and not (of_app and token.is_fresh):
        return None
    return token if token and token.is_live else None


@transaction.atomic
def renew(token: Token, *, by: Actor, secret_until: datetime, expires_at: datetime) -> str:
    """A new secret in place of the old one. The caller holds the team's lock."""
    secret = own_token.generate()
    values = {**_kept(secret), "secret_until": secret_until, "expires_at": expires_at}
    Token.objects.filter(pk=token.pk).update(**values)
    record(token.team_id, _entry("token.renewed", token, by))
    return secret


@PreparedQuery
def _of_hash(sha256: str) -> QuerySet[Token]:
    return Token.objects.select_related("team", "integration").filter(sha256=sha256)


def mark_used(token: Token, by: Actor) -> None:
    """Remember the use, to the minute; the first one in an hour is an event."""
    now, before = timezone.now(), token.last_used_at
    if before is None or _hour(before) != _hour(now):
        _mark_first_use(token, by, now)
    elif now - before > _LAST_USED_STEP:
        Token.objects.filter(pk=token.pk).update(last_used_at=now)


@transaction.atomic
def let_share(*, token: Token, reason: str, by: Actor) -> None:
    """Let a token write what every prompt gives, for a reason that is shown; without a reason it
    may no longer. Raises Revoked, ScopeRefused."""
    lock(token.team_id)
    token.refresh_from_db()
    if token.revoked_at is not None:
        raise exceptions.Revoked
    if token.client_id is not None:
        raise exceptions.ScopeRefused(Scope.SHARED_WRITE)
    token.shared_write_reason = reason = reason.strip()[:300]
    granted = {Scope.SHARED_WRITE.value}
    token.scopes = sorted({*token.scopes} | granted if reason else {*token.scopes} - granted)
    token.wrote_shared = False
    token.save(update_fields=["shared_write_reason", "scopes", "wrote_shared"])
    changed = _entry("token.changed", token, by, {"scopes": token.scopes})
    record(token.team_id, replace(changed, labels={**changed.labels, "reason": reason}))


def undecided(team: Team) -> QuerySet[Token]:
    """Live tokens that wrote what every prompt gives before that took a grant."""
    live = team.tokens.filter(revoked_at=None, expires_at__gt=timezone.now())
    return live.filter(wrote_shared=True).select_related("user", "integration").order_by("name")


@transaction.atomic
def revoke(*, token: Token, by: Actor, reason_code: str = "") -> None:
    """Raises Revoked."""
    one = Token.objects.filter(pk=token.pk)
    if not revoke_all(token.team, one, by=by, reason_code=reason_code):
        raise exceptions.Revoked
    token.refresh_from_db(fields=["revoked_at"])


@transaction.atomic
def revoke_all(team: Team, tokens: QuerySet[Token], *, by: Actor, reason_code: str = "") -> int:
    """Revoke those of a team's tokens that are not revoked yet, and say how many."""
    lock(team.pk)
    live = list(tokens.filter(team=team, revoked_at=None))
    tokens.filter(pk__in=[token.pk for token in live]).update(revoked_at=timezone.now())
    entries = [_entry("token.revoked", token, by) for token in live]
    record_all(team.pk, [replace(one, reason_code=reason_code) for one in entries])
    return len(live)


def find(team: Team, text: str) -> Token:
    """By id, secret, shown form (`mwp_AbCd…wxyz`) or name. Raises NotFound, Ambiguous."""
    tokens = [token for token in team.tokens.order_by("created_at") if _is_called(token, text)]
    live = [token for token in tokens if token.is_live] or tokens
    if len(live) > 1:
        raise exceptions.Ambiguous(
            _("Several tokens have this name. Use one of these ids: {ids}.").format(
                ids=", ".join(str(token.pk) for token in live[:10])
            )
        )
    if not live:
        raise exceptions.NotFound(_("This team has no such token."))
    return live[0]


def check_scopes(scopes: Collection[str], allowed: Collection[str]) -> None:
    """Raises ScopeMissing, ScopeRefused."""
    if not scopes:
        raise exceptions.ScopeMissing
    if refused := sorted(set(scopes) - set(allowed)):
        raise exceptions.ScopeRefused(", ".join(refused))


def _mark_first_use(token: Token, by: Actor, now: datetime) -> None:
    with transaction.atomic():
        lock(token.team_id)
        # Of two first requests of an hour, one finds the row changed and writes no event.
        unchanged = Token.objects.filter(pk=token.pk, last_used_at=token.last_used_at)
        if unchanged.update(last_used_at=now):
            record(token.team_id, _entry("token.used", token, by))


def _sha256(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


def _kept(secret: str) -> dict[str, Any]:
    return {"sha256": _sha256(secret), "prefix": secret[:8], "last4": secret[-4:]}


def _allowed(team: Team, user: User | None, integration: Integration | None) -> Collection[str]:
    if integration is not None:
        if integration.team_id != team.pk:
            raise exceptions.NotMember(integration)
        if integration.revoked_at is not None:
            raise exceptions.Revoked
        return list(integration.scopes)
    if not team.memberships.current().filter(user=user).exists():
        raise exceptions.NotMember(user)
    return PERSONAL_SCOPES


def _hour(moment: datetime) -> datetime:
    return moment.replace(minute=0, second=0, microsecond=0)


def _is_called(token: Token, text: str) -> bool:
    return text in {str(token), token.name, str(token.pk)} or token.sha256 == _sha256(text)


def _entry(action: str, token: Token, by: Actor, details: dict[str, object] | None = None) -> Entry:
    holder = token.integration_id or token.user_id
    of_app = {"client": token.client_id} if token.client_id else {}
    return Entry(
        action,
        by,
        **target(token),
        labels={"name": token.name} if action != "token.used" else {},
        details={"holder": str(holder), **of_app, **(details or {})},
    )
