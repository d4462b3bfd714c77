"""The page of tokens: who may write what every prompt gives, and who could before an upgrade."""

from django.test import Client

from memoryweb.accounts.models import Token
from memoryweb.accounts.permissions import Scope
from tests.web.pages import text, url
from tests.world import World, personal_token

REASON = "Keeps the opening hours."


def _token(world: World, **fields: object) -> Token:
    personal_token(world.team, world.bob, act_as_person=False)
    token = Token.objects.get(user=world.bob)
    Token.objects.filter(pk=token.pk).update(**fields)
    return token


def _scopes(token: Token) -> list[str]:
    token.refresh_from_db()
    scopes: list[str] = token.scopes
    return scopes


def test_writing_shared_files_is_granted_with_a_reason_that_is_shown(
    world: World, alice: Client, bob: Client
) -> None:
    token = _token(world)
    grant = url(world.team, "settings_token_grant", token.pk)
    assert alice.post(grant, {"reason": "so"}).status_code == 422
    assert bob.post(grant, {"reason": REASON}).status_code == 403
    alice.post(grant, {"reason": REASON})
    assert Scope.SHARED_WRITE in _scopes(token)
    for page in (url(world.team, "settings_token", token.pk), url(world.team, "settings_tokens")):
        assert REASON in text(alice.get(page))
    alice.post(url(world.team, "settings_token_withdraw", token.pk))
    assert Scope.SHARED_WRITE not in _scopes(token)


def test_after_an_upgrade_an_admin_decides_with_one_button_each(
    world: World, alice: Client, bob: Client
) -> None:
    token, page = _token(world, wrote_shared=True), url(world.team, "settings_tokens")
    shown = text(alice.get(page))
    assert 'id="undecided"' in shown
    assert 'id="undecided"' not in text(bob.get(page))
    reason = "It wrote shared prompt files before the upgrade."
    assert f'value="{reason}"' in shown
    alice.post(url(world.team, "settings_token_grant", token.pk), {"reason": reason})
    assert Scope.SHARED_WRITE in _scopes(token)
    assert 'id="undecided"' not in text(alice.get(page))


def test_a_token_that_writes_as_its_person_needs_no_grant(world: World, alice: Client) -> None:
    token = _token(world, act_as_person=True)
    assert 'id="sharing"' not in text(alice.get(url(world.team, "settings_token", token.pk)))
    grant = url(world.team, "settings_token_grant", token.pk)
    assert alice.post(grant, {"reason": REASON}).status_code == 404
