import pytest

from tests.api.callers import Callers, callers_of
from tests.world import World


@pytest.fixture
def callers(world: World) -> Callers:
    return callers_of(world)


@pytest.fixture
def path(world: World) -> str:
    return f"/agents/{world.agent.pk}"


@pytest.fixture
def memory(world: World) -> str:
    return f"/memory/{world.agent.pk}"
