"""What mem0's other clients call: its n8n node 0.1.4, command line 0.2.13, OpenClaw plugin 1.0.16,
Vercel AI SDK provider 3.0.2 and Node client 3.3.1."""

import json
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from memoryweb.accounts.integrations import grant
from memoryweb.accounts.permissions import Scope
from memoryweb.audit.models import Event
from memoryweb.audit.record import SYSTEM
from memoryweb.memory.models import Fact, ForgetRequest, ReviewItem
from tests.api.callers import Callers, narrow
from tests.forgetting.test_names import erased
from tests.language.test_credentials import draw
from tests.mem0.client import Mem0
from tests.world import World

ANA, EVE = {"user_id": "ana"}, {"user_id": "eve"}
BOTH = {"filters": {"OR": [ANA, EVE]}}
SECRET = "ghp_" + draw(36)
TEA, BEES = "Likes green tea.", "Keeps bees in Porto."


@pytest.fixture
def mem0(world: World, callers: Callers) -> Mem0:
    return Mem0(callers.helpdesk.token, str(world.agent.pk))


@pytest.fixture
def across(world: World, mem0: Mem0) -> Mem0:
    return reading_across(world, mem0)


def reading_across(world: World, mem0: Mem0) -> Mem0:
    program = world.integration
    grant(scope=Scope.PERSONAL_READ, integration=program, reason="Support.", by=SYSTEM)
    scopes = ["memory:read", "memory:write", "personal:read"]
    return replace(mem0, token=narrow(world.team, scopes, integration=program)[1].token)


def texts(answer: Any) -> set[str]:
    return {one["memory"] for one in answer["results"]}


def test_a_host_alone_is_enough(world: World, mem0: Mem0) -> None:
    world.integration.agents = [mem0.agent]
    world.integration.save()
    host = Mem0(mem0.token, "", is_host=True)
    assert host("GET", "/v1/ping/")["project_id"] == mem0.agent
    sent = {"messages": [{"role": "user", "content": TEA}], "infer": False, **ANA}
    [made] = host("POST", "/v1/memories/", sent)["results"]
    assert made["memory"] == TEA
    asked = {"query": "green tea", "top_k": 5, "threshold": 0.3, "filters": ANA}
    assert texts(host("POST", "/v2/memories/search/", asked)) == {TEA}
    assert texts(host("POST", "/v2/memories/?page=1&page_size=100", {"filters": ANA})) == {TEA}
    assert texts(host("GET", "/v1/memories/?user_id=ana")) == {TEA}
    assert Mem0("none", "", is_host=True)("GET", "/v1/ping/", status=401)["detail"]
    assert host("GET", "/v2/none/", status=404)["detail"]


def test_events_are_those_of_the_tokens_end_users(mem0: Mem0, callers: Callers) -> None:
    said = mem0("POST", "/v1/memories/", {"messages": "I keep bees in Porto.", **ANA})
    [event] = mem0("GET", "/v1/events/")["results"]
    assert (event["id"], event["status"], event["event_type"]) == (
        said["event_id"],
        "PENDING",
        "ADD",
    )
    member = Mem0(callers["member"].token, mem0.agent)
    assert member("GET", "/v1/events/")["results"] == []


@pytest.mark.parametrize(
    "filters",
    [
        BOTH["filters"],
        {"user_id": {"in": ["ana", "eve"]}},
        {"user_id": "*"},
        {"AND": [{"OR": [ANA, EVE]}]},
    ],
)
def test_several_users_take_the_right_to_read_across_them(
    world: World, mem0: Mem0, filters: dict[str, Any]
) -> None:
    mem0.state(TEA, **ANA)
    mem0.state(BEES, **EVE)
    mem0.state("Is no user.", agent_id="ana")
    body = {"filters": filters}
    calls = [
        ("/v3/memories/", body),
        ("/v3/memories/search/", {"query": "green tea and bees", **body}),
        ("/v1/exports/", body),
        ("/v1/exports/get/", body),
    ]
    for path, sent in calls:
        assert mem0("POST", path, sent, status=403)["code"] == "owner_forbidden"
    mem0 = reading_across(world, mem0)
    before = Event.objects.filter(action="personal.read").count()
    made = mem0("POST", "/v1/exports/", body)
    found = [mem0("POST", path, sent) for path, sent in calls if path != "/v1/exports/"]
    found.append(mem0("POST", "/v1/exports/get/", {"memory_export_id": made["id"]}))
    assert [texts(one) for one in found] == [{TEA, BEES}] * 4
    assert Event.objects.filter(action="personal.read").count() == before + 5


