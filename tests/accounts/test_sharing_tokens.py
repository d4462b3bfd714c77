"""Who lets a token write what every prompt gives: an admin, with a reason."""

from typing import Any

import pytest

from memoryweb.accounts import integrations, tokens
from memoryweb.accounts.exceptions import ReasonMissing, Revoked, ScopeRefused
from memoryweb.accounts.models import Token
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
