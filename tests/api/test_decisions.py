"""Proposals, owners and audit events."""

import pytest

from memoryweb.accounts.models import Token
from memoryweb.audit.models import Event
from memoryweb.memory.models import File
from tests.api.callers import Callers, narrow
from tests.walls.api_stage import Stage, furnish
from tests.world import World


@pytest.fixture
def stage(world: World) -> Stage:
    return furnish(world.home)


def test_an_accepted_proposal_is_written(
    world: World, callers: Callers, path: str, stage: Stage
) -> None:
    [waiting] = callers.viewer.get(f"{path}/proposals").json()["items"]
    decided = callers.member.post(f"{path}/proposals/{waiting['id']}/accept").json()
    assert decided["state"] == "accepted"
    memory = File.objects.get(agent=world.agent, owner=None, path="MEMORY.md")
    assert memory.raw_content == waiting["content"]


def test_some_lines_of_a_proposal_are_accepted_in_other_words(
    world: World, callers: Callers, path: str, stage: Stage
) -> None:
    [waiting] = callers.member.get(f"{path}/proposals").json()["items"]
    [line] = waiting["lines"]
    assert (line["kind"], line["new"]) == ("add", "Tea is served at five.")
    address = f"{path}/proposals/{waiting['id']}/accept"
    body = {"lines": [line["number"]], "words": {"1": "Tea is served at six."}}
    refused = callers.member.post(address, body | {"seen": "another"})
    assert (refused.status_code, refused.json()["code"]) == (409, "changed")
    assert callers.member.post(address, body | {"seen": waiting["seen"]}).status_code == 200
    memory = File.objects.get(agent=world.agent, owner=None, path="MEMORY.md")
    assert "Tea is served at six." in memory.raw_content
    assert "at five" not in memory.raw_content


def test_a_rejected_proposal_leaves_the_file_alone(
    world: World, callers: Callers, path: str, stage: Stage
) -> None:
    memory = File.objects.get(agent=world.agent, owner=None, path="MEMORY.md")
    decided = callers.member.post(f"{path}/proposals/{stage.proposal}/reject").json()
    assert decided["state"] == "rejected"
    assert File.objects.get(pk=memory.pk).raw_content == memory.raw_content


def test_a_proposal_is_decided_once(callers: Callers, path: str, stage: Stage) -> None:
    callers.member.post(f"{path}/proposals/{stage.proposal}/reject")
    again = callers.admin.post(f"{path}/proposals/{stage.proposal}/accept")
    assert (again.status_code, again.json()["code"]) == (409, "decided")


def test_a_proposal_for_a_file_that_moved_on_is_stale(
    callers: Callers, path: str, stage: Stage
) -> None:
    callers.member.put(f"{path}/workspace/files/MEMORY.md", {"content": "# Memory\n"})
    refused = callers.member.post(f"{path}/proposals/{stage.proposal}/accept")
    assert (refused.status_code, refused.json()["code"]) == (409, "stale")


def test_owners_are_listed_by_what_owner_takes(world: World, callers: Callers) -> None:
    owners = {row["owner"] for row in callers.admin.get("/owners").json()["items"]}
    assert owners == {f"user:{world.bob.pk}", "api:helpdesk/customer-1", "slack:U1"}


def test_events_are_listed_newest_first_and_filtered(world: World, callers: Callers) -> None:
    everything = callers.auditor.get("/audit/events").json()["items"]
    assert [event["seq"] for event in everything] == sorted(
        (event["seq"] for event in everything), reverse=True
    )
    made = callers.auditor.get("/audit/events?action=agent.created").json()["items"]
    assert {event["targetId"] for event in made} == {
        str(world.agent.pk),
        str(world.other_agent.pk),
    }
    Token.objects.update(last_used_at=None)
    by_actor = callers.auditor.get(f"/audit/events?actorId={world.audrey.pk}").json()["items"]
    assert {event["action"] for event in by_actor} == {"token.used"}


def test_events_page_without_gaps(world: World, callers: Callers) -> None:
    callers.auditor.get("/agents")
    seen: list[int] = []
    cursor = ""
    while cursor is not None:
        page = callers.auditor.get(f"/audit/events?limit=4&cursor={cursor}").json()
        seen += [event["seq"] for event in page["items"]]
        cursor = page["cursor"]
    assert seen == list(range(Event.objects.filter(team_id=world.team.pk).count(), 0, -1))


def test_the_audit_log_takes_its_scope(world: World) -> None:
    _token, api = narrow(world.team, ["memory:read"], user=world.audrey)
    assert api.get("/audit/events").json()["code"] == "scope_missing"
