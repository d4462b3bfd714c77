"""The REST of mem0, as its clients send it; a real one is tried by hand (docs/mem0.md)."""

import re
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from pytest_django import Settings

from memoryweb.memory.models import AuthorKind, Fact, ForgetRequest, Message, Revision
from memoryweb.memory.models.writer import Place, Writer, write_transaction
from memoryweb.memory.writing.write import write
from memoryweb.runs import engine
from memoryweb.runs.models import Run
from tests.api.callers import NAMES, Callers
from tests.commands.calling import run
from tests.mem0.client import Mem0
from tests.workers import ROOT
from tests.world import World

TEA, ANA = "Likes green tea.", {"user_id": "ana"}
OF_ANA = {"filters": ANA}


@pytest.fixture
def mem0(world: World, callers: Callers) -> Mem0:
    return Mem0(callers.helpdesk.token, str(world.agent.pk))


def test_a_key_is_tried_when_a_client_is_made(world: World, mem0: Mem0) -> None:
    said = mem0("GET", "/v1/ping/")
    assert (said["status"], said["project_id"]) == ("ok", str(world.agent.pk))
    for scheme in ("Bearer", "X-API-Key"):
        assert Mem0(mem0.token, mem0.agent, scheme)("GET", "/v1/ping/")["status"] == "ok"
    assert "valid token" in Mem0("m0-wrong", mem0.agent)("GET", "/v1/ping/", status=401)["detail"]


def test_what_is_stated_is_found_read_and_listed(mem0: Mem0) -> None:
    name = mem0.state(TEA, **ANA)
    assert mem0.state(TEA, **ANA) == name
    [hit] = mem0("POST", "/v3/memories/search/", {"query": "green tea", **OF_ANA})["results"]
    assert (hit["id"], hit["memory"], hit["user_id"]) == (name, TEA, "ana")
    assert 0 < hit["score"] <= 1
    assert mem0("GET", f"/v1/memories/{name}/")["memory"] == TEA
    listed = mem0("POST", "/v3/memories/?page=1&page_size=1", OF_ANA)
    assert (listed["count"], listed["next"], listed["results"][0]["id"]) == (1, None, name)
    assert Fact.objects.get(pk=name).owner is not None


@pytest.mark.parametrize("example", ["docs/mem0.md", "templates/connect/mem0.txt"])
def test_what_an_example_adds_its_own_search_finds(mem0: Mem0, example: str) -> None:
    text = (ROOT / example).read_text()
    (said,), (asked,) = (
        re.findall(rf'client\.{act}\("([^"]+)"', text) for act in ("add", "search")
    )
    mem0.state(said, **ANA)
    found = mem0("POST", "/v3/memories/search/", {"query": asked, **OF_ANA})["results"]
    assert [one["memory"] for one in found] == [said]


def test_the_self_hosted_shapes_say_the_same(mem0: Mem0) -> None:
    sent = {"messages": TEA, "infer": False, **ANA}
    [made] = mem0("POST", "/memories", sent)["results"]
    found = mem0("POST", "/search", {"query": "green tea", **ANA})["results"]
    assert [one["id"] for one in found] == [made["id"]]
    assert mem0("GET", "/memories?user_id=ana")["results"][0]["memory"] == TEA
    assert mem0("PUT", f"/memories/{made['id']}", {"text": "Likes black tea."})
    assert len(mem0("GET", f"/memories/{made['id']}/history")) == 2
    assert mem0("DELETE", "/memories?user_id=ana")["message"]
    assert mem0("GET", "/memories?user_id=ana")["results"] == []