def test_pages_go_on_behind_the_last_memory_of_a_user(across: Mem0) -> None:
    wanted = [f"Owns a boat named Ada {n}." for n in range(3)]
    for text in wanted:
        across.state(text, **ANA)
    across.state(BEES, **EVE)
    pages = [across("POST", f"/v3/memories/?page={n}&page_size=2", BOTH) for n in (1, 2, 3)]
    assert [len(one["results"]) for one in pages] == [2, 2, 0]
    assert texts(pages[0]) | texts(pages[1]) == {*wanted, BEES}
    assert (pages[0]["count"], pages[0]["next"], pages[1]["next"]) == (
        4,
        "?page=2&page_size=2",
        None,
    )


def test_nobody_writes_or_deletes_of_several(across: Mem0) -> None:
    across.state(TEA, **ANA)
    sent = {"messages": "Hi there.", "infer": False, "filters": BOTH["filters"]}
    across("POST", "/v3/memories/add/", sent, status=400)
    across("DELETE", "/v1/memories/", {"filters": {"user_id": "*"}}, status=400)
    assert across.all_of(**ANA) == [TEA]


def test_a_user_of_few_statements_is_deleted_and_more_wait_in_review(mem0: Mem0) -> None:
    mem0.state(TEA, **ANA)
    assert mem0("DELETE", "/v2/entities/user/ana/?source=CLI")["message"]
    assert mem0.all_of(**ANA) == []
    for n in range(6):
        mem0.state(f"Owns a boat named Ada {n}.", **EVE)
    refused = mem0("DELETE", "/v2/entities/user/eve/", status=409)
    assert "waits in Review" in refused["detail"]
    assert len(mem0.all_of(**EVE)) == 6
    request = ForgetRequest.objects.get(state=ForgetRequest.State.OPEN, owner__external_id="eve")
    assert request.targets.count() == 6
    assert ReviewItem.objects.filter(kind="forget", state="open", request=request).exists()
    assert mem0("DELETE", "/v2/entities/robot/eve/", status=404)


def test_feedback_is_taken_and_moves_no_trust(mem0: Mem0) -> None:
    name = mem0.state(TEA, **ANA)
    before = Fact.objects.values().get(pk=name)
    sent = {"memory_id": name, "feedback": "VERY_NEGATIVE", "feedback_reason": "Wrong."}
    assert mem0("POST", "/v1/feedback/", sent)["id"] == name
    assert Fact.objects.values().get(pk=name) == before
    mem0("POST", "/v1/feedback/", {**sent, "memory_id": "none"}, status=404)
    mem0("POST", "/v1/feedback/", {"feedback": "POSITIVE"}, status=400)


@pytest.mark.databases
def test_metadata_is_kept_filtered_changed_and_stays_when_the_text_changes(mem0: Mem0) -> None:
    told = {"region": "eu", "visits": 3}
    name = mem0.state(TEA, metadata=told, **ANA)  # type: ignore[arg-type]
    mem0.state(BEES, **ANA)
    assert mem0("GET", f"/v1/memories/{name}/")["metadata"] == told
    for wanted, found in (({"region": "eu"}, [TEA]), ({"region": "us"}, []), ({"visits": "3"}, [])):
        assert mem0.all_of(metadata=wanted, **ANA) == found  # type: ignore[arg-type]
        query = {"query": "green tea bees", "filters": {**ANA, "metadata": wanted}}
        assert texts(mem0("POST", "/v3/memories/search/", query)) == set(found)
    changed = mem0("PUT", f"/v1/memories/{name}/", {"text": "Likes black tea."})
    assert changed["metadata"] == told
    assert mem0("PUT", f"/v1/memories/{name}/", {"metadata": {"a__b": None}})["metadata"] == {
        "a__b": None
    }
    assert mem0("PUT", f"/v1/memories/{name}/", {"metadata": {}})["metadata"] is None


