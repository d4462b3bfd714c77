from datetime import date, timedelta

import pytest
from django.db.models import Q
from django.utils import timezone

from memoryweb.agents.models import Agent, Owner, dream_time
from memoryweb.agents.owners import set_paused
from memoryweb.audit.models import Event
from memoryweb.audit.record import SYSTEM
from memoryweb.dreaming import schedule
from memoryweb.dreaming.models import Report
from memoryweb.dreaming.queries import nights_of, team_warnings
from memoryweb.dreaming.status import status, warnings
from memoryweb.memory.agents import archive_agent
from memoryweb.memory.models import File
from memoryweb.memory.models.writer import Memory, write_transaction
from memoryweb.runs import engine
from memoryweb.runs.models import Run
from tests.clock import Clock
from tests.dreaming.nights import NIGHT, dream, memory, note
from tests.world import World

SHIPS, LIVES = "Marta's team ships on Thursdays.", "Marta lives in Gothenburg."


def _due(world: World, night: date) -> list[Owner | None]:
    return schedule.with_new_notes(world.agent, dream_time(world.agent, night))


def _tick(world: World, night: date) -> int:
    now = dream_time(world.agent, night) + timedelta(minutes=1)
    Agent.objects.exclude(pk=world.agent.pk).update(next_dream_at=None)
    Agent.objects.filter(pk=world.agent.pk).update(next_dream_at=now - timedelta(minutes=1))
    return schedule.tick(now)


def test_nights_that_are_caught_up_in_order_each_find_their_new_note(world: World) -> None:
    following = NIGHT + timedelta(days=1)
    note(world, world.customer, NIGHT, SHIPS)
    note(world, world.customer, following, LIVES)
    assert _due(world, NIGHT) == [world.customer]
    dream(world, world.customer, NIGHT)
    assert _due(world, following) == [world.customer]
    dream(world, world.customer, following)
    assert _due(world, following + timedelta(days=1)) == []


def test_a_note_without_a_statement_is_looked_at_once(world: World) -> None:
    note(world, world.customer, NIGHT, SHIPS)
    File.objects.filter(owner=world.customer).update(raw_content="# 2026-11-20\n")
    assert dream(world, world.customer).reason == "no_notes"
    assert _due(world, NIGHT + timedelta(days=1)) == []


def test_a_note_that_was_written_to_since_is_new_again(world: World) -> None:
    note(world, world.customer, NIGHT, SHIPS)
    dream(world, world.customer)
    note(world, world.customer, NIGHT, LIVES)
    assert _due(world, NIGHT + timedelta(days=1)) == [world.customer]


def test_what_a_failed_dream_read_is_still_new(world: World) -> None:
    note(world, world.customer, NIGHT, SHIPS)
    run = dream(world, world.customer)
    Run.objects.filter(pk=run.pk).update(status="failed", due_at=None)
    Report.objects.all().delete()
    assert _due(world, NIGHT + timedelta(days=1)) == [world.customer]


def test_a_night_without_new_notes_leaves_one_outcome_of_the_agent(world: World) -> None:
    note(world, None, NIGHT, SHIPS)
    dream(world, None)
    following = NIGHT + timedelta(days=1)
    assert [_tick(world, following), _tick(world, following)] == [0, 0]
    look = Run.objects.get(kind="dream", night=following)
    assert (look.owner, look.status, look.reason) == (None, "no_change", "no_new_notes")
    assert Event.objects.get(action="run.finished", run_id=look.pk).reason_code == "no_new_notes"
    for owner in (None, world.customer):
        assert (
            status(Memory(world.agent, owner), look.finished_at or look.created_at).last_run == look
        )


def test_without_shared_notes_no_shared_run_is_made(world: World) -> None:
    note(world, world.customer, NIGHT, SHIPS)
    assert _tick(world, NIGHT) == 1
    assert [run.owner for run in Run.objects.filter(kind="dream")] == [world.customer]


def test_without_shared_notes_a_dream_of_all_is_of_the_owners(world: World) -> None:
    note(world, world.customer, timezone.now().date(), SHIPS)
    [by_hand] = schedule.request_all(world.agent, actor=SYSTEM, trigger="person")
    assert by_hand.owner == world.customer


def test_with_nobodys_notes_a_dream_by_hand_is_of_the_shared_memory(world: World) -> None:
    [by_hand] = schedule.request_all(world.agent, actor=SYSTEM, trigger="person")
    assert by_hand.owner is None


