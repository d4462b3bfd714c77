"""mem0's own clients from the registries, against our own server by its host alone.

    python -m scripts.mem0_clients FOLDER

FOLDER is where npm and pip may install them. Fails when what one of them added isn't found by it
once the server was started anew, is listed for another user, or isn't deleted.
"""

import json
import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path

from django.core.wsgi import get_wsgi_application

from scripts.installation import fresh_installation

NODE_CLIENTS = ("mem0ai@3.3.1", "@mem0/cli@0.2.13", "@mem0/n8n-nodes-mem0@0.1.4")
PYTHON_CLIENT = "mem0ai==2.2.1"
HOSTS = Path(__file__).with_name("mem0_clients.mjs")
# What the node takes of n8n itself.
N8N = """
exports.NodeConnectionTypes = { Main: "main" };
exports.sleep = (ms) => new Promise((done) => setTimeout(done, ms));
exports.NodeOperationError = exports.NodeApiError = class extends Error {
  constructor(_node, error) { super(error.message ?? error); }
};
"""
IN_PYTHON = """
import json, sys
from mem0 import MemoryClient
act, site, token = sys.argv[1:]
client, of = MemoryClient(api_key=token, host=site), {"user_id": "python"}
if act == "tell":
    client.add("Likes green tea.", **of, infer=False, metadata={"from": "python"})
    client.add([{"role": "user", "content": "I keep seven bee hives in Porto."}], **of)
elif act == "ask":
    found = client.search("Where do I keep bees?", filters=of)["results"]
    kept = client.get_all(filters={**of, "metadata": {"from": "python"}})["results"]
    print(json.dumps(["Porto" in found[0]["memory"], [one["memory"] for one in kept]]))
else:
    client.delete_users(user_id="python")
    print(json.dumps(client.get_all(filters=of)["results"]))
"""


def main() -> int:
    folder = Path(sys.argv[1]).resolve()
    _install(folder)
    # Models can be imported only where there is an installation.
    with fresh_installation():
        host = import_module("scripts.mcp_host")
        _agent, token = host.made()
        told = []
        for act in ("tell", "ask", "end"):
            with host.served(get_wsgi_application()) as site:
                told.append(_run(folder, act, site, token))
            import_module("django.core.management").call_command("run_pending", until_idle=True)
    kept = [True, ["Likes green tea."]]
    wrong = [name for name, answer in told[1].items() if answer != kept]
    wrong += [name for name, answer in told[2].items() if answer != []]
    print(f"{PYTHON_CLIENT}, {', '.join(NODE_CLIENTS)}: wrong: {wrong or 'none'}")
    return int(bool(wrong) or len(told[1]) != 4)


def _install(folder: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    pip = [str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet", PYTHON_CLIENT]
    subprocess.run(pip, check=True)
    quiet = ["--no-audit", "--no-fund", "--loglevel=error", "--legacy-peer-deps"]
    npm = ["npm", "install", "--prefix", str(folder), "--ignore-scripts", *quiet]
    subprocess.run([*npm, *NODE_CLIENTS], check=True)
    stub = folder / "node_modules" / "n8n-workflow"
    stub.mkdir(exist_ok=True)
    (stub / "index.js").write_text(N8N)


def _run(folder: Path, act: str, site: str, token: str) -> dict[str, object]:
    hosts = folder / HOSTS.name
    hosts.write_text(HOSTS.read_text())
    about = {"HOME": str(folder), "MEM0_DIR": str(folder), "MEM0_TELEMETRY": "false"}
    found: dict[str, object] = {}
    for command in ([str(folder / "bin" / "python"), "-c", IN_PYTHON], ["node", str(hosts)]):
        done = subprocess.run(
            [*command, act, site, token], check=True, stdout=subprocess.PIPE, env=os.environ | about
        )
        answer = json.loads(done.stdout or "null")
        found |= answer if isinstance(answer, dict) else {"python": answer}
    return found


if __name__ == "__main__":
    sys.exit(main())
