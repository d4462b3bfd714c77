"""Two requests at the same moment, each with a connection of its own."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import TypeVar

import pytest
from django.db import connection

from memoryweb.agents.models import Agent
from memoryweb.runs.models import Run
from tests.api.client import Api
from tests.snapshot import restored_world
from tests.world import World, personal_token

pytestmark = pytest.mark.django_db(transaction=True)
Answer = TypeVar("Answer")


@pytest.fixture
def world(transactional_db: None) -> World:
    return restored_world()


def at_once(call: Callable[[], Answer]) -> list[Answer]:
    barrier = Barrier(2)

    def run(_turn: int) -> Answer:
        try:
            barrier.wait(timeout=20)
            return call()
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(run, range(2)))


def test_one_key_is_worked_on_once(world: World) -> None:
    api = Api(personal_token(world.team, world.alice))

    answers = at_once(lambda: api.post("/agents", {"name": "Porter"}, idempotency_key="k1"))

    # The slower one is told to wait, or finds the answer of the faster.
    assert {answer.status_code for answer in answers} <= {201, 409}
    assert 201 in {answer.status_code for answer in answers}
    assert Agent.objects.filter(team=world.team, name="Porter").count() == 1


def test_two_requests_for_a_dream_get_one_run(world: World) -> None:
    api = Api(personal_token(world.team, world.bob))
    path = f"/memory/{world.agent.pk}/emergence"

    first, second = at_once(lambda: api.post(path, {"owner": "shared"}).json()["runs"])

    assert first[0]["id"] == second[0]["id"]
    assert Run.objects.filter(agent=world.agent).count() == 1
