"""Codes and links that an integration gets for its own end users."""

from typing import Any
from urllib.parse import urlsplit

import pytest
from django.urls import resolve

from memoryweb.agents.models import OneTimeCode, Owner
from memoryweb.agents.one_time_codes import redeem_link, redeem_visit
from memoryweb.api.models import Idempotency
from memoryweb.audit.models import Event
from memoryweb.audit.record import SYSTEM
from tests.api.callers import Callers, narrow
from tests.world import World

CODE, LINK = "/owners/link-code", "/owners/memory-link"
END_USER = {"endUserId": "customer-1"}


def secret_of(link: dict[str, Any]) -> str:
    parts = urlsplit(str(link["url"]))
    assert resolve(parts.path).kwargs == {}
    assert parts.query == ""
    return parts.fragment


def test_a_code_links_the_end_user(world: World, callers: Callers) -> None:
    answer = callers.helpdesk.post(CODE, END_USER).json()
    redeem_link(team=world.team, user=world.bob, code=answer["code"], by=SYSTEM)
    world.customer.refresh_from_db()
    assert world.customer.person == world.bob


def test_a_link_opens_the_end_users_memory(world: World, callers: Callers) -> None:
    answer = callers.helpdesk.post(LINK, {"channel": "slack", "senderId": "U1"}).json()
    assert answer["url"].startswith("http://testserver/")
    assert redeem_visit(secret_of(answer)).owner == world.sender


def test_the_answer_says_when_it_ends(callers: Callers) -> None:
    for path in (CODE, LINK):
        assert callers.helpdesk.post(path, END_USER).json()["expiresAt"].endswith("Z")


def test_an_end_user_never_seen_gets_a_code(world: World, callers: Callers) -> None:
    assert callers.helpdesk.post(CODE, {"endUserId": "new"}).status_code == 200
    assert Owner.objects.filter(team=world.team, external_id="new").exists()


@pytest.mark.parametrize("path", [CODE, LINK])
@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({}, 400, "owner_required"),
        ({"owner": "shared"}, 400, "invalid"),
        ({"endUserId": 7}, 400, "invalid"),
        ({"channel": "slack", "group": True, "roomId": "C1"}, 400, "invalid"),
        ({"owner": "slack:room:C1"}, 400, "invalid"),
        ({"channel": "feishu", "senderId": "U1"}, 403, "channel_forbidden"),
        ({"owner": "me"}, 403, "owner_forbidden"),
        ({"owner": "api:intranet/1"}, 403, "owner_forbidden"),
    ],
)
def test_only_a_person_within_reach_gets_one(
    world: World, callers: Callers, path: str, body: dict[str, Any], status: int, code: str
) -> None:
    world.team.integrations.create(name="intranet", scopes=["memory:write"])
    answer = callers.helpdesk.post(path, body)
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert not OneTimeCode.objects.exists()


@pytest.mark.parametrize("path", [CODE, LINK])
@pytest.mark.parametrize("role", ["admin", "member", "viewer", "auditor"])
def test_no_person_gets_one_for_another(callers: Callers, path: str, role: str) -> None:
    for body in ({}, END_USER, {"owner": "me"}):
        assert callers[role].post(path, body).status_code == 403
    assert not OneTimeCode.objects.exists()


def test_it_takes_the_scope_to_write(world: World) -> None:
    _token, api = narrow(world.team, ["memory:read"], integration=world.integration)
    answer = api.post(CODE, END_USER)
    assert (answer.status_code, answer.json()["code"]) == (403, "scope_missing")


def test_too_many_are_told_to_wait(callers: Callers) -> None:
    answers = [callers.helpdesk.post(LINK, END_USER) for _turn in range(6)]
    assert [answer.status_code for answer in answers] == [200] * 5 + [429]
    assert answers[-1].json()["code"] == "too_many_codes"
    assert answers[-1].headers["Retry-After"] == "900"


def test_a_secret_is_in_no_event_and_no_kept_answer(callers: Callers) -> None:
    code = callers.helpdesk.post(CODE, END_USER, idempotency_key="k").json()["code"]
    link = secret_of(callers.helpdesk.post(LINK, END_USER, idempotency_key="l").json())
    kept = str(list(Idempotency.objects.values())) + str(list(OneTimeCode.objects.values()))
    told = b"".join(bytes(event.canonical) for event in Event.objects.all()).decode()
    for secret in (code, link):
        assert secret not in kept
        assert secret not in told


def test_the_same_key_again_makes_a_new_code(callers: Callers) -> None:
    first, second = (
        callers.helpdesk.post(CODE, END_USER, idempotency_key="k").json() for _turn in range(2)
    )
    assert first["code"] != second["code"]
