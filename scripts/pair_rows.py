"""What `pair_worker` measures: acts on a team that was talked to, and pages of the demo.

Only what lasts from commit to commit is called: the API, pages, and the measured tree's `scripts`.
"""

import json
from collections.abc import Callable, Iterator
from functools import partial
from io import StringIO
from pathlib import Path
from time import process_time
from typing import Any
from unittest.mock import patch

from django.conf import settings
from django.core.management import call_command
from django.db import connection
from django.test import Client, override_settings
from django.test.utils import CaptureQueriesContext
from django_scopes import scope

from memoryweb.accounts import tokens
from memoryweb.accounts.models import Team, User
from memoryweb.accounts.teams import create_team
from memoryweb.audit.record import SYSTEM
from scripts import measures

TALK = "conv-30.messages.jsonl"  # as much as a person says in some weeks
BLOCKS = 1000
PLAIN = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
Act = Callable[[], object]


class Rows:
    """A team with an agent that was talked to, and what is measured of it."""

    def __init__(self, folder: Path) -> None:

        self.said: list[dict[str, Any]] = [
            json.loads(line) for line in (folder / TALK).open(encoding="utf-8")
        ]
        self.folder, self.number = folder, 0
        self.team = create_team(name="Pairs", by=SYSTEM)
        with scope(team=self.team):
            secret = self._made()
        self.api = Client(SERVER_NAME="localhost", headers={"Authorization": f"Bearer {secret}"})
        override_settings(STORAGES=settings.STORAGES | {"staticfiles": PLAIN}).enable()
        self.pages = Client(SERVER_NAME="localhost")
        call_command("first_start", stdout=StringIO())
        self.demo = Team.objects.get(is_demo=True)
        self.pages.force_login(User.objects.get(email="marta@northwind.example"))
        self._fill()
        self.acts: dict[str, Act] = dict(self._acts())

    def _made(self) -> str:
        """Two agents, and a token."""
        self.agent, _owner = measures.agent_and_owner(self.team, "talk")
        self.other, _owner = measures.agent_and_owner(self.team, "blocks")
        made = self.team.integrations.get(name="talk")
        _token, secret = tokens.issue(
            team=self.team, by=SYSTEM, integration=made, name="Pairs", scopes=made.scopes
        )
        return secret

    def _fill(self) -> None:
        for start in range(0, len(self.said), 100):
            self._send(self.said[start : start + 100], "customer-1", "talk")
        text = "\n\n".join(f"- {one}" for one in self._sentences()[:BLOCKS])
        address = f"/api/v1/agents/{self.other.pk}/workspace/files/KNOWLEDGE.md?owner=shared"
        self._answered(self.api.put(address, {"content": text}, "application/json"))

    def _sentences(self) -> list[str]:
        """What anybody said on one line, each once."""
        files = sorted(self.folder.glob("*.messages.jsonl"))
        rows = (json.loads(line) for file in files for line in file.open(encoding="utf-8"))
        return [*dict.fromkeys(one["content"] for one in rows if "\n" not in one["content"])]

    def _send(self, said: list[dict[str, Any]], user: str, conversation: str) -> None:
        messages = [
            {"role": one["role"], "name": one.get("name"), "content": one["content"]}
            for one in said
        ]
        address = f"/api/v1/agents/{self.agent.pk}/conversations/{conversation}/messages"
        body = {"endUserId": user, "messages": messages}
        self._answered(self.api.post(address, body, "application/json"))

    def _acts(self) -> Iterator[tuple[str, Act]]:
        asked = [one["content"] for one in self.said if "?" in one["content"]][:40]
        short = [" ".join(sorted(one.split(), key=len)[-3:]) for one in asked]
        for name, count in (("intake of 1", 1), ("intake of 10", 10), ("intake of 1,000", 1000)):
            yield name, partial(self._take_in, count)
        yield f"context, {len(self.said)} messages", lambda: self._context(self._next(asked))
        yield f"search, questions, {BLOCKS:,} blocks", lambda: self._search(self._next(asked))
        yield f"search, 3 words, {BLOCKS:,} blocks", lambda: self._search(self._next(short))
        file = f"/api/v1/agents/{self.agent.pk}/workspace/files/AGENTS.md?owner=shared"
        yield "GET of a file", lambda: self._answered(self.api.get(file))
        home = f"/t/{self.demo.slug}/"
        with scope(team=self.demo):
            agent = f"{home}agents/{self.demo.agents.order_by('created_at')[0].pk}/"
        pages = {
            "Last night": home,
            "My memory": f"{home}me/",
            "agent's home": agent,
            "statements": f"{agent}statements/",
        }
        for name, page in pages.items():
            yield name, partial(self._look, page)
        yield "dream of 28 lines", lambda: self._dream(4)

    def _next(self, texts: list[str]) -> str:
        self.number += 1
        return texts[self.number % len(texts)]

    def _take_in(self, count: int) -> None:
        self.number += 1
        said = (self.said * (count // len(self.said) + 1))[:count]
        self._send(said, f"customer-{self.number}", f"talk {self.number}")

    def _context(self, message: str) -> None:
        address = f"/api/v1/agents/{self.agent.pk}/context"
        body = {"endUserId": "customer-1", "message": message}
        self._answered(self.api.post(address, body, "application/json"))

    def _search(self, words: str) -> None:
        address = f"/api/v1/agents/{self.other.pk}/workspace/search"
        self._answered(self.api.get(address, {"q": words, "owner": "shared"}))

    def _dream(self, lines: int) -> float:

        self.number += 1
        # The dream alone is timed.
        with patch("time.perf_counter", process_time), scope(team=self.team):
            return measures._dream(self.team, f"dream {self.number}", lines).seconds

    def _look(self, page: str) -> None:
        self._answered(self.pages.get(page))

    def _answered(self, answer: Any) -> None:
        assert answer.status_code in {200, 201}, (answer.status_code, answer.content[:300])

    def measured(self, name: str) -> dict[str, float]:

        act = self.acts[name]
        started = process_time()
        own = act()
        spent = process_time() - started
        with CaptureQueriesContext(connection) as queries:
            act()
        seconds = own if isinstance(own, float) else spent
        return {"seconds": seconds, "statements": len(queries)}
