from datetime import timedelta

import pytest
from django.utils import timezone

from memoryweb.agents.models import Agent
from memoryweb.audit.models import Event
from memoryweb.memory.agents import (
    NameTaken,
    archive_agent,
    change_agent,
    create_agent,
    remove_expired,
    restore_agent,
)
from memoryweb.memory.models import File
from memoryweb.memory.models.writer import write_transaction
from memoryweb.runs import engine
from tests.accounts.refusal import refusing_events
from tests.world import World


def _change(world: World, agent: Agent, **settings: object) -> Agent:
    with write_transaction(world.team) as tx:
        change_agent(tx, agent, **settings)
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
    with write_transaction(world.team) as tx:
        archive_agent(tx, world.agent)
    assert _change(world, loaded, description="Old").archived_at is not None


def test_a_name_that_grows_when_folded_can_be_given_once(world: World) -> None:
    name = "ß" * 60
    with write_transaction(world.team) as tx:
        assert create_agent(tx, name=name).name == name
    with write_transaction(world.team) as tx, pytest.raises(NameTaken):
        create_agent(tx, name=name.upper()[:64])


def _archived(world: World, days: int = 0) -> Agent:
    with write_transaction(world.team) as tx:
        archive_agent(tx, world.agent)
    since = timezone.now() - timedelta(days=days)
    Agent.objects.filter(pk=world.agent.pk).update(archived_at=since)
    return Agent.objects.get(pk=world.agent.pk)


def _actions(world: World) -> list[str]:
    events = Event.objects.filter(team_id=world.team.pk, target_id=str(world.agent.pk))
    return list(events.order_by("seq").values_list("action", flat=True))


def test_an_agent_brought_back_dreams_again(world: World) -> None:
    with write_transaction(world.team) as tx:
        restore_agent(tx, _archived(world, days=3))
    agent = Agent.objects.get(pk=world.agent.pk)
    assert agent.archived_at is None
    assert agent.next_dream_at is not None
    assert agent.next_dream_at > timezone.now()
    assert _actions(world)[-1] == "agent.restored"


def test_an_agent_whose_name_was_given_away_stays_archived(world: World) -> None:
    agent = _archived(world)
    with write_transaction(world.team) as tx:
        create_agent(tx, name="atlas")
    with pytest.raises(NameTaken, match="Atlas"), write_transaction(world.team) as tx:
        restore_agent(tx, agent)
    assert Agent.objects.get(pk=agent.pk).archived_at is not None


def test_two_who_bring_it_back_leave_one_event(world: World) -> None:
    agent = _archived(world)
    for _turn in range(2):
        with write_transaction(world.team) as tx:
            restore_agent(tx, agent)
    assert _actions(world).count("agent.restored") == 1


def test_archiving_twice_does_not_begin_the_30_days_anew(world: World) -> None:
    agent = _archived(world, days=20)
    with write_transaction(world.team) as tx:
        archive_agent(tx, agent)
    assert Agent.objects.get(pk=agent.pk).archived_at == agent.archived_at


def test_after_30_days_an_archived_agent_goes_with_all_that_is_its(world: World) -> None:
    agent = _archived(world, days=30)
    now = timezone.now()
    assert remove_expired(now) == 1
    assert not Agent.objects.filter(pk=agent.pk).exists()
    assert not File.objects.filter(agent_id=agent.pk).exists()
    assert File.objects.filter(agent=world.other_agent).exists()
    assert _actions(world)[-1] == "agent.removed"
    assert remove_expired(now) == 0


def test_until_then_it_stays(world: World) -> None:
    agent = _archived(world, days=29)
    assert remove_expired(timezone.now()) == 0
    assert Agent.objects.filter(pk=agent.pk).exists()


def test_one_that_cannot_go_keeps_no_other_from_going(world: World) -> None:
    """The first team's events are refused by the database."""
    with write_transaction(world.twin.team) as tx:
        archive_agent(tx, world.twin.agent)
    _archived(world)
    Agent.objects.archived().update(archived_at=timezone.now() - timedelta(days=31))
    with refusing_events():
        assert remove_expired(timezone.now()) == 0
    assert Agent.objects.archived().count() == 2
    assert remove_expired(timezone.now()) == 2


def test_the_tick_removes_them(world: World) -> None:
    agent = _archived(world, days=31)
    assert engine.tick(timezone.now()) == []
    assert not Agent.objects.filter(pk=agent.pk).exists()


@pytest.mark.parametrize(
    "name",
    ["Аtlas", "Аtlаs", "АТLАS", "Ａtlas", "At\u200blas", "Αtlas", "atlas", "Atlɑs", "Atlas\u3164"],
)
def test_a_name_that_only_looks_like_another_agents_is_refused(world: World, name: str) -> None:
    with pytest.raises(NameTaken), write_transaction(world.team) as tx:
        create_agent(tx, name=name)
    with pytest.raises(NameTaken), write_transaction(world.team) as tx:
        change_agent(tx, world.other_agent, name=name)
    with write_transaction(world.team) as tx:
        change_agent(tx, world.agent, name=name)  # its own may change its looks


def test_a_name_in_another_script_is_a_name(world: World) -> None:
    with write_transaction(world.team) as tx:
        for name in ("Анна", "Ελένη", "アトラス", "阿特拉斯"):
            assert create_agent(tx, name=name).name == name


def test_agents_of_a_team_look_apart(world: World) -> None:
    Agent.objects.update(tint=1)
    with write_transaction(world.team) as tx:
        made = [create_agent(tx, name=f"Ada {n}") for n in range(8)]
    assert [one.tint for one in made[:7]] == [2, 3, 4, 5, 6, 7, 8]
    assert _change(world, made[0], name="Bo").tint == 2