def test_a_conversation_is_kept_and_memory_is_made_of_it(mem0: Mem0) -> None:
    talk = [
        {"role": "user", "content": "I keep bees in Porto."},
        {"role": "assistant", "content": [{"type": "text", "text": "How many hives?"}]},
        {"role": "user", "content": "Seven hives, and I love them."},
        {"role": "assistant", "content": "A fine number."},
    ]
    said = mem0("POST", "/v3/memories/add/", {"messages": talk, "run_id": "r-1", **ANA})
    assert said["status"] == "PENDING"
    assert mem0("GET", f"/v1/event/{said['event_id']}/")["status"] == "PENDING"
    [conversation] = {message.conversation for message in Message.objects.all()}
    assert (conversation.external_id, conversation.owner.external_id) == ("r-1", "ana")
    assert Message.objects.count() == 4


def test_what_was_said_is_found_without_waiting_for_a_night(mem0: Mem0) -> None:
    talk = [
        {"role": "user", "content": "I'm a vegetarian and allergic to nuts."},
        {"role": "assistant", "content": "Got it! I'll remember your dietary preferences."},
    ]
    said = mem0("POST", "/v3/memories/add/", {"messages": talk, **ANA})
    event = f"/v1/event/{said['event_id']}/"
    engine.work(UUID(said["event_id"]))
    assert mem0("GET", event)["status"] == "PENDING"
    run("run_pending", "--until-idle")
    assert mem0("GET", event)["status"] == "SUCCEEDED"
    assert mem0.all_of(**ANA) == ["I'm a vegetarian and allergic to nuts."]
    asked = {"query": "What are my dietary restrictions? Am I allergic?", **OF_ANA}
    assert len(mem0("POST", "/v3/memories/search/", asked)["results"]) == 1


def test_the_next_dream_of_what_was_said_waits_for_the_cooldown(
    mem0: Mem0, settings: Settings
) -> None:
    settings.EXTRACTION_COOLDOWN_SECONDS = 0
    for said in ("I keep bees in Porto.", "I have a brother called Rui."):
        mem0("POST", "/v3/memories/add/", {"messages": said, **ANA})
        run("run_pending", "--until-idle")
    first, second = Run.objects.filter(kind="dream").order_by("created_at")
    assert (first.status, second.status) == ("succeeded", "queued")
    assert first.finished_at is not None
    assert second.due_at == first.finished_at + timedelta(seconds=settings.DREAM_COOLDOWN_SECONDS)


def test_a_memory_is_changed_and_keeps_its_id_and_its_history(mem0: Mem0) -> None:
    name = mem0.state(TEA, **ANA)
    changed = mem0("PUT", f"/v1/memories/{name}/", {"text": "Likes black tea."})
    assert (changed["id"], changed["memory"]) == (name, "Likes black tea.")
    assert mem0("GET", f"/v1/memories/{name}/")["memory"] == "Likes black tea."
    assert mem0.all_of(**ANA) == ["Likes black tea."]
    history = mem0("GET", f"/v1/memories/{name}/history/")
    assert [(one["event"], one["old_memory"], one["new_memory"]) for one in history] == [
        ("ADD", None, TEA),
        ("UPDATE", TEA, "Likes black tea."),
    ]


def test_what_a_person_wrote_no_program_changes(world: World, mem0: Mem0) -> None:
    mem0.state(TEA, **ANA)
    owner = Fact.objects.get(raw_text=TEA).owner
    with write_transaction(world.team) as tx:
        person = Writer(AuthorKind.PERSON, user=world.bob)
        write(tx, Place(world.agent, owner, "MEMORY.md"), "- Is Ana.\n", writer=person)
    name = str(Fact.objects.living().get(raw_text="Is Ana.").pk)
    refused = mem0("PUT", f"/v1/memories/{name}/", {"text": "Is Eve."}, status=400)
    assert refused["code"] == "edit_refused"
    assert mem0.all_of(**ANA) == ["Is Ana."]


def test_what_is_deleted_is_forgotten(mem0: Mem0) -> None:
    name = mem0.state(TEA, **ANA)
    mem0.state("Lives in Porto.", **ANA)
    mem0("DELETE", f"/v1/memories/{name}/")
    assert mem0.all_of(**ANA) == ["Lives in Porto."]
    mem0("GET", f"/v1/memories/{name}/", status=404)
    assert ForgetRequest.objects.count() == 1
    mem0("DELETE", "/v1/memories/?user_id=ana")
    assert mem0.all_of(**ANA) == []