@pytest.mark.parametrize(
    "metadata",
    [
        {"note": SECRET},
        {"password": "correct-horse-7-battery"},
        {"note": "x" * 2_000},
        ["region"],
        {"deep": [{"note": SECRET}]},
    ],
)
def test_metadata_with_a_secret_or_too_long_is_refused(mem0: Mem0, metadata: Any) -> None:
    sent = {"messages": TEA, "infer": False, "metadata": metadata, **ANA}
    refused = mem0("POST", "/v3/memories/add/", sent, status=400)
    assert refused["detail"].endswith(".")
    assert "horse" not in json.dumps(refused)
    assert mem0.all_of(**ANA) == []


def test_metadata_is_in_no_prompt(mem0: Mem0, callers: Callers) -> None:
    mem0.state(TEA, metadata={"note": "Zanzibar"}, **ANA)  # type: ignore[arg-type]
    body = {"message": "Do I like tea or Zanzibar?", "endUserId": "ana"}
    given = callers.helpdesk.post(f"/agents/{mem0.agent}/context", body)
    assert TEA in given.content.decode()
    assert "Zanzibar" not in json.dumps([one["content"] for one in given.json()["messages"][:-1]])


def test_what_expires_is_given_until_its_last_day(mem0: Mem0) -> None:
    day = timezone.now().date() + timedelta(days=3)
    sent = {"messages": TEA, "infer": False, "expiration_date": day.isoformat(), **ANA}
    [made] = mem0("POST", "/v3/memories/add/", sent)["results"]
    address = f"/v1/memories/{made['id']}/"
    assert mem0("GET", address)["expiration_date"] == day.isoformat()
    assert Fact.objects.get(pk=made["id"]).valid_to == day
    assert mem0("PUT", address, {"text": "Likes mate."})["expiration_date"] == day.isoformat()
    later = (day + timedelta(days=1)).isoformat()
    assert mem0("PUT", address, {"expiration_date": later})["expiration_date"] == later
    mem0("PUT", address, {"expiration_date": "2020-01-01"}, status=400)
    mem0("PUT", address, {"expiration_date": "soon"}, status=400)
    mem0("POST", "/v3/memories/add/", {**sent, "infer": True}, status=400)
    Fact.objects.filter(remembered_until=later).update(valid_to="2020-01-01")
    assert mem0.all_of(**ANA) == []


def test_what_a_person_wrote_gets_no_last_day(world: World, mem0: Mem0) -> None:
    name = mem0.state(TEA, **ANA)
    Fact.objects.filter(pk=name).update(confirmed_at=timezone.now(), confirmed_by=world.bob)
    mem0("PUT", f"/v1/memories/{name}/", {"expiration_date": "2099-01-01"}, status=400)
    assert Fact.objects.get(pk=name).valid_to is None


def test_what_was_forgotten_leaves_metadata_and_comes_back_in_none(mem0: Mem0) -> None:
    name = mem0.state(BEES, metadata={"said": TEA}, **ANA)  # type: ignore[arg-type]
    gone = mem0.state(TEA, **ANA)
    mem0("DELETE", f"/v1/memories/{gone}/")
    erased(ForgetRequest.objects.get())
    assert TEA not in json.dumps(Fact.objects.get(pk=name).metadata)
    sent = {"metadata": {"again": TEA}}
    mem0("PUT", f"/v1/memories/{name}/", sent, status=400)


@pytest.mark.parametrize(
    "filters",
    [
        {"AND": [{"AND": [{"AND": [{"AND": [{"AND": [{"AND": [ANA]}]}]}]}]}]},
        {"user_id": {"in": "ana"}},
        {"user_id": {"in": ["ana", 7]}},
        {"user_id": {"gte": "a"}},
        {"metadata": "eu", **ANA},
        {"created_at": {"gte": "2026"}, **ANA},
        {"NOT": [ANA]},
        {"user_id": {"in": [str(n) for n in range(101)]}},
        {
            "AND": [
                {"user_id": {"in": list("abcdefghijk")}},
                {"agent_id": {"in": list("abcdefghijk")}},
            ]
        },
        {"AND": []},
    ],
)
def test_filters_that_nobody_can_follow_are_refused(across: Mem0, filters: Any) -> None:
    assert across("POST", "/v3/memories/", {"filters": filters}, status=400)["detail"]
