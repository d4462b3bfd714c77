"""Every act of the domain and its event: both or neither, and the chain holds after all of them."""

from typing import Any

import pytest
from django.db import DatabaseError
from django.utils import timezone

from memoryweb.audit.actions import ACTIONS
from memoryweb.audit.models import Event
from memoryweb.audit.verify import verify
from memoryweb.dreaming import schedule
from memoryweb.dreaming.models import Report
from memoryweb.memory.lines.origins import Origin
from memoryweb.memory.models import File
from memoryweb.memory.models.writer import Memory, write_transaction
from memoryweb.memory.writing import write
from memoryweb.memory.writing.write import NewLine
from memoryweb.runs import engine
from memoryweb.runs.models import Run
from tests.accounts.refusal import refusing_events
from tests.walls.acts_on_memory import ON_MEMORY, PERSON, place_of, set_up
from tests.walls.acts_on_people import ON_PEOPLE
from tests.walls.web_calls import everything, undone
from tests.world import World

ACTS = ON_MEMORY | ON_PEOPLE
ALL: frozenset[str] = frozenset()
# What was decided just before, in a row of acts, and can't be again.
DECIDED = {"reject", "remove a marked line"}
# Acts of a request or a worker, which their own walls walk through.
ELSEWHERE = {
    *("backup.made", "backup.restored", "backup.seen"),  # tests/commands/test_backup.py
    *("keys.changed", "keys.lost"),  # tests/audit/test_key_changes.py
    *(
        "audit.exported",
        "evidence.packed",
        "memory.forgotten",
        "memory.expired",
        "reports.expired",
        "access.denied",
        "personal.read",
        "personal.exported",
        "run.finished",
    ),
    *("embedding.changed", "model.changed", "model.tested"),  # ask for a setting, and call
    *("agent.removed", "team.removed", "search.reindexed"),
    *("secret.held", "secret.decided", "secret.expired", "secret.value_refused"),  # of before
}


@pytest.fixture
def staged(world: World) -> World:
    return set_up(world)


def test_every_action_of_the_catalogue_is_walked() -> None:
    assert {action for action, _act in ACTS.values()} | ELSEWHERE == ACTIONS.keys()


def test_an_act_leaves_its_event(staged: World) -> None:
    for name, (action, act) in ACTS.items():
        with undone():
            before = set(Event.objects.values_list("pk", flat=True))
            act(staged)
            made = Event.objects.exclude(pk__in=before)
            assert action in set(made.values_list("action", flat=True)), name
            assert name not in DECIDED or _all_verify(), name


def test_without_its_event_an_act_leaves_nothing(staged: World) -> None:
    still = everything(but=ALL)
    for name, (_action, act) in ACTS.items():
        with undone():
            with refusing_events(), pytest.raises(DatabaseError):
                act(staged)
            assert _same(everything(but=ALL), still), name


def test_all_acts_in_a_row_leave_a_chain_that_verifies(staged: World) -> None:
    for name, (_action, act) in ACTS.items():
        if name not in DECIDED:
            act(staged)
    assert _all_verify()
    verified = verify(staged.team.pk)
    assert (verified.ok, verified.problem) == (True, "")
    assert verified.events == Event.objects.filter(team_id=staged.team.pk).count()


def test_without_its_event_a_dream_writes_nothing_and_is_tried_again(world: World) -> None:
    run = _dream_of_one_line(world)
    with refusing_events():
        engine.work(run.pk)
    run.refresh_from_db()
    assert (run.status, run.is_active) == ("failed", True)
    assert not File.objects.filter(owner=world.customer, path="MEMORY.md").exists()
    assert not Report.objects.exists()
    Run.objects.filter(pk=run.pk).update(due_at=timezone.now())
    engine.work(run.pk)
    run.refresh_from_db()
    assert run.status == "succeeded"
    assert Report.objects.count() == 1
    assert verify(world.team.pk).ok


def test_a_dream_s_writing_and_its_end_are_events_of_its_run(world: World) -> None:
    run = _dream_of_one_line(world)
    engine.work(run.pk)
    made = Event.objects.filter(run_id=run.pk).order_by("seq")
    assert [event.action for event in made] == [
        "run.requested",
        *["file.written"] * 2,
        "fact.changed",
        "run.finished",
    ]
    assert {event.on_behalf_of for event in made} == {world.customer.pk}


def _dream_of_one_line(world: World) -> Run:
    night = timezone.now().date()
    with write_transaction(world.team) as tx:
        line = NewLine("- 09:00 Marta's team ships on Thursdays.", Origin(durable=True))
        write.append(tx, place_of(world, f"memory/{night}.md"), [line], writer=PERSON)
        return schedule.request_night(
            tx, Memory(world.agent, world.customer), night, trigger="command"
        ).run


def _all_verify() -> bool:
    teams = Event.objects.values_list("team_id", flat=True).distinct().order_by()
    return all(verify(team_id).ok for team_id in teams)


def _same(one: dict[str, Any], other: dict[str, Any]) -> bool:
    return {k: v for k, v in one.items() if v != other[k]} == {}
