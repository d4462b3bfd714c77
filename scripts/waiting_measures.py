"""How long one team's `remember` waits while another team makes its largest calls, in one run."""

import time
from collections.abc import Callable
from functools import partial
from threading import Event, Thread
from typing import Any

from django.db import connection
from django.test import Client
from django.utils import timezone
from django_scopes import scope

from memoryweb.accounts import tokens
from memoryweb.accounts.models import Team
from memoryweb.accounts.teams import create_team
from memoryweb.agents.models import Agent, Reader
from memoryweb.audit.record import SYSTEM
from memoryweb.memory.models import AuthorKind
from memoryweb.memory.models.writer import Writer, write_transaction
from memoryweb.memory.tools.files import Acting, remember
from memoryweb.runs import engine
from scripts.measures import agent_and_owner

MANY = 1000
ANA = {"endUserId": "ana"}


def run() -> None:
    busy, waiting = (create_team(name=name, by=SYSTEM) for name in ("Busy", "Waiting"))
    with scope(team=waiting):
        other, _owner = agent_and_owner(waiting, "waiting")
    with scope(team=busy):
        agent, _owner = agent_and_owner(busy, "busy")
        integration = busy.integrations.get(name="busy")
    _token, secret = tokens.issue(
        team=busy, by=SYSTEM, integration=integration, name="Bench", scopes=integration.scopes
    )
    post = partial(_post, {"Authorization": f"Bearer {secret}"})
    talk = f"/api/v1/agents/{agent.pk}/conversations"
    said = [{"role": "user", "content": f"I own {n} boats in bay {n}."} for n in range(MANY)]
    wishes = [{"role": "user", "content": f"Forget my flat {n}."} for n in range(MANY)]
    stated = {"messages": said, "infer": False, "user_id": "ana"}
    calls: dict[str, Callable[[], object]] = {
        "nothing else": partial(time.sleep, 1),
        "a batch of 1,000 messages": partial(post, f"{talk}/a/messages", {"messages": said, **ANA}),
        "1,000 wishes to forget": partial(post, f"{talk}/b/messages", {"messages": wishes, **ANA}),
        "mem0's add of 1,000, infer=False": partial(
            post, f"/mem0/{agent.pk}/v3/memories/add/", stated
        ),
        "its run": partial(_work),
    }
    for name, call in calls.items():
        longest = _beside(call, waiting, other)
        print(f"{f'Longest remember of another team beside {name}':<72}{longest:9.2f} s")


def _post(headers: dict[str, str], address: str, body: dict[str, Any]) -> None:
    client = Client(SERVER_NAME="localhost")
    answer = client.post(address, body, content_type="application/json", headers=headers)
    assert answer.status_code == 200, answer.content[:200]


def _work() -> None:
    list(engine.run_pending(until_idle=True))


def _beside(call: Callable[[], object], team: Team, agent: Agent) -> float:
    """In seconds: how long the slowest of those took that were written until `call` was over."""
    is_over, longest = Event(), [0.0]

    def write() -> None:
        with scope(team=team):
            while not is_over.is_set():
                started = time.perf_counter()
                _remember(team, agent)
                longest.append(time.perf_counter() - started)
        connection.close()

    writing = Thread(target=write)
    writing.start()
    try:
        call()
    finally:
        is_over.set()
        writing.join()
    return max(longest)


def _remember(team: Team, agent: Agent) -> None:
    now = timezone.now()
    with write_transaction(team) as tx:
        acting = Acting(Reader(agent), now)
        writer = Writer(AuthorKind.AGENT, is_tool=True)
        remember(tx, acting, f"Tea at {now.timestamp()}.", writer=writer)
