"""Two requests at the same moment, each with a connection of its own."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import TypeVar

import pytest
from django.conf import settings
from django.db import connection

from memoryweb.agents.models import Agent
from memoryweb.runs.models import Run
from tests.api.client import Api
from tests.mcp.app import App
from tests.snapshot import restored_world
from tests.waiting import SECONDS
from tests.workers import ROOT, database_url
from tests.world import World, personal_token, signed_in

pytestmark = [pytest.mark.databases, pytest.mark.django_db(transaction=True)]
Answer = TypeVar("Answer")
SETTINGS = "memoryweb.settings"
DYING = """
import os, signal, django
django.setup()
from django.db.models.signals import post_save
from django.test.utils import setup_test_environment
from memoryweb.agents.models import Agent
from tests.api.client import Api
setup_test_environment()
die = lambda **_: os.kill(os.getpid(), signal.SIGKILL)
post_save.connect(die, sender=Agent)
Api("{token}").post("/agents", {{"name": "Porter"}}, idempotency_key="k1")
"""


@pytest.fixture
def world(transactional_db: None) -> World:
    return restored_world()


def at_once(call: Callable[[], Answer]) -> list[Answer]:
    barrier = Barrier(2)

    def run(_turn: int) -> Answer:
        try:
            barrier.wait(SECONDS)
            return call()
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(run, range(2)))


def test_one_key_is_worked_on_once(world: World) -> None:
    api = Api(personal_token(world.team, world.alice))

    answers = at_once(lambda: api.post("/agents", {"name": "Porter"}, idempotency_key="k1"))

    # The slower one waits, and finds the answer of the faster.
    assert [answer.status_code for answer in answers] == [201, 201]
    assert answers[0].content == answers[1].content
    assert Agent.objects.filter(team=world.team, name="Porter").count() == 1


@pytest.mark.parametrize("kind", ["code", "refresh token"])
def test_of_two_that_send_one_secret_of_an_app_neither_keeps_a_token(
    world: World, kind: str
) -> None:
    app, bob = App.new(), signed_in(world.bob)
    code = app.granted(bob, world.agent.pk)
    if kind == "refresh token":
        app.comes_for(code)
    first = app.refresh
    answers = at_once(lambda: app.renews(first) if first else app.comes_for(code))
    assert sorted(answer.status_code for answer in answers) == [200, 400]
    assert app.calls("ping").status_code == 401
    assert app.renews().status_code == 400


def test_a_process_that_is_killed_leaves_its_key_free(world: World) -> None:
    """In the middle of the request, when an agent has been made and nothing is committed."""
    token = personal_token(world.team, world.alice)
    environment = {"MEMORYWEB_DATABASE_URL": database_url(), "DJANGO_SETTINGS_MODULE": SETTINGS}
    environment["MEMORYWEB_SECRET_KEY"] = settings.SECRET_KEY
    environment["MEMORYWEB_CHECKPOINT_SECRET"] = settings.CHECKPOINT_SECRET
    command = [sys.executable, "-c", DYING.format(token=token)]
    died = subprocess.run(command, cwd=ROOT, env=os.environ | environment, check=False)
    assert died.returncode == -signal.SIGKILL
    answer = Api(token).post("/agents", {"name": "Porter"}, idempotency_key="k1")
    assert answer.status_code == 201
    assert Agent.objects.filter(team=world.team, name="Porter").count() == 1


def test_two_requests_for_a_dream_get_one_run(world: World) -> None:
    api = Api(personal_token(world.team, world.bob))
    path = f"/memory/{world.agent.pk}/emergence"

    first, second = at_once(lambda: api.post(path, {"owner": "shared"}).json()["runs"])

    assert first[0]["id"] == second[0]["id"]
    assert Run.objects.filter(agent=world.agent).count() == 1