def test_what_is_due_is_planned_in_slices(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    now, calls = dream_time(world.agent, NIGHT), []
    note(world, world.customer, NIGHT, SHIPS)
    monkeypatch.setattr(schedule, "SLICE", -1.0)
    monkeypatch.setattr(schedule, "call_tick", lambda: calls.append(1))
    Agent.objects.filter(pk=world.agent.pk).update(next_dream_at=now)
    assert (schedule.tick(now), len(calls)) == (0, 1)
    monkeypatch.setattr(schedule, "SLICE", 60.0)
    assert (schedule.tick(now), len(calls)) == (1, 1)


def test_a_look_that_found_nothing_new_is_in_the_way_of_no_dream(world: World) -> None:
    _tick(world, NIGHT)
    note(world, None, NIGHT, SHIPS)
    assert dream(world, None).status == "succeeded"


def test_nights_without_a_worker_leave_one_dream_to_catch_up(world: World) -> None:
    note(world, world.customer, NIGHT, SHIPS)
    assert [_tick(world, NIGHT + timedelta(days=ahead)) for ahead in range(3)] == [1, 0, 0]
    assert Run.objects.filter(owner=world.customer, kind="dream").count() == 1


def test_a_night_is_planned_while_a_dream_by_hand_waits_and_comes_after_it(world: World) -> None:
    now = timezone.now()
    note(world, world.customer, now.date(), SHIPS)
    with write_transaction(world.team) as tx:
        schedule.request(
            tx, Memory(world.agent, world.customer), trigger="person", user=world.alice
        )
    Agent.objects.update(next_dream_at=None)
    Agent.objects.filter(pk=world.agent.pk).update(next_dream_at=now - timedelta(minutes=1))
    assert schedule.tick(now) == 1
    assert [run.status for run in engine.run_pending()] == ["succeeded", "no_change"]


@pytest.mark.parametrize("by_hand", [True, False])
def test_a_paused_owner_is_not_dreamt(world: World, by_hand: bool) -> None:
    note(world, world.customer, NIGHT, SHIPS)
    set_paused(owner=world.customer, paused=True, by=SYSTEM)
    assert _tick(world, NIGHT) == 0
    with write_transaction(world.team) as tx:
        if by_hand:
            asked = schedule.request(tx, Memory(world.agent, world.customer), trigger="command")
        else:
            asked = schedule.request_night(
                tx, Memory(world.agent, world.customer), NIGHT, trigger="command"
            )
    engine.work(asked.run.pk)
    run = Run.objects.get(pk=asked.run.pk)
    assert (run.status, run.reason) == ("skipped", "paused")
    assert set(File.objects.filter(owner=world.customer).values_list("path", flat=True)) == {
        "memory/2026-11-20.md"
    }


def test_a_dream_that_waits_while_its_agent_is_archived_writes_nothing(world: World) -> None:
    note(world, None, NIGHT, SHIPS)
    with write_transaction(world.team) as tx:
        asked = schedule.request_night(tx, Memory(world.agent, None), NIGHT, trigger="command")
        archive_agent(tx, world.agent)
    engine.work(asked.run.pk)
    run = Run.objects.get(pk=asked.run.pk)
    assert (run.status, run.reason) == ("skipped", "archived")
    assert not Report.objects.filter(run=run).exists()


def test_an_archived_agent_is_never_due(world: World) -> None:
    note(world, None, NIGHT, SHIPS)
    with write_transaction(world.team) as tx:
        archive_agent(tx, Agent.objects.get(pk=world.agent.pk))
    assert _tick(world, NIGHT) == 0


def _warns_of_repetition(world: World) -> bool:
    now = dream_time(world.agent, NIGHT + timedelta(days=3))
    return any("the same result" in said for said in warnings(world.agent, now))


def test_a_night_with_nothing_new_is_no_identical_result(world: World) -> None:
    note(world, world.customer, NIGHT, SHIPS)
    note(world, world.customer, NIGHT, "The lamp in the hall is red.", durable=False)
    dream(world, world.customer)
    dream(world, world.customer, NIGHT + timedelta(days=1))
    assert list(Report.objects.order_by("dreamt_at").values_list("promoted", "kept")) == [
        (1, 1),
        (0, 1),
    ]
    assert not _warns_of_repetition(world)


def test_two_nights_that_promote_the_same_again_are_an_identical_result(world: World) -> None:
    note(world, world.customer, NIGHT, SHIPS)
    for ahead in range(2):
        memory(world, world.customer, "# Memory\n")
        dream(world, world.customer, NIGHT + timedelta(days=ahead))
    assert _warns_of_repetition(world)


class TestAClockThatRanAMonthAheadAndCameBack:
    @pytest.fixture
    def clock(self, monkeypatch: pytest.MonkeyPatch) -> Clock:
        return Clock(timezone.now(), monkeypatch)

    def test_the_next_night_is_dreamt(self, world: World, clock: Clock) -> None:
        now = clock.now
        clock.put(now + timedelta(days=30))
        Agent.objects.filter(pk=world.agent.pk).update(next_dream_at=now)
        schedule.tick(clock.now)
        clock.put(now)
        schedule.tick(clock.now)
        planned = Agent.objects.get(pk=world.agent.pk).next_dream_at
        assert planned is not None
        assert now < planned < now + timedelta(days=2)

    def test_a_dream_by_hand_cools_down_for_minutes_only(self, world: World, clock: Clock) -> None:
        now = clock.now
        for moment in (now + timedelta(days=30), now):
            clock.put(moment)
            with write_transaction(world.team) as tx:
                asked = schedule.request(
                    tx, Memory(world.agent, world.customer), trigger="person", user=world.alice
                )
            engine.work(asked.run.pk)
        assert Run.objects.filter(finished_at__lt=now + timedelta(days=1)).count() == 1


def test_a_dream_of_the_night_that_still_waits_is_told(world: World) -> None:
    note(world, world.customer, NIGHT, SHIPS)
    _tick(world, NIGHT)
    run = Run.objects.get(owner=world.customer)
    early, late = run.created_at + timedelta(hours=1), run.created_at + timedelta(hours=3)
    Run.objects.update(status="failed", reason="model_busy")
    assert not any("late" in said for said in warnings(world.agent, early))
    assert any("The model endpoint is busy." in said for said in warnings(world.agent, late))
    Run.objects.update(created_at=run.created_at - timedelta(hours=3))
    [nights] = nights_of([world.agent], Q(), late)
    assert "1 dream is more than two hours late." in team_warnings(world.team, nights.late)
