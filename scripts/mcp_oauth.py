"""The official Python SDK's client of MCP signs in by OAuth, against our own server.

    python -m scripts.mcp_oauth FOLDER

FOLDER is where a virtual environment may be made. In both eras of MCP a program registers, a person
lets it in in a browser's session, and it remembers; then the server is started anew, and it asks,
renews its token, is revoked in the list of tokens, and has to ask the person again.
"""

import subprocess
import sys
from importlib import import_module
from pathlib import Path
from secrets import token_urlsafe

from django.core.wsgi import get_wsgi_application

from scripts.installation import fresh_installation

SDK = "mcp==2.3.0"
CLIENT = Path(__file__).with_name("mcp_oauth_client.py")
EMAIL, PASSWORD = "ann@harbour.example", token_urlsafe(12)


def main() -> int:
    folder = Path(sys.argv[1]).resolve()
    python = str(folder / "bin" / "python")
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, SDK], check=True)
    wrong = []
    # Models can be imported only where there is an installation.
    with fresh_installation():
        host = import_module("scripts.mcp_host")
        host.made(email=EMAIL, password=PASSWORD)
        command = import_module("django.core.management").call_command
        command("createcachetable", verbosity=0)
        command("collectstatic", interactive=False, verbosity=0)
        for era in ("auto", "legacy"):
            port, more = 0, [EMAIL, PASSWORD, folder / f"{era}.json"]
            for act in ("tell", "ask"):
                with host.served(get_wsgi_application(), port) as site:
                    port = int(site.rpartition(":")[2])  # tokens are for that address alone
                    client = [python, CLIENT, act, era, site, *more]
                    done = subprocess.run(client, check=False)
                    wrong += [f"{act} ({era})"] if done.returncode else []
    print(f"{SDK}: wrong: {', '.join(wrong) or 'none'}")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
