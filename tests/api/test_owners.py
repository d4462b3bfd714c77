"""Whom a call is about: a truth table over token, body and query."""

import uuid
from typing import Any

import pytest

from memoryweb.accounts.integrations import create_integration, grant
from memoryweb.accounts.permissions import Scope
from memoryweb.agents.models import Owner
from memoryweb.audit.models import Event
from memoryweb.audit.record import SYSTEM
from tests.api.callers import Callers, narrow
from tests.api.client import Api
from tests.language.test_credentials import draw
from tests.language.test_secret_assignments import drawn
from tests.world import World, integration_token

SAY = [{"role": "user", "content": "Good morning."}]
SLACK = {"channel": "slack", "senderId": "U1"}


@pytest.mark.parametrize(
    ("caller", "named", "answer"),
    [
        ("helpdesk", {}, "400 owner_required"),
        ("helpdesk", {"endUserId": "42"}, "api:helpdesk/42"),
        ("helpdesk", {"endUserId": 42}, "400 invalid"),
        ("helpdesk", {"endUserId": ""}, "400 invalid"),
        ("helpdesk", {"endUserId": "a\u0007"}, "400 invalid"),
        ("helpdesk", {"endUserId": "x" * 256}, "400 invalid"),
        ("helpdesk", {"endUserId": "e\u0301"}, "api:helpdesk/\u00e9"),
        ("helpdesk", SLACK, "slack:U1"),
        ("helpdesk", {"channel": "slack"}, "400 invalid"),
        ("helpdesk", {"senderId": "U1"}, "400 invalid"),
        ("helpdesk", {**SLACK, "senderId": 7}, "400 invalid"),
        ("helpdesk", {**SLACK, "channel": "feishu"}, "403 channel_forbidden"),
        ("helpdesk", {**SLACK, "group": True}, "slack:room:c-1"),
        ("helpdesk", {**SLACK, "group": True, "roomId": "C9"}, "slack:room:C9"),
        ("helpdesk", {"endUserId": "42", **SLACK}, "400 invalid"),
        ("helpdesk", {"endUserId": "42", "owner": "shared"}, "400 invalid"),
        ("helpdesk", {"owner": "shared"}, "system"),
        ("helpdesk", {"owner": "me"}, "403 owner_forbidden"),
        ("helpdesk", {"owner": "api:helpdesk/42"}, "api:helpdesk/42"),
        ("helpdesk", {"owner": "api:42"}, "api:helpdesk/42"),
        ("helpdesk", {"owner": "api:intranet/42"}, "403 owner_forbidden"),
        ("helpdesk", {"owner": "user:1"}, "403 owner_forbidden"),
        ("member", {}, "user:BOB"),
        ("member", {"owner": "me"}, "user:BOB"),
        ("member", {"owner": "shared"}, "system"),
        ("member", {"owner": "api:helpdesk/customer-1"}, "403 owner_forbidden"),
        ("member", {"endUserId": "42"}, "403 owner_forbidden"),
        ("member", SLACK, "403 owner_forbidden"),
        ("member", {"group": True}, "400 invalid"),
        ("viewer", {}, "user:VERA"),
        ("viewer", {"owner": "shared"}, "403 may_not_write"),
    ],
)
def test_the_owner_of_a_conversation(
    world: World, callers: Callers, caller: str, named: dict[str, Any], answer: str
) -> None:
    create_integration(team=world.team, name="intranet", by=SYSTEM)
    sent = callers[caller].post(
        f"/agents/{world.agent.pk}/conversations/c-1/messages", {**named, "messages": SAY}
    )
    people = {"user:BOB": f"user:{world.bob.pk}", "user:VERA": f"user:{world.vera.pk}"}
    assert told(world, sent.status_code, sent.json()) == people.get(answer, answer)


def told(world: World, status: int, body: dict[str, Any]) -> str:
    if status != 200:
        return f"{status} {body['code']}"
    return world.agent.conversations.get().owner.shown_as


