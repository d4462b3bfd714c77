from typing import Any

import pytest
from django.utils import timezone

from memoryweb.agents.models import Agent
from memoryweb.api.routing import EXAMPLES
from memoryweb.api.tool_calls import Tool
from memoryweb.api.tools import TOOLS
from memoryweb.memory.conversations.messages import add_messages
from memoryweb.memory.conversations.parsing import NewMessage
from memoryweb.memory.models import Alias, AuthorKind, File, ForgetRequest, RecallEvent, Revision
from memoryweb.memory.models.writer import write_transaction
from tests.api.callers import Callers
from tests.api.client import Api
from tests.world import World

END_USER = {"endUserId": "customer-1"}
FLOOR = "Prefers a room on a high floor."


class Tools:
    def __init__(self, api: Api, agent: Agent) -> None:
        self.api, self.agent = api, agent

    def __call__(self, tool: str, status: int = 200, **arguments: Any) -> Any:
        path = f"/agents/{self.agent.pk}/tools/{tool}"
        answer = self.api.post(path, {**END_USER, **arguments})
        assert answer.status_code == status, answer.content
        return answer.json()


@pytest.fixture
def tools(world: World, callers: Callers) -> Tools:
    return Tools(callers.helpdesk, world.agent)


def test_remember_writes_a_line_once_a_day(world: World, tools: Tools) -> None:
    first, again = tools("remember", content=FLOOR), tools("remember", content=FLOOR)
    today = f"memory/{timezone.now():%Y-%m-%d}.md"
    assert first == {
        "agentId": str(world.agent.pk), "filename": today, "lineNumber": 3, "duplicate": False,
    }  # fmt: skip
    assert again == {**first, "duplicate": True}


def test_what_was_remembered_is_found_and_read(tools: Tools) -> None:
    tools("remember", content=FLOOR)
    found = tools("memory_search", query="HIGH floor")
    assert found["count"] == 1
    assert "high floor" in found["entries"][0]["snippet"]
    assert FLOOR in tools("memory_get", date="today")["content"]
    assert tools("memory_get", date="2020-01-01")["content"] == ("No journal entry for 2020-01-01.")


def test_a_tool_writes_the_owners_file_and_reads_fall_back(world: World, tools: Tools) -> None:
    shared = tools("read_workspace_memory_file", filename="PROFILE.md")
    tools("write_workspace_memory_file", filename="PROFILE.md", content="# Inês\n")
    own = tools("read_workspace_memory_file", filename="PROFILE.md")
    assert (own["content"], own["content"] == shared["content"]) == ("# Inês\n", False)
    kept = File.objects.get(agent=world.agent, owner=None, path="PROFILE.md")
    assert kept.raw_content == shared["content"]


def test_an_edit_counts_its_replacements(tools: Tools) -> None:
    tools("write_workspace_memory_file", filename="K.md", content="tea, tea\n")
    refused = tools(
        "edit_workspace_memory_file", 400, filename="K.md", oldText="tea", newText="milk"
    )
    assert refused["code"] == "edit_refused"
    edited = tools(
        "edit_workspace_memory_file",
        filename="K.md",
        oldText="tea",
        newText="milk",
        replaceAll=True,
    )
    assert edited["replacements"] == 2


def test_the_list_has_the_owners_and_the_shared_files(tools: Tools) -> None:
    tools("remember", content=FLOOR)
    listed = tools("list_workspace_memory_files")
    assert {file["owner"] for file in listed["files"]} == {"shared", "api:helpdesk/customer-1"}
    assert listed["count"] == len(listed["files"])
    only = tools("list_workspace_memory_files", filenamePrefix="memory/")
    assert only["count"] == 1


def test_search_finds_the_best_place(tools: Tools) -> None:
    tools("remember", content=FLOOR)
    hits = tools("search_workspace_memory", query="which floor")["hits"]
    assert hits[0]["lineNumber"] == 3


def test_a_tools_line_is_an_agents_and_asked_for(tools: Tools) -> None:
    tools("remember", content=FLOOR)
    revision = File.objects.get(note_date__isnull=False).revisions.get()
    assert revision.author_kind == AuthorKind.AGENT


