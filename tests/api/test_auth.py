from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from memoryweb.accounts import tokens
from memoryweb.accounts.integrations import revoke_integration
from memoryweb.accounts.models import Token
from memoryweb.audit.models import Event
from memoryweb.audit.record import SYSTEM
from memoryweb.language.secrets import own_token
from tests.api.callers import Callers, narrow
from tests.api.client import BASE, Api
from tests.statements import statements
from tests.world import PASSWORD, World, personal_token, signed_in


def refusal(api: Api) -> tuple[int, bytes, str]:
    answer = api.get("/agents")
    return answer.status_code, answer.content, answer.headers["WWW-Authenticate"]


@pytest.fixture
def refused(callers: Callers) -> tuple[int, bytes, str]:
    return refusal(callers.anonymous)


def test_a_call_without_a_token_is_a_problem(refused: tuple[int, bytes, str]) -> None:
    status, body, challenge = refused
    assert status == 401
    assert b'"code": "unauthorized"' in body
    assert challenge.startswith("Bearer")


def test_an_unknown_token_gets_the_same_answer(refused: tuple[int, bytes, str]) -> None:
    assert refusal(Api(own_token.generate())) == refused


def test_a_malformed_token_gets_the_same_answer(refused: tuple[int, bytes, str]) -> None:
    assert refusal(Api("mwp_short")) == refused


def test_a_revoked_token_gets_the_same_answer(
    world: World, refused: tuple[int, bytes, str]
) -> None:
    token, api = narrow(world.team, ["memory:read"], user=world.bob)
    tokens.revoke(token=token, by=SYSTEM)
    assert refusal(api) == refused


def test_an_expired_token_gets_the_same_answer(
    world: World, refused: tuple[int, bytes, str]
) -> None:
    token, api = narrow(world.team, ["memory:read"], user=world.bob)
    Token.objects.filter(pk=token.pk).update(expires_at=timezone.now() - timedelta(seconds=1))
    assert refusal(api) == refused


def test_an_ended_membership_gets_the_same_answer(
    world: World, refused: tuple[int, bytes, str]
) -> None:
    api = Api(personal_token(world.team, world.vera))
    world.vera.memberships.update(ends_at=timezone.now() - timedelta(seconds=1))
    assert refusal(api) == refused


def test_a_switched_off_account_gets_the_same_answer(
    world: World, refused: tuple[int, bytes, str]
) -> None:
    api = Api(personal_token(world.team, world.vera))
    world.vera.is_active = False
    world.vera.save()
    assert refusal(api) == refused


def test_a_revoked_integration_gets_the_same_answer(
    world: World, callers: Callers, refused: tuple[int, bytes, str]
) -> None:
    revoke_integration(integration=world.integration, by=SYSTEM)
    assert refusal(callers.helpdesk) == refused


def test_a_wrong_checksum_is_refused_without_a_query(
    callers: Callers, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    secret = callers.member.token
    wrong = secret[:-1] + ("a" if secret[-1] != "a" else "b")
    with django_assert_num_queries(0):
        assert Api(wrong).get("/agents").status_code == 401


def test_a_session_cookie_is_no_token(world: World) -> None:
    browser = Client()
    assert browser.login(email=world.alice.email, password=PASSWORD)
    assert browser.get(f"{BASE}/agents").status_code == 401


def test_a_token_in_the_address_is_no_token(callers: Callers) -> None:
    secret = callers.admin.token
    assert callers.anonymous.get(f"/agents?access_token={secret}").status_code == 401


def test_a_personal_token_follows_the_current_role(world: World, callers: Callers) -> None:
    body = {"content": "# Knowledge\n"}
    file = f"/agents/{world.agent.pk}/workspace/files/KNOWLEDGE.md"
    assert callers.member.put(file, body).status_code == 201
    world.bob.memberships.update(role="viewer")
    assert callers.member.put(file, body).status_code == 403


def test_a_personal_token_has_no_more_than_its_scopes(world: World) -> None:
    _token, api = narrow(world.team, ["memory:read"], user=world.alice)
    refused = api.post("/agents", {"name": "Another"})
    assert (refused.status_code, refused.json()["code"]) == (403, "scope_missing")


def test_an_integrations_scopes_narrow_its_tokens(world: World, callers: Callers) -> None:
    world.integration.scopes = ["memory:write"]
    world.integration.save()
    assert callers.helpdesk.get("/agents").status_code == 403


def test_an_integration_sees_and_uses_its_agents_only(world: World, callers: Callers) -> None:
    world.integration.agents = [str(world.agent.pk)]
    world.integration.save()
    listed = callers.helpdesk.get("/agents").json()["items"]
    assert [agent["id"] for agent in listed] == [str(world.agent.pk)]
    assert callers.helpdesk.get(f"/agents/{world.other_agent.pk}").status_code == 403


def test_a_refused_call_leaves_an_event(world: World, callers: Callers) -> None:
    callers.viewer.post("/agents", {"name": "Another"})
    event = Event.objects.filter(team_id=world.team.pk, action="access.denied").get()
    assert (event.actor_id, event.reason_code) == (str(world.vera.pk), "may_not_manage_agents")


def test_the_first_use_of_an_hour_is_one_event(world: World, callers: Callers) -> None:
    Token.objects.update(last_used_at=None)
    for _turn in range(3):
        callers.member.get("/agents")
    assert Event.objects.filter(team_id=world.team.pk, action="token.used").count() == 1


def test_a_call_loads_no_session(world: World) -> None:
    """Not even of a browser, which sends its cookie along."""
    browser, token = signed_in(world.bob), personal_token(world.team, world.bob)
    with CaptureQueriesContext(connection) as queries:
        answer = browser.get(f"{BASE}/agents", headers={"Authorization": f"Bearer {token}"})
    assert answer.status_code == 200
    assert [sql for sql in statements(queries) if "django_session" in sql] == []
