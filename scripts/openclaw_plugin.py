"""The plugin for OpenClaw in the real one, from npm, with a model that always does the same.

    python -m scripts.openclaw_plugin FOLDER

FOLDER is where npm may install OpenClaw, and the Node that it wants. Fails when the plugin isn't
loaded, when what was said isn't given back in another conversation, or when a tool of it fails.
"""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from django.core.wsgi import get_wsgi_application

from scripts.installation import fresh_installation

OPENCLAW = "openclaw@2026.9.6"
NODE = "node@24"
PLUGIN = Path(__file__).parent.parent / "plugins" / "openclaw"
SAID = "I am allergic to hazelnuts."
ASKED = "Which nuts am I allergic to?"
HOOKS = {"agent_end", "before_prompt_build"}
TOOLS = {"memory_search", "memory_get", "memory_remember", "memory_forget"}


class _Model(BaseHTTPRequestHandler):
    """Told something, it remembers that; asked something, it searches; then it says “Noted.”"""

    asked: list[list[dict[str, Any]]] = []

    def do_POST(self) -> None:
        messages = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["messages"]
        self.asked.append(messages)
        if any(message["role"] == "tool" for message in messages):
            self._say({"content": "Noted."}, "stop")
            return
        wanted = {"id": "memory_search", "args": {"query": "hazelnuts"}}
        if ASKED not in json.dumps(messages):
            wanted = {"id": "memory_remember", "args": {"content": f"Priya: {SAID}"}}
        call = {"name": "tool_call", "arguments": json.dumps(wanted)}
        made = {"index": 0, "id": "call1", "type": "function", "function": call}
        self._say({"tool_calls": [made]}, "tool_calls")

    def _say(self, said: dict[str, Any], reason: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        made = {"id": "1", "object": "chat.completion.chunk", "model": "echo", "created": 1}
        for delta, ends in ((said, None), ({}, reason)):
            choice = {"index": 0, "delta": {"role": "assistant", **delta}, "finish_reason": ends}
            self.wfile.write(f"data: {json.dumps(made | {'choices': [choice]})}\n\n".encode())
        self.wfile.write(b"data: [DONE]\n\n")

    def log_message(self, format: str, *args: object) -> None:
        pass


def main() -> int:
    folder = Path(sys.argv[1]).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    npm = ["npm", "install", "--prefix", str(folder), "--no-audit", "--no-fund", "--loglevel=error"]
    subprocess.run([*npm, NODE], check=True)
    subprocess.run([*npm, "--ignore-scripts", OPENCLAW], check=True)
    # Models can be imported only where there is an installation.
    with fresh_installation(), TemporaryDirectory() as state, _answering() as model:
        host = import_module("scripts.mcp_host")
        agent, token = host.made()
        with host.served(get_wsgi_application()) as site:
            memory = {"url": site, "agent": agent, "token": token, "owner": "api:customer-1"}
            Path(state, "openclaw.json").write_text(json.dumps(_configuration(model, memory)))
            inspected = _run(
                folder, state, "plugins", "inspect", "memoryweb", "--runtime", "--json"
            )
            _run(folder, state, *_turn("one", SAID))
            _run(folder, state, *_turn("two", ASKED))
    wrong = list(_wrong(json.loads(inspected[inspected.index("{") :])))
    print("\n".join(wrong) or f"{OPENCLAW}: loaded, captured, recalled, searched.")
    return int(bool(wrong))


@contextmanager
def _answering() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Model)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()


def _configuration(model: str, memory: dict[str, str]) -> dict[str, Any]:
    hooks = {"allowConversationAccess": True}
    known = {
        **{"id": "echo", "name": "Echo", "reasoning": False, "input": ["text"]},
        **{"contextWindow": 64_000, "maxTokens": 2_000},
        "cost": dict.fromkeys(("input", "output", "cacheRead", "cacheWrite"), 0),
    }
    provider = {"baseUrl": model, "apiKey": "none", "api": "openai-completions", "models": [known]}
    return {
        "plugins": {
            "load": {"paths": [str(PLUGIN)]},
            "slots": {"memory": "memoryweb"},
            "entries": {"memoryweb": {"enabled": True, "hooks": hooks, "config": memory}},
        },
        "models": {"mode": "merge", "providers": {"echo": provider}},
        "agents": {"defaults": {"model": "echo/echo"}},
    }


def _turn(session: str, message: str) -> list[str]:
    return ["agent", "--local", "--agent", "main", "--session-id", session, "--message", message]


def _run(folder: Path, state: str, *words: str) -> str:
    modules = folder / "node_modules"
    node = modules / "node" / "bin"
    around = {"HOME": state, "OPENCLAW_STATE_DIR": state, "PATH": f"{node}:{os.environ['PATH']}"}
    done = subprocess.run(
        [node / "node", modules / "openclaw" / "openclaw.mjs", *words],
        check=False,
        capture_output=True,
        text=True,
        timeout=180,
        env=os.environ | around,
    )
    if done.returncode:
        raise SystemExit(f"openclaw {words[0]} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def _wrong(inspected: dict[str, Any]) -> Iterator[str]:
    hooks = {hook["name"] for hook in inspected["typedHooks"]}
    tools = {name for tool in inspected["tools"] for name in tool["names"]}
    if hooks != HOOKS or tools != TOOLS:
        yield f"It registers {sorted(hooks)} and {sorted(tools)}."
    prompts = [json.dumps(one) for one in _Model.asked]
    if not any(ASKED in prompt and SAID in prompt for prompt in prompts):
        yield "What was said in one conversation isn't given back in another."
    answers = [one["content"] for turn in _Model.asked for one in turn if one["role"] == "tool"]
    if not any(f"Priya: {SAID}" in json.dumps(answer) for answer in answers):
        yield f"The search finds nothing: {answers}"


if __name__ == "__main__":
    sys.exit(main())
