"""OpenAI's Python client, Codex and Hermes, from the registries, with a model that always does the
same.

    python -m scripts.chat_clients FOLDER

FOLDER is where they may be installed. Fails when what was said with one of them isn't given to the
model in another conversation once the server was started anew.
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
from typing import Any

from django.conf import settings
from django.core.wsgi import get_wsgi_application

from scripts.installation import fresh_installation

OPENAI, CODEX, HERMES = "openai==3.22.1", "@openai/codex@0.171.0", "hermes-agent==0.19.0"
PLUGINS = Path(__file__).parent.parent / "plugins"
OPENAI_HOST = Path(__file__).with_name("openai_client_host.py")
SAID, ASKED = "I keep seven bee hives in Porto.", "Where do I keep bees?"
HERMES_HOST = f"""
import json
from plugins.memory import load_memory_provider
provider = load_memory_provider("memoryweb")
assert provider.is_available()
provider.initialize("hermes-1", platform="cli")
provider.sync_turn({SAID!r}, "Noted.")
provider.shutdown()
provider.initialize("hermes-2", platform="telegram", user_id="8")
other = provider.prefetch({ASKED!r})
provider.initialize("hermes-3", platform="cli")
print(json.dumps({{"hermes: knew it": "Porto" in provider.prefetch({ASKED!r}),
                  "hermes: knew nothing of another": other == ""}}))
"""


class _Model(BaseHTTPRequestHandler):
    """Says what it was given of Porto, or “Noted.”; by either of OpenAI's formats."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        given = json.dumps(body.get("messages") or body.get("input"))
        is_asked = ASKED in given
        text = "Noted." if not is_asked else "Porto" if "Porto" in given else "No idea."
        answers = self._of_responses if self.path.endswith("/responses") else self._of_chat
        content = answers(text, is_stream=bool(body.get("stream"))).encode()
        self.send_response(200)
        kind = "text/event-stream" if body.get("stream") else "application/json"
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def _of_chat(self, text: str, *, is_stream: bool) -> str:
        usage = {"prompt_tokens": 9, "completion_tokens": 1, "total_tokens": 10}
        made = {"id": "1", "created": 1, "model": "echo"}
        part = "delta" if is_stream else "message"
        message = {"role": "assistant", "content": text}
        choices = [{"index": 0, part: message, "finish_reason": "stop"}]
        if not is_stream:
            return json.dumps(made | {"choices": choices, "usage": usage})
        made["object"] = "chat.completion.chunk"
        events = [made | {"choices": choices}, made | {"choices": [], "usage": usage}]
        return "".join(f"data: {json.dumps(one)}\n\n" for one in events) + "data: [DONE]\n\n"

    def _of_responses(self, text: str, *, is_stream: bool) -> str:
        item = {"type": "message", "role": "assistant", "id": "m"}
        item["content"] = [{"type": "output_text", "text": text}]  # type: ignore[assignment]
        usage = {"input_tokens": 9, "output_tokens": 1, "total_tokens": 10}
        events: list[dict[str, Any]] = [
            {"type": "response.created", "response": {"id": "r"}},
            {"type": "response.output_item.done", "item": item},
            {"type": "response.completed", "response": {"id": "r", "usage": usage}},
        ]
        return "".join(f"event: {one['type']}\ndata: {json.dumps(one)}\n\n" for one in events)

    def log_message(self, format: str, *args: object) -> None:
        pass


