from collections.abc import Iterator
from copy import deepcopy

import pytest

from tests.api.callers import Callers, callers_of
from tests.api.standing import standing
from tests.mcp.client import Mcp
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
def mcp(world: World, callers: Callers) -> Mcp:
    host = Mcp(callers.helpdesk.token)
    return host.as_host(agent=str(world.agent.pk), owner="api:customer-1")


def _build() -> tuple[World, Callers]:
    world = restored_world()
    return world, restored("callers", lambda: callers_of(world))
