"""One choice of an agent became two: what takes its notes, and what writes its dreams."""

from importlib import import_module

import pytest
from django.apps import apps

from memoryweb.agents.models import Agent
from tests.world import World

extractor = import_module("memoryweb.agents.migrations.0002_extractor")


@pytest.mark.parametrize("choice", Agent.Consolidator.values)
def test_an_agent_keeps_what_it_had_for_both(world: World, choice: str) -> None:
    Agent.objects.filter(pk=world.agent.pk).update(consolidator=choice, extractor="auto")
    extractor.as_dreams(apps, None)
    world.agent.refresh_from_db()
    assert (world.agent.extractor, world.agent.consolidator) == (choice, choice)
