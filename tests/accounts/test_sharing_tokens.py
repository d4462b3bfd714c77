"""Who lets a token write what every prompt gives: an admin, with a reason."""

from datetime import timedelta
from importlib import import_module
from typing import Any

import pytest
from django.apps import apps
from django.utils import timezone

from memoryweb.accounts import integrations, tokens
from memoryweb.accounts.exceptions import ReasonMissing, Revoked, ScopeRefused
from memoryweb.accounts.models import Membership, Token
from memoryweb.accounts.permissions import Scope
from memoryweb.audit.models import Event
from memoryweb.audit.record import SYSTEM
from tests.world import World, integration_token, personal_token

WHY = "Keeps the opening hours."


def _made(world: World, **fields: Any) -> Token:
    personal_token(world.team, world.bob, act_as_person=False)
    token = Token.objects.filter(user=world.bob).latest("created_at")
    Token.objects.filter(pk=token.pk).update(**fields)
    token.refresh_from_db()
    return token


def test_it_is_granted_with_a_reason_and_taken_back(world: World) -> None:
    token = _made(world, wrote_shared=True)
    integrations.grant_token(token=token, reason=f" {WHY} ", by=SYSTEM)
    assert (Scope.SHARED_WRITE in token.scopes, token.shared_write_reason) == (True, WHY)
    assert not token.wrote_shared
    tokens.let_share(token=token, reason="", by=SYSTEM)
    token.refresh_from_db()
    assert (Scope.SHARED_WRITE in token.scopes, token.shared_write_reason) == (False, "")
    assert Event.objects.filter(action="token.changed").count() == 2


def test_without_a_reason_or_after_its_end_nothing_is_granted(world: World) -> None:
    token = _made(world)
    with pytest.raises(ReasonMissing):
        integrations.grant_token(token=token, reason="  ", by=SYSTEM)
    tokens.revoke(token=token, by=SYSTEM)
    with pytest.raises(Revoked):
        integrations.grant_token(token=token, reason=WHY, by=SYSTEM)


def test_a_program_is_let_with_its_token(world: World) -> None:
    integration_token(world.integration)
    token = world.integration.tokens.get()
    integrations.grant_token(token=token, reason=WHY, by=SYSTEM)
    world.integration.refresh_from_db()
    assert Scope.SHARED_WRITE in world.integration.scopes
    assert world.integration.shared_write_reason == WHY
    assert Scope.SHARED_WRITE in token.scopes


def test_nobody_makes_a_token_with_it(world: World) -> None:
    asked: dict[str, Any] = {"team": world.team, "user": world.alice, "name": "x", "by": SYSTEM}
    with pytest.raises(ScopeRefused):
        tokens.issue(**asked, scopes=["memory:write", Scope.SHARED_WRITE.value])


def test_an_upgrade_lists_the_tokens_that_could_write_before(world: World) -> None:
    writing, later = _made(world), timezone.now() - timedelta(days=1)
    integration_token(world.integration)
    program = world.integration.tokens.get()
    _made(world, revoked_at=later)
    _made(world, expires_at=later)
    _made(world, act_as_person=True)
    _made(world, scopes=["memory:read", "facts:write"])
    _made(world, scopes=["memory:write", "shared:write"])
    _made(world, user=world.vera)  # a viewer writes nothing that is shared
    Membership.objects.filter(user=world.audrey).update(role="auditor")
    upgrade = import_module("memoryweb.accounts.migrations.0012_tokens_that_wrote_shared")
    upgrade.list_tokens(apps, None)
    assert set(tokens.undecided(world.team)) == {writing, program}
    for one in (writing, program):
        tokens.let_share(token=one, reason="", by=SYSTEM)
    assert not tokens.undecided(world.team)
