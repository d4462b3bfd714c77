"""A model endpoint that is away at night: every dream waits, and none is lost."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from pytest_django import Settings

from memoryweb.agents.models import dream_time
from memoryweb.dreaming import schedule, status
from memoryweb.memory.models.writer import Memory, write_transaction
from memoryweb.runs import engine
from memoryweb.runs.models import Run
from memoryweb.web.dreams.rows import method_of
from tests.clock import Clock
from tests.dreaming.nights import NIGHT, note, text_of
from tests.fakes import Behaviour, ModelServer
from tests.soaking import first_in_gate
from tests.world import World

TROUBLES = {
    "an error": Behaviour(status=500, raw=b"{}", streams=False),
    "busy": Behaviour(status=429, raw=b"{}", streams=False, headers={"Retry-After": "0"}),
    "silence": Behaviour(hang=True),
    "another server": Behaviour(raw=b"<html>Down for maintenance</html>", streams=False),
}


@pytest.fixture
def clock(world: World, monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(dream_time(world.agent, NIGHT), monkeypatch)


@pytest.fixture
def nights(world: World) -> Callable[[int], list[Run]]:
    """The queued dreams of so many owners with something new."""

    def queued(owners: int) -> list[Run]:
        dreaming = [world.customer, world.sender, world.bobs_memory, None][:owners]
        for owner in dreaming:
            note(world, owner, NIGHT, "Marta's team ships on Thursdays.")
        with write_transaction(world.team) as tx:
            return [
                schedule.request_night(tx, Memory(world.agent, owner), NIGHT, trigger="cron").run
                for owner in dreaming
            ]

    return queued


@pytest.mark.parametrize("trouble", first_in_gate(1, list(TROUBLES)))
@pytest.mark.parametrize("owners", first_in_gate(1, [4, 1]))
def test_an_outage_of_75_minutes_ends_no_dream_of_the_night(
    clock: Clock,
    nights: Callable[[int], list[Run]],
    model_server: ModelServer,
    settings: Settings,
    owners: int,
    trouble: str,
) -> None:
    settings.DREAM_TIMEOUT_SECONDS = 0.2
    model_server.default = lambda _: TROUBLES[trouble]
    runs = nights(owners)
    began = clock.now
    clock.run_until(began + timedelta(minutes=75))
    assert {run.status for run in Run.objects.all()} == {"failed"}
    assert Run.objects.active().count() == len(runs)
    settings.DREAM_TIMEOUT_SECONDS = 10
    model_server.rules_like()
    clock.run_until(began + timedelta(minutes=110))
    assert {run.status for run in Run.objects.all()} == {"succeeded"}


def test_after_two_nights_without_the_model_the_rules_do_the_second_and_the_page_says_so(
    world: World,
    clock: Clock,
    nights: Callable[[int], list[Run]],
    model_server: ModelServer,
) -> None:
    model_server.default = lambda _: TROUBLES["an error"]
    [run] = nights(1)
    clock.run_until(clock.now + timedelta(hours=19))
    run.refresh_from_db()
    assert (run.status, text_of(world, world.customer)) == ("failed", "")
    clock.put(dream_time(world.agent, second := NIGHT + timedelta(days=1)))
    with write_transaction(world.team) as tx:
        of = Memory(world.agent, world.customer)
        schedule.request_night(tx, of, second, trigger="cron")
    clock.run_until(clock.now + timedelta(minutes=30))
    last = Run.objects.get(kind="dream", status="succeeded")
    assert last.consolidator == "rules"
    assert "ships on Thursdays" in text_of(world, world.customer)
    assert method_of(last) == "rules: the model had been away for two nights"
    told = [*status.warnings(world.agent, clock.now)]
    assert "The model has been away for two nights, so the rules did the last one." in told


def test_a_spent_budget_is_waited_for_until_the_next_day(
    world: World,
    clock: Clock,
    nights: Callable[[int], list[Run]],
    model_server: ModelServer,
    settings: Settings,
) -> None:
    model_server.rules_like()
    world.team.daily_tokens = 1000
    world.team.save()
    [run] = nights(1)
    settings.RUN_ATTEMPTS = 2
    for _day in range(3):
        clock.run_until(clock.now + timedelta(days=1))
    run.refresh_from_db()
    assert (run.status, run.reason, run.attempts) == ("failed", "budget_spent", 0)
    assert run.due_at is not None
    assert model_server.requests == []
    world.team.daily_tokens = None
    world.team.save()
    clock.run_until(run.due_at)
    run.refresh_from_db()
    assert run.status == "succeeded"


def test_a_busy_endpoint_is_left_alone_for_at_least_the_usual_pause(
    clock: Clock, nights: Callable[[int], list[Run]], model_server: ModelServer
) -> None:
    model_server.default = lambda _: TROUBLES["busy"]
    [run] = nights(1)
    list(engine.run_pending())
    run.refresh_from_db()
    assert run.due_at is not None
    assert run.started_at is not None
    assert run.due_at - run.started_at >= engine.FIRST_PAUSE