@pytest.mark.parametrize(
    ("caller", "owner", "status"),
    [
        ("helpdesk", None, 400),
        ("helpdesk", "shared", 200),
        ("helpdesk", "api:helpdesk/customer-1", 200),
        ("helpdesk", "api:customer-1", 200),
        ("helpdesk", "slack:U1", 200),
        ("helpdesk", "slack:room:C1", 200),
        ("helpdesk", "feishu:U1", 403),
        ("helpdesk", "me", 403),
        ("member", None, 200),
        ("member", "shared", 200),
        ("member", "me", 200),
        ("member", "slack:U1", 403),
        ("admin", "slack:U1", 403),
        ("auditor", "api:helpdesk/customer-1", 403),
    ],
)
def test_the_owner_of_a_query(
    world: World, callers: Callers, caller: str, owner: str | None, status: int
) -> None:
    query = f"?owner={owner}" if owner else ""
    answer = callers[caller].get(f"/agents/{world.agent.pk}/workspace/files{query}")
    assert answer.status_code == status


def test_a_number_as_end_user_is_told_to_be_a_string(world: World, callers: Callers) -> None:
    body = {"endUserId": 9007199254740993, "messages": SAY}
    sent = callers.helpdesk.post(f"/agents/{world.agent.pk}/conversations/c/messages", body)
    [error] = sent.json()["errors"]
    assert error["field"] == "endUserId"
    assert "string" in error["message"]


@pytest.mark.parametrize("id", ["key_ghp_" + draw(36), f"ann password={drawn(5)}"])
def test_a_secret_as_end_user_makes_no_owner(world: World, callers: Callers, id: str) -> None:
    body = {"endUserId": id, "messages": SAY}
    sent = callers.helpdesk.post(f"/agents/{world.agent.pk}/conversations/c/messages", body)
    assert (sent.status_code, sent.json()["errors"][0]["field"]) == (400, "owner")
    assert id not in sent.content.decode()
    assert not Owner.objects.filter(external_id=id).exists()


def test_another_owners_id_reads_like_one_that_nobody_has(world: World, callers: Callers) -> None:
    files = f"/agents/{world.agent.pk}/workspace/files?owner="
    own_team, other_team, nobody = world.sender.pk, world.twin.sender.pk, uuid.uuid4()
    for api in (callers.member, callers.admin):
        answers = {api.get(f"{files}{pk}").content for pk in (own_team, other_team, nobody)}
        assert len(answers) == 1
    others = create_integration(team=world.team, name="intranet", by=SYSTEM)
    api = Api(integration_token(others))
    answers = {api.get(f"{files}{pk}").content for pk in (own_team, other_team, nobody)}
    assert len(answers) == 1


def test_two_integrations_with_one_end_user_id_are_two_owners(
    world: World, callers: Callers
) -> None:
    intranet = Api(integration_token(create_integration(team=world.team, name="i2", by=SYSTEM)))
    for api, conversation in ((callers.helpdesk, "a"), (intranet, "b")):
        body = {"endUserId": "42", "messages": SAY}
        api.post(f"/agents/{world.agent.pk}/conversations/{conversation}/messages", body)
    assert Owner.objects.filter(team=world.team, external_id="42").count() == 2


def test_reading_about_someone_unknown_makes_no_owner(world: World, callers: Callers) -> None:
    before = Owner.objects.count()
    query = "?owner=api:helpdesk/never-seen"
    answer = callers.helpdesk.get(f"/agents/{world.agent.pk}/workspace/files{query}")
    assert answer.json()["items"] == []
    assert Owner.objects.count() == before


def test_reading_across_owners_takes_a_grant_and_leaves_an_event(world: World) -> None:
    grant(
        scope=Scope.PERSONAL_READ, integration=world.integration, reason="Support asks.", by=SYSTEM
    )
    _token, api = narrow(
        world.team, ["memory:read", "personal:read"], integration=world.integration
    )
    answer = api.get(f"/agents/{world.agent.pk}/workspace/files?owner={world.bobs_memory.pk}")
    assert answer.status_code == 200
    events = Event.objects.filter(team_id=world.team.pk, action="personal.read")
    assert [event.on_behalf_of for event in events] == [world.bobs_memory.pk]


def test_a_person_reaches_the_channel_owner_that_was_linked(world: World, callers: Callers) -> None:
    files = f"/agents/{world.agent.pk}/workspace/files?owner=slack:U1"
    assert callers.member.get(files).status_code == 403
    Owner.objects.filter(pk=world.sender.pk).update(person=world.bob)
    assert callers.member.get(files).status_code == 200
