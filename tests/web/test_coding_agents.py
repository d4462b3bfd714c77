"""The plugins for Claude Code, Codex and Cursor, run as their hooks run them, with events and a
transcript as they have."""

import io
import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, HTTPServer
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from django.utils import timezone
from django_scopes import scope

from memoryweb.memory.models import AuthorKind, Message
from memoryweb.memory.models.writer import Place, Writer, write_transaction
from memoryweb.memory.writing.write import write
from memoryweb.runs.models import Run
from tests.world import World, personal_token

FOLDER = settings.BASE_DIR / "plugins" / "claude-code"
SESSION = "5d1a-session"


class _Forwarding(BaseHTTPRequestHandler):
    """Answers in the test's own thread, so that the test's own rows are there."""

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        headers = {"Authorization": self.headers["Authorization"]}
        with scope():
            answer = Client().generic(
                "POST", self.path, body, content_type="application/json", headers=headers
            )
        self.send_response(answer.status_code)
        self.end_headers()
        self.wfile.write(answer.content)

    def log_message(self, format: str, *args: object) -> None:
        pass


@dataclass
class Claude:
    server: HTTPServer
    environment: dict[str, str]
    transcript: Path

    def __call__(
        self, name: str, calls: int = 1, act: str = "", **event: Any
    ) -> subprocess.Popen[str]:
        """A hook, after the calls that it makes."""
        given = {"hook_event_name": name, "session_id": SESSION, **event}
        given["transcript_path"] = str(self.transcript)
        hook = subprocess.Popen(
            [sys.executable, FOLDER / "scripts" / "memory.py", *filter(None, [act])],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=self.environment,
        )
        assert hook.stdin is not None
        hook.stdin.write(json.dumps(given))
        hook.stdin.close()
        hook.stdin = None
        for _turn in range(calls):
            self.server.handle_request()
        return hook

    def told(self, name: str, **event: Any) -> str:
        """What is put into the session."""
        out, err = self(name, **event).communicate()
        assert err == ""
        if not out:
            return ""
        output = json.loads(out)["hookSpecificOutput"]
        assert output["hookEventName"] == name
        return str(output["additionalContext"])

    def say(self, *entries: dict[str, Any]) -> None:
        with self.transcript.open("a") as lines:
            lines.writelines(json.dumps(entry) + "\n" for entry in entries)


@pytest.fixture
def claude(world: World, tmp_path: Path) -> Iterator[Claude]:
    with HTTPServer(("127.0.0.1", 0), _Forwarding) as server:
        server.timeout = 20
        environment = os.environ | {
            "MEMORYWEB_URL": f"http://127.0.0.1:{server.server_port}/",
            "MEMORYWEB_AGENT": str(world.agent.pk),
            "MEMORYWEB_TOKEN": personal_token(world.team, world.bob),
            "XDG_STATE_HOME": str(tmp_path),
        }
        yield Claude(server, environment, tmp_path / "talk.jsonl")


def entry(number: int, kind: str, content: Any, **more: Any) -> dict[str, Any]:
    return {
        "type": kind,
        "uuid": f"u-{number}",
        "timestamp": f"2026-11-20T09:00:{number:02}.000Z",
        "message": {"role": kind, "content": content},
        **more,
    }


SAID = (
    {"type": "summary", "summary": "A talk"},
    entry(1, "user", "I keep bees in Porto.<system-reminder>Be kind.</system-reminder>"),
    entry(2, "assistant", [{"type": "thinking", "thinking": "Bees."}]),
    entry(3, "assistant", [{"type": "text", "text": "How many hives?"}]),
    entry(4, "assistant", [{"type": "tool_use", "name": "Bash", "input": {}}]),
    entry(5, "user", [{"type": "tool_result", "content": "secret output"}]),
    entry(6, "user", "<command-name>/clear</command-name>"),
    entry(7, "user", "Caveat: local commands.", isMeta=True),
    entry(8, "assistant", "A side talk.", isSidechain=True),
)


def test_what_was_said_is_captured_once_and_nothing_else(claude: Claude) -> None:
    claude.say(*SAID)
    assert claude.told("Stop") == ""
    claude.say(entry(9, "user", [{"type": "text", "text": "Seven hives."}]))
    assert claude.told("Stop") == ""
    kept = list(Message.objects.order_by("position").values_list("role", "raw_content"))
    assert kept == [
        ("user", "I keep bees in Porto."),
        ("assistant", "How many hives?"),
        ("user", "Seven hives."),
    ]
    assert not Run.objects.filter(due_at__lte=timezone.now()).exists()
    claude.say(entry(10, "assistant", "A fine number."))
    claude.told("SessionEnd", reason="other")
    assert Run.objects.filter(kind=Run.Kind.EXTRACTION, due_at__lte=timezone.now()).exists()


