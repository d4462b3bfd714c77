from dataclasses import replace

import pytest
from django.test import Client

from tests.snapshot import restored
from tests.web.stage import Stage, build
from tests.world import World, signed_in


@pytest.fixture
def stage(world: World) -> Stage:
    return replace(restored("stage", lambda: build(world)), world=world)


@pytest.fixture
def alice(world: World) -> Client:
    return signed_in(world.alice)


@pytest.fixture
def bob(world: World) -> Client:
    return signed_in(world.bob)


@pytest.fixture
def vera(world: World) -> Client:
    return signed_in(world.vera)


@pytest.fixture
def audrey(world: World) -> Client:
    return signed_in(world.audrey)


@pytest.fixture
def charlie(world: World) -> Client:
    return signed_in(world.charlie)
