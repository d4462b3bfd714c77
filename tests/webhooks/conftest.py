import pytest
from django.test import Client

from tests.world import World, signed_in


@pytest.fixture
def alice(world: World) -> Client:
    return signed_in(world.alice)


@pytest.fixture
def bob(world: World) -> Client:
    return signed_in(world.bob)
