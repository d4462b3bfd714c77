from datetime import timedelta

import pytest
from django.db import DatabaseError
from django.db.models.signals import post_save
from django.utils import timezone

from memoryweb.accounts.models import Token
from memoryweb.accounts.permissions import Role
from memoryweb.agents.models import Agent
from memoryweb.api.models import Idempotency, purge
from memoryweb.audit.models import Event
from tests.api.callers import Callers
from tests.world import World

BODY = {"name": "Night porter"}


def test_a_post_sent_twice_is_done_once(world: World, callers: Callers) -> None:
    first = callers.admin.post("/agents", BODY, idempotency_key="k1")
    again = callers.admin.post("/agents", BODY, idempotency_key="k1")
    assert (again.status_code, again.content) == (first.status_code, first.content)
    assert Agent.objects.filter(team=world.team, name="Night porter").count() == 1


def test_what_is_done_in_parts_is_answered_once_too(world: World, callers: Callers) -> None:
    address = f"/memory/{world.agent.pk}/emergence"
    first = callers.admin.post(address, {}, idempotency_key="k1")
    again = callers.admin.post(address, {}, idempotency_key="k1")
    assert first.status_code == 202
    assert (again.status_code, again.content) == (202, first.content)
    assert again["Idempotency-Replayed"] == "true"
    assert callers.admin.post(address, {"owner": "me"}, idempotency_key="k1").status_code == 409


def test_a_key_with_another_body_is_a_conflict(callers: Callers) -> None:
    callers.admin.post("/agents", BODY, idempotency_key="k1")
    other = callers.admin.post("/agents", {"name": "Chef"}, idempotency_key="k1")
    assert (other.status_code, other.json()["code"]) == (409, "idempotency_conflict")


def test_a_key_at_another_address_is_a_conflict(callers: Callers, path: str) -> None:
    callers.admin.post("/agents", BODY, idempotency_key="k1")
    other = callers.admin.post(f"{path}/tools/remember", BODY, idempotency_key="k1")
    assert other.status_code == 409


def test_a_refused_request_may_be_sent_again(callers: Callers) -> None:
    callers.admin.post("/agents", {"name": ""}, idempotency_key="k1")
    assert callers.admin.post("/agents", BODY, idempotency_key="k1").status_code == 201


def test_each_token_has_its_own_keys(callers: Callers) -> None:
    callers.admin.post("/agents", BODY, idempotency_key="k1")
    assert callers.stranger.post("/agents", BODY, idempotency_key="k1").status_code == 201


def test_an_answer_is_not_repeated_to_who_lost_the_right(world: World, callers: Callers) -> None:
    callers.admin.post("/agents", BODY, idempotency_key="k1")
    world.alice.memberships.update(role=Role.VIEWER)
    again = callers.admin.post("/agents", BODY, idempotency_key="k1")
    assert (again.status_code, again.json()["code"]) == (403, "may_not_manage_agents")


def test_a_key_that_an_older_version_claimed_and_never_answered_is_free(callers: Callers) -> None:
    callers.admin.post("/agents", {"name": "Chef"}, idempotency_key="k1")
    Idempotency.objects.update(status=0)
    assert callers.admin.post("/agents", BODY, idempotency_key="k1").status_code == 201


def test_after_a_day_a_key_is_free_again(callers: Callers) -> None:
    callers.admin.post("/agents", {"name": "Chef"}, idempotency_key="k1")
    Idempotency.objects.update(created_at=timezone.now() - timedelta(hours=25))
    assert callers.admin.post("/agents", BODY, idempotency_key="k1").status_code == 201


def test_a_change_whose_answer_cannot_be_kept_is_not_made(world: World, callers: Callers) -> None:
    def take_key(**_sent: object) -> None:
        Idempotency.objects.create(
            team=world.team, token=Token.objects.get(user=world.alice), key="k1"
        )

    made = Event.objects.filter(action="agent.created")
    before = made.count()
    post_save.connect(take_key, sender=Agent)
    try:
        with pytest.raises(DatabaseError):
            callers.admin.post("/agents", BODY, idempotency_key="k1")
    finally:
        post_save.disconnect(take_key, sender=Agent)
    assert not Agent.objects.filter(team=world.team, name="Night porter").exists()
    assert made.count() == before
    assert callers.admin.post("/agents", BODY, idempotency_key="k1").status_code == 201


def test_a_refusal_with_a_key_leaves_its_event(world: World, callers: Callers) -> None:
    assert callers.viewer.post("/agents", BODY, idempotency_key="k1").status_code == 403
    assert Event.objects.filter(team_id=world.team.pk, action="access.denied").count() == 1
    assert not Idempotency.objects.exists()


def test_old_answers_are_deleted(callers: Callers) -> None:
    callers.admin.post("/agents", BODY, idempotency_key="k1")
    purge(timezone.now() + timedelta(hours=23))
    assert Idempotency.objects.count() == 1
    purge(timezone.now() + timedelta(hours=25))
    assert not Idempotency.objects.exists()


@pytest.mark.parametrize("key", ["", "x" * 256, "caf\u00e9"])
def test_a_key_that_cannot_be_one_is_refused(callers: Callers, key: str) -> None:
    refused = callers.admin.post("/agents", BODY, idempotency_key=key)
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (400, "Idempotency-Key")
