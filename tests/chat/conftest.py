import pytest

from tests.api.callers import Callers, callers_of
from tests.world import World


@pytest.fixture
def callers(world: World) -> Callers:
    return callers_of(world)
