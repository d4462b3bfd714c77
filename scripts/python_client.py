"""The Python client in the real OpenAI Agents SDK, LangGraph and Pydantic AI, from the registry.

    python -m scripts.python_client FOLDER

FOLDER is where a virtual environment may be made. Fails when the types don't fit, when what was
said with one of them isn't given to a model in another conversation once the server was started
anew, or when a host notices that the server is gone.
"""

import json
import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

from django.core.wsgi import get_wsgi_application

from scripts.installation import fresh_installation

CLIENT = Path(__file__).parent.parent / "clients" / "python"
HOSTS = Path(__file__).with_name("python_client_hosts.py")
LIBRARIES = ("openai-agents==0.24.0", "langgraph==1.2.24", "pydantic-ai-slim==2.68.0")


def main() -> int:
    folder = Path(sys.argv[1]).resolve()
    python = str(folder / "bin" / "python")
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "mypy", *LIBRARIES, str(CLIENT)], check=True)
    strict = ["-m", "mypy", "--strict", "--config-file=", f"--cache-dir={folder / 'mypy'}"]
    subprocess.run([python, *strict, "-p", "memoryweb_client"], cwd=folder, check=True)
    # Models can be imported only where there is an installation.
    with fresh_installation():
        host = import_module("scripts.mcp_host")
        agent, token = host.made()
        with host.served(get_wsgi_application()) as site:
            _run(python, "tell", site, agent, token)
            import_module("django.core.management").call_command("run_pending", until_idle=True)
        with host.served(get_wsgi_application()) as site:
            answers = _run(python, "ask", site, agent, token)
        answers |= _run(python, "alone", "http://127.0.0.1:9", agent, token)
    wrong = [name for name, is_right in answers.items() if not is_right]
    print(f"{', '.join(LIBRARIES)}: {len(answers) - len(wrong)} right, wrong: {wrong or 'none'}")
    return int(bool(wrong) or len(answers) != 6)


def _run(python: str, act: str, *memory: str) -> dict[str, Any]:
    done = subprocess.run(
        [python, HOSTS, act, *memory], check=True, stdout=subprocess.PIPE, env=os.environ
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


if __name__ == "__main__":
    sys.exit(main())
