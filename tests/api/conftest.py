from collections.abc import Iterator
from copy import deepcopy

import pytest

from tests.api.callers import Callers, callers_of
from tests.api.standing import standing
from tests.snapshot import StandingWorld, restored, restored_world
from tests.world import World


@pytest.fixture(scope="module")
def built(standing_world: StandingWorld) -> Iterator[tuple[World, Callers]]:
    with standing(standing_world, _build) as made:
        yield made


@pytest.fixture
def world(built: tuple[World, Callers], db: None) -> World:
    return deepcopy(built[0])


@pytest.fixture
def callers(built: tuple[World, Callers], db: None) -> Callers:
    return built[1]


@pytest.fixture
def path(world: World) -> str:
    return f"/agents/{world.agent.pk}"


@pytest.fixture
def memory(world: World) -> str:
    return f"/memory/{world.agent.pk}"


def _build() -> tuple[World, Callers]:
    world = restored_world()
    return world, restored("callers", lambda: callers_of(world))