@pytest.mark.parametrize(("conversation", "recalls"), [(None, 0), ("unknown", 0), ("c-1", 1)])
def test_a_recall_counts_in_a_conversation_only(
    world: World, tools: Tools, conversation: str | None, recalls: int
) -> None:
    with write_transaction(world.team) as tx:
        add_messages(
            tx,
            agent=world.agent,
            owner=world.customer,
            conversation_id="c-1",
            messages=[NewMessage(role="user", content="Which floor?")],
        )
    tools("remember", content=FLOOR)
    tools("memory_search", query="floor", conversationId=conversation)
    assert RecallEvent.objects.count() == recalls


def test_another_owners_conversation_of_that_id_is_left_alone(world: World, tools: Tools) -> None:
    tools("remember", content=FLOOR)
    with write_transaction(world.team) as tx:
        add_messages(
            tx,
            agent=world.agent,
            owner=world.sender,
            conversation_id="c-2",
            messages=[NewMessage(role="user", content="Which floor?")],
        )
    assert tools("memory_search", query="floor", conversationId="c-2")["count"] == 1
    assert not RecallEvent.objects.exists()


def test_a_viewer_writes_about_oneself_only(world: World, callers: Callers, path: str) -> None:
    remember = f"{path}/tools/remember"
    assert callers.viewer.post(remember, {"content": FLOOR}).status_code == 200
    shared = callers.viewer.post(remember, {"content": FLOOR, "owner": "shared"})
    assert shared.status_code == 403
    world.agent.owner_isolation = False
    world.agent.save()
    assert callers.viewer.post(remember, {"content": "More."}).status_code == 403


def test_a_tool_that_is_none_is_not_found(callers: Callers, path: str) -> None:
    assert callers.member.post(f"{path}/tools/launch", {}).status_code == 404


@pytest.mark.parametrize(
    ("tool", "arguments", "field"),
    [
        ("remember", {}, "content"),
        ("remember", {"content": 7}, "content"),
        ("memory_search", {"query": "a", "limit": 0}, "limit"),
        ("memory_search", {"query": "a", "limit": 51}, "limit"),
        ("memory_search", {"query": "a", "limit": "5"}, "limit"),
        ("memory_search", {"query": "a", "limit": True}, "limit"),
        ("memory_get", {"date": "tomorrow"}, "date"),
        ("read_workspace_memory_file", {"filename": "../a.md"}, "filename"),
        ("write_workspace_memory_file", {"filename": "a.md"}, "content"),
    ],
)
def test_a_wrong_argument_is_named(
    tools: Tools, tool: str, arguments: dict[str, Any], field: str
) -> None:
    refused = tools(tool, 400, **arguments)
    assert [error["field"] for error in refused["errors"]] == [field]


def test_the_list_and_the_search_name_the_owner_alike(tools: Tools) -> None:
    tools("remember", content="The ferries are painted blue.")
    (listed,) = tools("list_workspace_memory_files", filenamePrefix="memory/")["files"]
    (found,) = tools("search_workspace_memory", query="ferry")["hits"]
    assert {listed["owner"], found["owner"]} == {"api:helpdesk/customer-1"}


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_only_a_tool_that_says_so_writes(tools: Tools, tool: Tool) -> None:
    tools("write_workspace_memory_file", filename="KNOWLEDGE.md", content="- Nuts\n")
    example = EXAMPLES[tool.run.__annotations__["asked"].__name__] | END_USER
    if tool.name == "forget_structured":
        tools("remember_structured", **(EXAMPLES["RememberStructured"] | END_USER | _key(example)))
    if tool.name in {"entry_read", "entry_rename", "entry_alias", "entry_remove"}:
        tools("entry_write", **(EXAMPLES["WriteEntry"] | END_USER))
    before = _written()
    tools(tool.name, **example)
    assert (_written() > before) == tool.writes


def _key(example: dict[str, Any]) -> dict[str, Any]:
    return {name: example[name] for name in ("type", "key")}


def _written() -> int:
    """Texts, what was asked to be forgotten of them, and other names of entries."""
    return Revision.objects.count() + ForgetRequest.objects.count() + Alias.objects.count()
