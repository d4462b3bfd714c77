"""Programs that talk for people: what each may reach, whoever made it and whatever its tokens."""

import re
from collections.abc import Collection, Sequence

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _
from django_scopes import scope

from memoryweb.accounts import exceptions, tokens
from memoryweb.accounts.models import Integration, Team, Token, checked_name
from memoryweb.accounts.permissions import GRANTED, Scope
from memoryweb.audit.record import Actor, Entry, lock, record, target

CHANNEL = re.compile(r"[a-z][a-z0-9_-]{0,31}", re.ASCII)
# Sources and words that mean something else where an owner is named.
RESERVED = frozenset({"user", "api", "system", "shared", "me"})
_REASONS = {
    Scope.PERSONAL_READ: "personal_read_reason",
    Scope.SHARED_WRITE: "shared_write_reason",
}
# An integration talks for end users; the team's audit log is given to it only on purpose.
DEFAULT_SCOPES: tuple[str, ...] = tuple(s for s in tokens.PERSONAL_SCOPES if s != "audit:read")


@transaction.atomic
def create_integration(
    *,
    team: Team,
    name: str,
    by: Actor,
    channels: Sequence[str] = (),
    agents: Sequence[str] = (),
    scopes: Collection[str] = DEFAULT_SCOPES,
) -> Integration:
    """`channels` empty: none; `agents` (ids) empty: all.

    Raises NameRefused, NameTaken, ChannelRefused, AgentRefused, ScopeMissing, ScopeRefused.
    """
    lock(team.pk)
    with scope(team=team):
        integration = Integration.objects.create(
            team=team,
            name=_free_name(team, name),
            channels=_checked_channels(channels),
            agents=_checked_agents(team, agents),
            scopes=_checked_scopes(scopes),
            created_by_id=by.id if by.kind == "person" else None,
        )
    _record("integration.created", integration, by)
    return integration


@transaction.atomic
def change_integration(
    *,
    integration: Integration,
    by: Actor,
    name: str,
    channels: Sequence[str],
    agents: Sequence[str],
    scopes: Collection[str],
) -> Integration:
    """Raises as `create_integration` does, and Revoked. What was granted stays as it is."""
    team = integration.team
    lock(team.pk)
    _check_live(integration)
    kept = set(GRANTED) & set(integration.scopes)
    with scope(team=team):
        if name != integration.name:
            integration.name = _free_name(team, name)
        integration.channels = _checked_channels(channels)
        integration.agents = _checked_agents(team, agents)
        integration.scopes = sorted({*_checked_scopes(scopes), *kept})
    integration.save(update_fields=["name", "channels", "agents", "scopes"])
    _record("integration.changed", integration, by)
    return integration


@transaction.atomic
def grant(*, integration: Integration, scope: Scope, reason: str, by: Actor) -> Integration:
    """Let a program read across owners, or write shared files of the prompt. The reason is shown.

    Raises ReasonMissing, Revoked.
    """
    lock(integration.team_id)
    _check_live(integration)
    if not (reason := reason.strip()[:300]):
        raise exceptions.ReasonMissing
    return _set_grant(integration, scope, reason, {*integration.scopes, scope.value}, by)


@transaction.atomic
def grant_token(*, token: Token, reason: str, by: Actor) -> None:
    """Let one token write shared files of the prompt, and the program that it is of. The reason is
    shown.

    Raises ReasonMissing, Revoked.
    """
    if not reason.strip():
        raise exceptions.ReasonMissing
    if token.integration is not None and Scope.SHARED_WRITE not in token.integration.scopes:
        grant(integration=token.integration, scope=Scope.SHARED_WRITE, reason=reason, by=by)
    tokens.let_share(token=token, reason=reason, by=by)


@transaction.atomic
def withdraw(*, integration: Integration, scope: Scope, by: Actor) -> Integration:
    """Nothing happens where it was not granted."""
    lock(integration.team_id)
    integration.refresh_from_db()
    if scope not in integration.scopes:
        return integration
    return _set_grant(integration, scope, "", {*integration.scopes} - {scope.value}, by)


@transaction.atomic
def revoke_integration(*, integration: Integration, by: Actor) -> None:
    """End a program's access for good, with all its tokens. Raises Revoked."""
    lock(integration.team_id)
    _check_live(integration)
    integration.revoked_at = timezone.now()
    integration.save(update_fields=["revoked_at"])
    tokens.revoke_all(integration.team, integration.tokens.all(), by=by)
    _record("integration.revoked", integration, by)


def find(team: Team, text: str) -> Integration:
    """By name or id. Raises NotFound."""
    found = next((i for i in team.integrations.all() if text in {i.name, str(i.pk)}), None)
    if found is None:
        raise exceptions.NotFound(_("This team has no integration “{name}”.").format(name=text))
    return found


def _set_grant(
    integration: Integration, scope: Scope, reason: str, scopes: Collection[str], by: Actor
) -> Integration:
    column = _REASONS[scope]
    setattr(integration, column, reason)
    integration.scopes = sorted(scopes)
    integration.save(update_fields=[column, "scopes"])
    _record("integration.changed", integration, by, **({"reason": reason} if reason else {}))
    return integration


def _check_live(integration: Integration) -> None:
    integration.refresh_from_db()
    if integration.revoked_at is not None:
        raise exceptions.Revoked


def _free_name(team: Team, name: str) -> str:
    """Owners are shown as `api:<name>/<id>`, so neither of these signs may stand in a name."""
    name = checked_name(name, longest=64, without="/:")
    if team.integrations.filter(name=name).exists():
        raise exceptions.NameTaken(name)
    return name


def _checked_channels(names: Sequence[str]) -> list[str]:
    for name in names:
        if not CHANNEL.fullmatch(name) or name in RESERVED:
            raise exceptions.ChannelRefused(name)
    return sorted(set(names))


def _checked_agents(team: Team, ids: Sequence[str]) -> list[str]:
    known = {str(pk) for pk in team.agents.values_list("pk", flat=True)} if ids else set()
    for agent_id in ids:
        if str(agent_id) not in known:
            raise exceptions.AgentRefused(str(agent_id))
    return sorted({str(agent_id) for agent_id in ids})


def _checked_scopes(scopes: Collection[str]) -> list[str]:
    tokens.check_scopes(scopes, tokens.PERSONAL_SCOPES)
    return sorted(set(scopes))


def _record(action: str, integration: Integration, by: Actor, **labels: str) -> None:
    record(
        integration.team_id,
        Entry(
            action,
            by,
            **target(integration),
            labels={"name": integration.name, **labels},
            details={
                "channels": len(integration.channels),
                "agents": len(integration.agents),
                "scopes": integration.scopes,
            },
        ),
    )