def main() -> int:
    folder = Path(sys.argv[1]).resolve()
    python = _installed(folder)
    # Models can be imported only where there is an installation.
    with fresh_installation(), _model() as model:
        host = import_module("scripts.mcp_host")
        scope = import_module("memoryweb.accounts.permissions").Scope
        agent, token = host.made(scope.CHAT)
        settings.MODEL_PROVIDER, settings.MODEL_BASE_URL = "openai", f"{model}/v1"
        settings.MODELS = {"default": "echo"}
        right: dict[str, bool] = {}
        for act in ("tell", "ask"):
            with host.served(get_wsgi_application()) as site:
                right |= _run([python, OPENAI_HOST, act, site, agent, token])
                right |= _codex(folder, model, _memory(site, agent, token), act)
                if act == "ask":
                    right |= _hermes(folder, python, _memory(site, agent, token))
            settings.MODEL_PROVIDER = ""  # memory is made by the rules
            import_module("django.core.management").call_command("run_pending", until_idle=True)
            settings.MODEL_PROVIDER = "openai"
    wrong = [name for name, is_right in right.items() if not is_right]
    print(f"{OPENAI}, {CODEX}, {HERMES}: {len(right) - len(wrong)} right, wrong: {wrong or 'none'}")
    return int(bool(wrong))


def _installed(folder: Path) -> str:
    subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
    python = str(folder / "venv" / "bin" / "python")
    pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, OPENAI, "pyyaml"], check=True)
    # What loads its memory provider needs no more of its many requirements.
    subprocess.run([*pip, "--no-deps", "--target", str(folder / "hermes"), HERMES], check=True)
    npm = ["npm", "install", "--no-audit", "--no-fund", "--silent", "--prefix", str(folder), CODEX]
    subprocess.run(npm, check=True)
    return python


def _memory(site: str, agent: str, token: str) -> dict[str, str]:
    """What the plugins are told."""
    return {"MEMORYWEB_URL": site, "MEMORYWEB_AGENT": agent, "MEMORYWEB_TOKEN": token}


def _codex(folder: Path, model: str, memory: dict[str, str], act: str) -> dict[str, bool]:
    home = folder / "codex-home"
    home.mkdir(exist_ok=True)
    core = PLUGINS / "claude-code" / "scripts" / "memory.py"
    hooks = (PLUGINS / "codex" / "hooks.json").read_text()
    (home / "hooks.json").write_text(hooks.replace("$HOME/.codex/memoryweb/memory.py", str(core)))
    (home / "config.toml").write_text(
        f'model = "echo"\nmodel_provider = "echo"\n[model_providers.echo]\nname = "echo"\n'
        f'base_url = "{model}/v1"\nwire_api = "responses"\n'
    )
    environment = {"CODEX_HOME": str(home), "XDG_STATE_HOME": str(folder / "state")}
    said = [str(folder / "node_modules" / ".bin" / "codex"), "exec", "--skip-git-repo-check"]
    said += ["--dangerously-bypass-hook-trust", SAID if act == "tell" else ASKED]
    done = subprocess.run(
        said,
        check=False,
        capture_output=True,
        text=True,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        timeout=120,
        env=os.environ | environment | memory | {"MEMORYWEB_OWNER": "api:codex"},
    )
    said_so = {"tell": ("codex: told", "Noted."), "ask": ("codex: knew it", "Porto")}
    name, text = said_so[act]
    return {name: text in done.stdout}


def _hermes(folder: Path, python: str, memory: dict[str, str]) -> dict[str, bool]:
    plugin = folder / "hermes-home" / "plugins" / "memoryweb"
    plugin.mkdir(parents=True, exist_ok=True)
    for path in (
        *(PLUGINS / "hermes").iterdir(),
        PLUGINS / "claude-code" / "scripts" / "memory.py",
    ):
        if path.is_file():
            (plugin / path.name).write_bytes(path.read_bytes())
    environment = {"HERMES_HOME": str(plugin.parents[1]), "PYTHONPATH": str(folder / "hermes")}
    whose = {"MEMORYWEB_OWNER": "api:hermes", "XDG_STATE_HOME": str(folder / "state")}
    return _run([python, "-c", HERMES_HOST], environment | memory | whose)


def _run(command: list[Any], more: dict[str, str] | None = None) -> dict[str, bool]:
    done = subprocess.run(
        command, check=True, stdout=subprocess.PIPE, env=os.environ | (more or {})
    )
    found: dict[str, bool] = json.loads(done.stdout)
    return found


@contextmanager
def _model() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Model)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()


if __name__ == "__main__":
    sys.exit(main())
