from datetime import timedelta

import pytest
from django.utils import timezone

from memoryweb.agents.models import Agent
from memoryweb.memory.agents import NameTaken, archive_agent, change_agent, create_agent
from memoryweb.memory.unit import unit
from tests.world import World


def _change(world: World, agent: Agent, **settings: object) -> Agent:
    with unit(world.team) as work:
        change_agent(work, agent, **settings)
    return Agent.objects.get(pk=agent.pk)


def _overdue(world: World) -> Agent:
    due = timezone.now() - timedelta(minutes=5)
    Agent.objects.filter(pk=world.agent.pk).update(next_dream_at=due)
    return Agent.objects.get(pk=world.agent.pk)


def test_a_new_name_does_not_cancel_a_dream_that_is_due(world: World) -> None:
    agent = _overdue(world)
    due = agent.next_dream_at
    assert _change(world, agent, name="Renamed").next_dream_at == due


def test_a_new_time_zone_moves_the_next_dream(world: World) -> None:
    now = timezone.now()
    changed = _change(world, _overdue(world), time_zone="Asia/Tokyo")
    assert changed.next_dream_at is not None
    assert changed.next_dream_at > now


def test_settings_saved_from_an_older_page_do_not_bring_an_archived_agent_back(
    world: World,
) -> None:
    loaded = Agent.objects.get(pk=world.agent.pk)
    with unit(world.team) as work:
        archive_agent(work, world.agent)
    assert _change(world, loaded, description="Old").archived_at is not None


def test_a_name_that_grows_when_folded_can_be_given_once(world: World) -> None:
    name = "ß" * 60
    with unit(world.team) as work:
        assert create_agent(work, name=name).name == name
    with unit(world.team) as work, pytest.raises(NameTaken):
        create_agent(work, name=name.upper()[:64])
