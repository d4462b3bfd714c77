"""What the pages of the past cost where a file has 100,000 revisions, against one with 60."""

import time
from collections.abc import Callable, Sequence
from datetime import timedelta
from functools import partial
from statistics import median
from typing import Any

from django.conf import settings
from django.test import Client
from django.test.utils import override_settings
from django.urls import reverse
from django.utils import timezone
from django_scopes import scope

from memoryweb.accounts.members import add_member
from memoryweb.accounts.models import Team, User
from memoryweb.accounts.permissions import Role
from memoryweb.accounts.teams import create_team
from memoryweb.agents.models import Agent
from memoryweb.audit.record import SYSTEM
from memoryweb.memory.models import AuthorKind
from memoryweb.memory.models.writer import Place, Writer, write_transaction
from memoryweb.memory.writing.write import write
from scripts.measures import agent_and_owner
from tests.aging import age

FEW, MANY, ROUNDS = 60, 100_000, 15
NAME = "notes.md"
PAGES: tuple[tuple[str, str, bool, str], ...] = (
    ("Revisions", "agents_revisions", True, ""),
    ("Revisions, the second page", "agents_revisions", True, "?page=2"),
    ("Revisions, by a kind of author", "agents_revisions", True, "?kind=person"),
    ("Revisions, by a kind that wrote none", "agents_revisions", True, "?kind=import"),
    ("One revision", "agents_revision", True, ""),
    ("Two revisions compared", "agents_compare", True, ""),
    ("Time travel", "agents_moments", False, ""),
    ("Time travel to a moment", "agents_moments", False, "?at=2099-01-01T00:00"),
    ("Time travel to before most of it", "agents_moments", False, "?at={soon}"),
    ("Time travel to before all of it", "agents_moments", False, "?at=2001-01-01T00:00"),
    ("Time travel to the middle of it", "agents_moments", False, "?at={middle}"),
    (
        "Two moments compared",
        "agents_moments",
        False,
        "?show=changes&at=2020-01-01T00:00&until=2099-01-01T00:00",
    ),
)


def run() -> None:
    team = create_team(name="History", by=SYSTEM)
    with scope(team=team):
        person = add_member(
            team=team, email="history@bench.example", role=Role.ADMIN, by=SYSTEM
        ).user
        short, long = (_history(team, person, name) for name in ("short", "long"))
        age(long.files.get(path=NAME), MANY)
    moments = {"soon": _after(60), "middle": _after(MANY // 2)}
    client = Client(SERVER_NAME="localhost")
    client.force_login(person)
    plain = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    with override_settings(STORAGES=settings.STORAGES | {"staticfiles": plain}):
        _compare(client, short, long, moments)


def _compare(client: Client, short: Agent, long: Agent, moments: dict[str, str]) -> None:
    for label, name, of_file, query in PAGES:
        query = query.format(**moments)
        looks = [partial(client.get, _address(one, name, query, of_file)) for one in (short, long)]
        few, many = _side_by_side(looks)
        print(f"{label:<48}{few * 1e3:9.1f} ms{many * 1e3:9.1f} ms{many / few:8.2f} times")


def _after(seconds: int) -> str:
    return f"{timezone.now() + timedelta(seconds=seconds):%Y-%m-%dT%H:%M}"


def _history(team: Team, person: User, name: str) -> Agent:
    agent, _owner = agent_and_owner(team, f"{name} history")
    for number in range(FEW):
        with write_transaction(team) as tx:
            place, writer = Place(agent, None, NAME), Writer(AuthorKind.PERSON, user=person)
            write(tx, place, f"- Lamp {number}.\n", writer=writer)
    return agent


def _address(agent: Agent, name: str, query: str, of_file: bool) -> str:
    kwargs = {"team": agent.team.slug, "agent_id": agent.pk}
    if of_file:
        kwargs["path"] = NAME
    if name == "agents_revision":
        kwargs["number"] = FEW - 1
    return reverse(f"web:{name}", kwargs=kwargs) + query


def _side_by_side(looks: Sequence[Callable[[], Any]]) -> list[float]:
    """The machine is busy for both."""
    took: list[list[float]] = [[] for _look in looks]
    for turn in range(ROUNDS + 1):
        for times, look in zip(took, looks, strict=True):
            started = time.process_time()
            answer = look()
            assert answer.status_code == 200, answer.content[:200]
            if turn:  # the first makes what is kept
                times.append(time.process_time() - started)
    return [median(times) for times in took]