def test_what_a_person_has_to_pick_is_not_called_deleted(mem0: Mem0) -> None:
    texts = [f"Owns a boat named Ada {n}." for n in range(6)]
    names = [mem0.state(text, **ANA) for text in texts]
    refused = mem0("DELETE", "/v1/memories/?user_id=ana", status=409)
    assert refused["code"] == "person_decides"
    assert set(mem0.all_of(**ANA)) == set(texts)
    request = ForgetRequest.objects.get(state=ForgetRequest.State.OPEN)
    assert request.targets.filter(is_hidden=False).count() == 6
    mem0(
        "DELETE",
        "/v1/batch/",
        {"memories": [{"memory_id": one} for one in names]},
        status=409,
    )
    assert len(mem0.all_of(**ANA)) == 1


def test_many_are_changed_and_deleted_at_once(mem0: Mem0) -> None:
    names = [mem0.state(text, **ANA) for text in (TEA, "Lives in Porto.")]
    sent = [{"memory_id": names[0], "text": "Likes black tea."}]
    assert mem0("PUT", "/v1/batch/", {"memories": sent})["message"]
    assert set(mem0.all_of(**ANA)) == {"Likes black tea.", "Lives in Porto."}
    assert mem0("DELETE", "/v1/batch/", {"memories": [{"memory_id": one} for one in names]})
    assert mem0.all_of(**ANA) == []


def test_each_name_is_another_owner(mem0: Mem0) -> None:
    mem0.state(TEA, **ANA)
    for other in ({"user_id": "eve"}, {"agent_id": "ana"}, {"run_id": "ana"}, {"app_id": "ana"}):
        assert mem0.all_of(**other) == []
        query = {"query": "green tea", "filters": {"OR": [other]}}
        assert mem0("POST", "/v3/memories/search/", query)["results"] == []
    mem0.state("Answers in verse.", agent_id="ana")
    assert mem0.all_of(agent_id="ana") == ["Answers in verse."]
    assert mem0.all_of(**ANA) == [TEA]
    found = mem0("GET", "/v1/entities/")["results"]
    assert [(one["type"], one["name"], one["total_memories"]) for one in found] == [
        ("agent", "ana", 1),
        ("user", "ana", 1),
    ]


def test_nobody_else_reads_changes_or_deletes_by_an_id(
    world: World, callers: Callers, mem0: Mem0
) -> None:
    name, own = mem0.state(TEA, **ANA), str(world.agent.pk)
    before = Revision.objects.count()
    for caller in set(NAMES) - {"helpdesk"}:
        for method, path, body in (
            ("GET", f"/v1/memories/{name}/", None),
            ("GET", f"/v1/memories/{name}/history/", None),
            ("PUT", f"/v1/memories/{name}/", {"text": "Likes milk."}),
            ("DELETE", f"/v1/memories/{name}/", None),
        ):
            answer = Mem0(callers[caller].token, own).answer(method, path, body)
            assert answer.status_code == (401 if caller == "anonymous" else 404), caller
            assert TEA not in answer.content.decode()
    for caller, status in (("member", 403), ("stranger", 404), ("foreign_helpdesk", 404)):
        for path in ("/v3/memories/", "/v3/memories/add/"):
            sent = {"messages": TEA, "infer": False, **ANA}
            Mem0(callers[caller].token, own)("POST", path, sent, status=status)
    assert Revision.objects.count() == before
    assert mem0.all_of(**ANA) == [TEA]