def test_a_prompt_is_given_what_answers_it_and_a_greeting_nothing(
    world: World, claude: Claude
) -> None:
    with write_transaction(world.team) as tx:
        place = Place(world.agent, world.bobs_memory, "memory/2026-11-19.md")
        note = "# 2026-11-19\n\n- 09:00 Keeps bees in Porto.\n"
        write(tx, place, note, writer=Writer(AuthorKind.EXTRACTION))
    told = claude.told("UserPromptSubmit", prompt="Where do I keep my bees?")
    assert "Keeps bees in Porto." in told
    assert "never instructions" in told
    assert claude.told("UserPromptSubmit", prompt="Hello!") == ""


def test_a_session_begins_with_memory_unless_it_is_resumed(world: World, claude: Claude) -> None:
    with write_transaction(world.team) as tx:
        place = Place(world.agent, world.bobs_memory, "MEMORY.md")
        write(tx, place, "- Keeps bees.\n", writer=Writer(AuthorKind.PERSON, user=world.bob))
    assert claude.told("SessionStart", source="startup").endswith("- Keeps bees.")
    assert claude.told("SessionStart", calls=0, source="resume") == ""


def test_a_status_line_tells_how_much_was_given_and_noted(world: World, claude: Claude) -> None:
    def status() -> str:
        out, err = claude("status", calls=0, act="status").communicate()
        assert err == ""
        return out.strip()

    assert status() == "0 given, 0 noted"
    with write_transaction(world.team) as tx:
        place = Place(world.agent, world.bobs_memory, "memory/2026-11-19.md")
        note = "# 2026-11-19\n\n- 09:00 Keeps bees in Porto.\n"
        write(tx, place, note, writer=Writer(AuthorKind.EXTRACTION))
    claude.told("UserPromptSubmit", prompt="Where do I keep my bees?")
    claude.say(*SAID)
    for _turn in range(2):
        claude.told("Stop")
    assert status() == "1 given, 2 noted"
    claude.told("SessionEnd")
    assert status() == "0 given, 0 noted"


def test_codex_is_given_memory_and_tells_its_turns_itself(world: World, claude: Claude) -> None:
    with write_transaction(world.team) as tx:
        place = Place(world.agent, world.bobs_memory, "memory/2026-11-19.md")
        note = "# 2026-11-19\n\n- 09:00 Keeps bees in Porto.\n"
        write(tx, place, note, writer=Writer(AuthorKind.EXTRACTION))
    question, turn = "Where do I keep my bees?", {"turn_id": "t-1", "model": "any"}
    out, err = claude("UserPromptSubmit", calls=2, prompt=question, **turn).communicate()
    told = json.loads(out)
    assert "Keeps bees in Porto." in told["hookSpecificOutput"]["additionalContext"]
    assert (told["systemMessage"], err) == ("memoryweb: 1 given, 1 noted", "")
    for _turn in range(2):
        assert claude.told("Stop", last_assistant_message="In Porto.", **turn) == ""
    kept = list(Message.objects.order_by("position").values_list("role", "raw_content"))
    assert kept == [("user", question), ("assistant", "In Porto.")]
    hooks = json.loads((FOLDER.parent / "codex" / "hooks.json").read_text())["hooks"]
    assert set(hooks) == {"SessionStart", "UserPromptSubmit", "Stop"}


def test_cursor_begins_with_memory_and_its_turns_are_kept(world: World, claude: Claude) -> None:
    with write_transaction(world.team) as tx:
        place = Place(world.agent, world.bobs_memory, "MEMORY.md")
        write(tx, place, "- Keeps bees.\n", writer=Writer(AuthorKind.PERSON, user=world.bob))

    def said(name: str, **event: Any) -> Any:
        ids: Any = {"conversation_id": "c-1", "generation_id": "g-1", "session_id": "c-1"}
        out, err = claude(name, **ids, **event).communicate()
        assert err == ""
        return json.loads(out) if out else None

    assert said("sessionStart")["additional_context"].endswith("- Keeps bees.")
    assert said("beforeSubmitPrompt", prompt="I have seven hives.") == {"continue": True}
    assert said("afterAgentResponse", text="A fine number.") is None
    kept = list(Message.objects.order_by("position").values_list("role", "raw_content"))
    assert kept == [("user", "I have seven hives."), ("assistant", "A fine number.")]
    hooks = json.loads((FOLDER.parent / "cursor" / "hooks.json").read_text())["hooks"]
    assert set(hooks) == {"sessionStart", "beforeSubmitPrompt", "afterAgentResponse"}


@pytest.mark.parametrize(
    "wrong",
    [{"MEMORYWEB_TOKEN": "mwp_wrong"}, {"MEMORYWEB_AGENT": "none"}],
    ids=lambda wrong: next(iter(wrong)),
)
def test_what_goes_wrong_is_told_and_holds_nobody_up(claude: Claude, wrong: dict[str, str]) -> None:
    claude.environment |= wrong
    hook = claude("UserPromptSubmit", prompt="Where do I keep my bees?")
    out, err = hook.communicate()
    assert (hook.returncode, out) == (0, "")
    assert err.startswith("memoryweb: ")


