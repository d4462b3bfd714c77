from typing import Any

import pytest

from memoryweb.memory.models import Injection
from tests.mcp.client import Mcp

SKILL = "skills/tea/SKILL.md"


@pytest.fixture
def known(mcp: Mcp) -> Mcp:
    for filename, content in (("MEMORY.md", "- Likes tea.\n"), (SKILL, "# Tea\n")):
        assert not mcp.call("write_workspace_memory_file", filename=filename, content=content)[
            "isError"
        ]
    return mcp


def read(mcp: Mcp, uri: str) -> Any:
    return mcp.modern("resources/read", {"uri": uri}).json()


def test_the_root_memory_and_skills_are_listed_and_read(known: Mcp) -> None:
    listed = known.modern("resources/list").json()["result"]["resources"]
    assert [one["uri"] for one in listed] == [
        "memory://root",
        "memory://root/MEMORY.md",
        f"memory://root/{SKILL}",
    ]
    [content] = read(known, "memory://root/MEMORY.md")["result"]["contents"]
    assert content == {
        "uri": "memory://root/MEMORY.md",
        "mimeType": "text/markdown",
        "text": "- Likes tea.\n",
    }
    [root] = read(known, "memory://root")["result"]["contents"]
    assert f"- [{SKILL}](memory://root/{SKILL})" in root["text"]


def test_the_summary_stands_at_the_root(known: Mcp) -> None:
    arguments = {"filename": "memory_summary.md", "content": "Tea, mostly.\n"}
    known.call("write_workspace_memory_file", **arguments)
    [root] = read(known, "memory://root")["result"]["contents"]
    assert root["text"].startswith("Tea, mostly.\n\n- [")


def test_another_owners_resource_reads_like_one_that_is_not_there(known: Mcp) -> None:
    other = known.as_host(owner="api:customer-2")
    for uri in (f"memory://root/{SKILL}", "memory://root/none.md", "memory://root/../x", "x:y"):
        error = read(other, uri)["error"]
        assert (error["code"], error["data"]["uri"]) == (-32602, uri)


@pytest.mark.parametrize("uri", [None, 7, ["memory://root"]])
def test_what_is_no_address_is_refused(mcp: Mcp, uri: Any) -> None:
    answer = mcp.earlier("resources/read", {"uri": uri})
    assert answer.json()["error"]["code"] == -32002


def test_a_prompt_puts_memory_before_the_message(known: Mcp) -> None:
    prompt = {"name": "before_you_answer", "arguments": {"message": "What do I drink?"}}
    messages = known.modern("prompts/get", prompt).json()["result"]["messages"]
    assert messages[-1] == {
        "role": "user",
        "content": {"type": "text", "text": "What do I drink?"},
    }
    assert "Likes tea." in messages[-2]["content"]["text"]
    assert Injection.objects.filter(via="context").exists()


def test_a_prompt_tells_what_is_known(known: Mcp) -> None:
    listed = known.modern("prompts/list").json()["result"]["prompts"]
    assert [one["name"] for one in listed] == ["what_do_you_know_about_me", "before_you_answer"]
    asked = {"name": "what_do_you_know_about_me"}
    messages = known.modern("prompts/get", asked).json()["result"]["messages"]
    assert messages[-1]["content"]["text"] == "What do you know about me?"
    assert any("Likes tea." in one["content"]["text"] for one in messages)


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"name": "none"},
        {"name": ["before_you_answer"]},
        {"name": "before_you_answer"},
        {"name": "before_you_answer", "arguments": {"message": ""}},
        {"name": "before_you_answer", "arguments": {"message": "Hi", "owner": "shared"}},
        {"name": "what_do_you_know_about_me", "arguments": {"owner": "shared"}},
        {"name": "before_you_answer", "arguments": ["Hi"]},
    ],
    ids=str,
)
def test_a_prompt_that_does_not_fit_is_refused(mcp: Mcp, params: Any) -> None:
    assert mcp.earlier("prompts/get", params).json()["error"]["code"] == -32602