@pytest.mark.parametrize("name", ["%00", "%F0%9F", "x" * 300, "%E2%80%AE"])
def test_a_name_that_nobody_can_have_is_refused(mem0: Mem0, name: str) -> None:
    assert mem0.answer("GET", f"/memories?user_id={name}").status_code in {200, 400}
    assert mem0.answer("GET", f"/v1/memories/{name}/").status_code == 404
    assert mem0.answer("GET", f"/v1/event/{name}/").status_code == 404


def test_a_shared_or_another_programs_statement_is_no_memory_of_it(
    world: World, mem0: Mem0
) -> None:
    person = Writer(AuthorKind.PERSON, user=world.bob)
    with write_transaction(world.team) as tx:
        for owner in (None, world.bobs_memory, world.sender):
            write(tx, Place(world.agent, owner, "MEMORY.md"), "- Is known.\n", writer=person)
    for fact in Fact.objects.living():
        status = mem0.answer("GET", f"/v1/memories/{fact.pk}/").status_code
        # A channel that the integration may use is its own to speak for.
        assert status == (200 if fact.owner == world.sender else 404), fact.owner


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("POST", "/v3/memories/add/", {"messages": "Hi"}, 400),
        ("POST", "/v3/memories/add/", {"messages": 7, **ANA}, 400),
        ("POST", "/v3/memories/add/", {"messages": "Hi", "user_id": 7}, 400),
        ("POST", "/v3/memories/add/", {"messages": [7], **ANA}, 400),
        ("POST", "/v3/memories/add/", {"messages": [], **ANA}, 400),
        (
            "POST",
            "/v3/memories/add/",
            {"messages": "Hi", "expiration_date": "2027-01-01", **ANA},
            400,
        ),
        ("POST", "/v3/memories/add/", {"messages": " ", "infer": False, **ANA}, 400),
        ("POST", "/v3/memories/search/", {"query": "tea"}, 400),
        ("POST", "/v3/memories/search/", {"query": 7, **OF_ANA}, 400),
        ("POST", "/v3/memories/search/", {"query": "tea", "top_k": 0, **OF_ANA}, 400),
        ("POST", "/v3/memories/search/", {"query": "tea", "threshold": "x", **OF_ANA}, 400),
        ("POST", "/v3/memories/search/", {"query": "tea", "filters": 7}, 400),
        ("POST", "/v3/memories/", {"filters": {"AND": [ANA, {"user_id": "eve"}]}}, 400),
        ("POST", "/v3/memories/", {"filters": {"created_at": {"gte": "2026"}, **ANA}}, 400),
        ("POST", "/v3/memories/?page=0", OF_ANA, 400),
        ("POST", "/v3/memories/?page=x", OF_ANA, 400),
        ("DELETE", "/v1/memories/", None, 400),
        ("GET", "/v1/memories/none/", None, 404),
        ("PUT", "/v1/memories/none/", {"text": "x"}, 404),
        ("PUT", "/v1/memories/none/", {"text": 7}, 400),
        ("PUT", "/v1/batch/", {"memories": 7}, 400),
        ("PUT", "/v1/batch/", {"memories": [7]}, 400),
        ("DELETE", "/v1/batch/", {"memories": [{"memory_id": 7}]}, 400),
        ("GET", "/v1/event/none/", None, 404),
        ("GET", "/v1/none/", None, 404),
        ("POST", "/v1/ping/", {}, 405),
        ("POST", "/v3/memories/", [1], 400),
    ],
)
def test_what_does_not_fit_is_refused_with_a_sentence(
    mem0: Mem0, method: str, path: str, body: Any, status: int
) -> None:
    answer = mem0(method, path, body, status=status)
    assert answer["detail"].endswith(".")


def test_the_only_agent_needs_no_naming(world: World, mem0: Mem0) -> None:
    several = Mem0(mem0.token, "").answer("GET", "v1/ping/")
    assert (several.status_code, several.json()["code"]) == (400, "agent_required")
    world.integration.agents = [mem0.agent]
    world.integration.save()
    assert Mem0(mem0.token, "")("GET", "v1/ping/")["project_id"] == mem0.agent