def test_without_a_server_a_transcript_or_an_event_it_goes_on(claude: Claude) -> None:
    claude.server.server_close()
    for name in ("UserPromptSubmit", "Stop", "PreCompact"):
        hook = claude(name, calls=0, prompt="Where do I keep my bees?")
        out, err = hook.communicate()
        assert (hook.returncode, out, err.startswith("memoryweb: ")) == (0, "", True)


@pytest.mark.parametrize("trouble", ["no folder", "cut short"])
def test_memory_reaches_the_agent_also_where_nothing_can_be_counted(
    world: World, claude: Claude, tmp_path: Path, trouble: str
) -> None:
    with write_transaction(world.team) as tx:
        place = Place(world.agent, world.bobs_memory, "memory/2026-11-19.md")
        note = "# 2026-11-19\n\n- 09:00 Keeps bees in Porto.\n"
        write(tx, place, note, writer=Writer(AuthorKind.EXTRACTION))
    question = "Where do I keep my bees?"
    claude.told("UserPromptSubmit", prompt=question)
    [counts] = (tmp_path / "memoryweb").iterdir()
    counts.write_text('{"gi')
    if trouble == "no folder":
        claude.environment["XDG_STATE_HOME"] = str(counts)
    assert "# Memory" in claude.told("SessionStart", source="startup")
    assert "Keeps bees in Porto." in claude.told("UserPromptSubmit", prompt=question)
    claude.say(*SAID)
    assert claude.told("SessionEnd") == ""
    assert Message.objects.count() == 2


@pytest.mark.parametrize("sender", [None, "", 0])
def test_hermes_gives_nothing_to_a_sender_it_does_not_know(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, sender: Any
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    calls: list[Any] = []
    monkeypatch.setenv("MEMORYWEB_OWNER", "me")

    def call(_path: str, body: Any) -> Any:
        calls.append(body)
        return {"hits": [], "added": 0}

    provider = hermes(monkeypatch, call)
    for at, (platform, user_id) in enumerate(
        [("telegram", sender), (None, sender), ("telegram", "8"), ("cli", sender)]
    ):
        provider.initialize(f"s-{at}", platform=platform, user_id=user_id)
        provider.prefetch("Where do I keep my bees?")
        provider.sync_turn("In Porto.", "I see.")
        provider.shutdown()
    theirs = {"channel": "telegram", "senderId": "8"}
    assert [theirs.items() <= one.items() for one in calls] == [True, True, False, False]
    assert [one.get("owner") for one in calls] == [None, None, "me", "me"]


def hermes(monkeypatch: pytest.MonkeyPatch, call: Any) -> Any:
    """The plugin as Hermes loads it, whose calls are answered here."""
    provider = ModuleType("agent.memory_provider")
    provider.MemoryProvider = object  # type: ignore[attr-defined]
    agent = ModuleType("agent")
    agent.memory_provider = provider  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "agent", agent)
    folders = [str(FOLDER.parent / "hermes"), str(FOLDER / "scripts")]
    spec = spec_from_file_location(
        "memoryweb_hermes", f"{folders[0]}/__init__.py", submodule_search_locations=folders
    )
    assert spec
    assert spec.loader
    plugin = module_from_spec(spec)
    monkeypatch.setitem(sys.modules, spec.name, plugin)
    spec.loader.exec_module(plugin)
    monkeypatch.setattr(plugin.memory, "call", call)
    return plugin.Memoryweb()


def test_the_folder_is_served_ready_to_unpack(client: Client) -> None:
    answer = client.get("/connect/claude-code.zip")
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        assert set(archive.namelist()) == {
            ".claude-plugin/plugin.json",
            ".mcp.json",
            "README.md",
            "hooks/hooks.json",
            "scripts/memory.py",
        }
        for name in archive.namelist():
            assert archive.read(name) == (FOLDER / name).read_bytes()
            if name.endswith(".json"):
                assert json.loads(archive.read(name))


@pytest.mark.parametrize("kind", ["codex", "cursor", "hermes"])
def test_the_other_folders_are_served_with_what_their_hooks_call(client: Client, kind: str) -> None:
    answer = client.get(f"/connect/{kind}.zip")
    own = {path.name for path in (FOLDER.parent / kind).iterdir() if path.is_file()}
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        assert set(archive.namelist()) == {*own, "memory.py"}
        assert archive.read("memory.py") == (FOLDER / "scripts" / "memory.py").read_bytes()


def test_each_hook_calls_what_there_is() -> None:
    hooks = json.loads((FOLDER / "hooks" / "hooks.json").read_text())["hooks"]
    assert set(hooks) == {"SessionStart", "UserPromptSubmit", "Stop", "SessionEnd"}
    for [one] in hooks.values():
        [hook] = one["hooks"]
        assert hook["type"] == "command"
        assert hook["command"] == 'python3 "${CLAUDE_PLUGIN_ROOT}/scripts/memory.py"'
