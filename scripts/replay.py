"""Send a JSONL file of conversations through the API, in order, and dream every night in between.

    python -m scripts.replay --url http://127.0.0.1:8000 --token mwp_… \
        --team my-team --agent Ada --user ann FILE.jsonl

One message a line, as `import_conversations` takes them: conversation, id, role, name, content,
timestamp. The messages go to the running server with an integration's token; extractions and
nights are asked for with this installation's own commands.
"""

import argparse
import json
import os
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from itertools import groupby
from pathlib import Path
from typing import Any

import django
import httpx
from django.core.management import call_command

NIGHTS_AFTER = 8


def main() -> None:
    options = _options()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memoryweb.settings")
    django.setup()
    client = httpx.Client(
        base_url=f"{options.url}/api/v1",
        headers={"Authorization": f"Bearer {options.token}"},
        trust_env=False,
        timeout=60,
    )
    agent = _agent_id(client, options.agent)
    where = {"team": options.team, "agent": options.agent, "owner": f"api:{options.user}"}
    night: date | None = None
    for conversation, day, messages in _conversations(options.file):
        night = _dream(where, night, day) if night else day + timedelta(days=1)
        said = _send(client, agent, conversation, messages, options.user)
        call_command("extract", **where)
        print(f"{day} {conversation}: {said['added']} added, {said['duplicates']} known")
    if night:
        _dream(where, night, night + timedelta(days=NIGHTS_AFTER))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    for name in ("url", "token", "team", "agent", "user"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("file", type=Path)
    return parser.parse_args()


def _conversations(path: Path) -> Iterator[tuple[str, date, list[dict[str, Any]]]]:
    rows = (json.loads(line) for line in path.read_text(encoding="utf-8").splitlines())
    for conversation, group in groupby(rows, key=lambda row: row.pop("conversation")):
        messages = list(group)
        yield conversation, datetime.fromisoformat(messages[-1]["timestamp"]).date(), messages


def _agent_id(client: httpx.Client, name: str) -> str:
    agents = client.get("/agents").raise_for_status().json()["items"]
    return str(next(agent["id"] for agent in agents if name in {agent["name"], agent["id"]}))


def _send(
    client: httpx.Client, agent: str, conversation: str, messages: list[dict[str, Any]], user: str
) -> dict[str, Any]:
    answer = client.post(
        f"/agents/{agent}/conversations/{conversation}/messages",
        json={"messages": messages, "endUserId": user, "source": "import", "finished": True},
    )
    if answer.is_error:
        raise SystemExit(f"{answer.status_code}: {answer.text}")
    said: dict[str, Any] = answer.json()
    return said


def _dream(where: dict[str, str], night: date, until: date) -> date:
    """Every night from `night` up to the one before the day's conversations; the next to dream."""
    while night <= until:
        call_command("dream", night=night, **where)
        night += timedelta(days=1)
    return night


if __name__ == "__main__":
    main()
