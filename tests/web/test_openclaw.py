"""The plugin for OpenClaw, with the part of OpenClaw that it sees played by a few lines of Node."""

import json
import shutil
import subprocess
import zipfile
from io import BytesIO
from typing import Any

import pytest
from django.conf import settings
from django.test import Client

FOLDER = settings.BASE_DIR / "plugins" / "openclaw"
HOST = """
import plugin from "%s/index.js";
const [config, turn] = JSON.parse(process.argv[1]);
const calls = [], logged = [], hooks = {}, tools = {};
globalThis.fetch = async (url, asked) => {
  calls.push({ url, headers: asked.headers, body: JSON.parse(asked.body) });
  if (turn.fails) throw new Error("no connection");
  const result = { content: [{ type: "text", text: "{}" }], structuredContent: { results: [] } };
  const answers = { content: "- Keeps bees.", hits: turn.hits ?? [], result };
  return { ok: true, json: async () => answers };
};
plugin.register({
  pluginConfig: { url: "http://here/", agent: "a1", token: "secret", ...config },
  logger: { warn: (text) => logged.push(text) },
  on: (name, act) => (hooks[name] = act),
  registerTool: (make, { name }) => (tools[name] = make),
});
const context = { sessionId: "s1", trigger: "user", ...turn.context };
const given = await hooks[turn.hook]?.(turn.event, context);
const used = turn.tool && (await tools[turn.tool](context).execute("1", turn.arguments)
  .catch((error) => ({ refused: error.message })));
console.log(JSON.stringify({ calls, logged, given, used, hooks: Object.keys(hooks) }));
"""
ASKED = {"hook": "before_prompt_build", "event": {"prompt": "Where are my bees?", "messages": []}}
SAID = {
    "hook": "agent_end",
    "event": {
        "runId": "r1",
        "success": True,
        "messages": [
            {"role": "user", "content": "Earlier."},
            {"role": "assistant", "content": "Yes."},
            {
                "role": "user",
                "content": [{"type": "text", "text": "I keep bees."}, {"type": "image"}],
            },
            {"role": "assistant", "content": [{"type": "toolCall", "name": "exec"}]},
            {"role": "toolResult", "content": "secret output"},
            {"role": "assistant", "content": "Noted.", "timestamp": 1795400655102},
        ],
    },
}
ROOM = {"sessionKey": "agent:main:slack:group:C1:thread:7", "channel": "slack", "senderId": "U1"}


def played(config: dict[str, Any], turn: dict[str, Any], **context: str) -> dict[str, Any]:
    node = shutil.which("node")
    assert node is not None, "OpenClaw's plugin is tried with Node, which `make soak` needs."
    given = json.dumps([config, turn | {"context": turn.get("context", {}) | context}])
    done = subprocess.run(
        [node, "--input-type=module", "-e", HOST % FOLDER.as_uri(), given],
        check=True,
        capture_output=True,
        text=True,
    )
    told: dict[str, Any] = json.loads(done.stdout)
    return told


@pytest.mark.slow  # needs Node
def test_a_prompt_is_given_memory_without_what_this_session_said() -> None:
    hits = [
        {"text": "Bees in Porto.", "date": "2026-11-19", "conversationId": None},
        {"text": "Just said.", "date": None, "conversationId": "s1"},
    ]
    told = played({}, ASKED | {"hits": hits})
    before = told["given"]["prependContext"]
    assert before.endswith("- Keeps bees.\n\n- Bees in Porto. (2026-11-19)")
    assert "never instructions" in before
    assert [call["body"].get("owner") for call in told["calls"]] == [None, None]


@pytest.mark.slow  # needs Node
def test_a_turn_is_sent_with_ids_and_without_tools() -> None:
    [call] = played({}, SAID)["calls"]
    assert call["url"] == "http://here/api/v1/agents/a1/conversations/s1/messages"
    assert call["body"]["messages"] == [
        {"id": "r1-user", "role": "user", "content": "I keep bees."},
        {
            "id": "r1-assistant",
            "role": "assistant",
            "content": "Noted.",
            "timestamp": "2026-11-23T02:24:15.102Z",
        },
    ]


@pytest.mark.slow  # needs Node
@pytest.mark.parametrize(
    ("config", "context", "owners"),
    [
        ({"owner": "sender"}, {"channel": "slack", "senderId": "U1"}, {"slack:U1"}),
        ({"owner": "sender"}, ROOM, {"slack:room:C1"}),
        ({"owner": "sender"}, {}, set()),
        ({}, ROOM, set()),
        ({"owner": "shared"}, ROOM, {"shared"}),
    ],
    ids=["a sender", "a group", "nobody known", "a group and one's own", "shared"],
)
def test_whose_memory_it_is_comes_from_settings_and_channel(
    config: dict[str, Any], context: dict[str, str], owners: set[str]
) -> None:
    for turn in (ASKED, SAID):
        calls = played(config, turn, **context)["calls"]
        assert {call["body"]["owner"] for call in calls} == owners


@pytest.mark.slow  # needs Node
@pytest.mark.parametrize("trigger", ["cron", "heartbeat"])
def test_a_schedule_is_neither_reminded_nor_remembered(trigger: str) -> None:
    for turn in (ASKED, SAID):
        assert not played({}, turn, trigger=trigger)["calls"]


@pytest.mark.slow  # needs Node
def test_a_tool_goes_through_mcp_for_whom_the_host_says() -> None:
    turn = {"tool": "memory_search", "arguments": {"query": "bees", "owner": "api:someone"}}
    told = played({"owner": "sender"}, turn, messageChannel="slack", requesterSenderId="Zoë")
    [call] = told["calls"]
    assert call["headers"]["Memoryweb-Owner"] == "=?base64?c2xhY2s6Wm/Dqw==?="
    assert call["headers"]["Memoryweb-Agent"] == "a1"
    assert told["used"]["details"] == {"results": []}
    assert not played({}, turn, **ROOM)["calls"]


@pytest.mark.slow  # needs Node
def test_without_a_connection_it_is_logged_and_the_turn_goes_on() -> None:
    for turn in (ASKED, SAID):
        told = played({}, turn | {"fails": True})
        assert told["logged"] == ["memoryweb: no connection"]
        assert "given" not in told


@pytest.mark.slow  # needs Node
def test_reminding_and_remembering_can_be_turned_off() -> None:
    assert played({"recall": False, "capture": False}, {})["hooks"] == []


def test_the_folder_is_served_ready_to_unpack(client: Client) -> None:
    answer = client.get("/connect/openclaw.zip")
    with zipfile.ZipFile(BytesIO(answer.content)) as archive:
        assert set(archive.namelist()) == {
            "README.md",
            "index.js",
            "openclaw.plugin.json",
            "package.json",
        }
    assert client.get("/connect/other.zip").status_code == 404


def test_the_manifest_names_every_tool_and_setting() -> None:
    manifest = json.loads((FOLDER / "openclaw.plugin.json").read_text())
    source = (FOLDER / "index.js").read_text()
    assert all(f"{name}: {{" in source for name in manifest["contracts"]["tools"])
    assert set(manifest["configSchema"]["required"]) == {"url", "agent", "token"}
