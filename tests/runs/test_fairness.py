from datetime import date

import pytest
from django.conf import settings
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from pytest_django import Settings

from memoryweb.agents.models import Owner
from memoryweb.runs import queue as fairness
from memoryweb.runs.lease import Lease, Outcome
from memoryweb.runs.models import Run
from memoryweb.runs.queue import claim
from tests.runs.desk import Desk, ago, ahead, change
from tests.steps import counts_steps, database_steps

pytestmark = pytest.mark.databases


@pytest.mark.parametrize(
    ("state", "may_start"),
    [
        ({"status": "queued", "due_at": ago(seconds=1)}, True),
        ({"status": "failed", "due_at": ago(seconds=1)}, True),
        ({"status": "queued", "due_at": ahead(hours=1)}, False),
        ({"status": "failed", "due_at": ahead(hours=1)}, False),
        ({"status": "failed", "due_at": None}, False),
        ({"status": "running", "due_at": ago(seconds=1)}, False),
        ({"status": "succeeded", "due_at": None}, False),
        ({"status": "no_change", "due_at": None}, False),
        ({"status": "skipped", "due_at": None}, False),
        ({"status": "needs_review", "due_at": None}, False),
    ],
)
def test_what_may_start(desk: Desk, state: dict[str, object], may_start: bool) -> None:
    change(desk.ask(), **state)
    assert fairness.startable(timezone.now()).exists() is may_start


@pytest.mark.parametrize("shared", [True, False], ids=["shared notes", "owner"])
@pytest.mark.parametrize(
    ("lease_until", "may_start"), [(ahead(hours=1), False), (ago(seconds=1), True)]
)
def test_one_owner_never_has_two_running_runs_of_a_kind(
    desk: Desk, shared: bool, lease_until: object, may_start: bool
) -> None:
    owner = None if shared else desk.owner
    nightly = desk.ask(owner, night=timezone.now().date())
    change(nightly, status="running", lease_until=lease_until)
    by_hand = desk.ask(owner)
    assert fairness.startable(timezone.now()).filter(pk=by_hand.pk).exists() is may_start


def test_a_running_run_holds_up_nobody_else(desk: Desk) -> None:
    change(desk.ask(), status="running", lease_until=ahead(seconds=60))
    others = {
        desk.ask(desk.owner),
        desk.ask(kind="extraction"),
        desk.ask(agent=desk.new_agent("bo")),
    }
    assert set(fairness.startable(timezone.now())) == others


def test_a_team_has_at_most_its_share(desk: Desk, settings: Settings) -> None:
    settings.RUNS_PER_TEAM = 2
    for name in "abc":
        desk.ask(desk.new_owner(name))
    assert [bool(claim()) for _ in range(3)] == [True, True, False]


def test_the_team_with_the_fewest_running_runs_is_next(desk: Desk, other_desk: Desk) -> None:
    change(desk.ask(desk.new_owner("busy")), status="running", lease_until=ahead(seconds=60))
    desk.ask(due_at=ago(hours=1))
    theirs = other_desk.ask()
    assert _next() == theirs


def test_teams_take_turns(desk: Desk, other_desk: Desk) -> None:
    for name in "ab":
        desk.ask(desk.new_owner(name), due_at=ago(hours=1))
        other_desk.ask(other_desk.new_owner(name))
    teams = [run.team for run in iter(claim, None)]
    assert teams == [desk.team, other_desk.team, desk.team, other_desk.team]


def test_the_owner_longest_undreamt_is_next(desk: Desk) -> None:
    waits, recent, never = (desk.new_owner(name) for name in ("waits", "recent", "never"))
    _finished(desk.ask(waits), ago(days=3))
    _finished(desk.ask(waits), ago(days=9))
    _finished(desk.ask(recent), ago(days=1))
    _finished(desk.ask(), ago(days=2))
    _finished(desk.ask(never, kind="extraction"), ago(minutes=1))
    for number, owner in enumerate([recent, None, waits, never]):
        desk.ask(owner, due_at=ago(hours=9 - number))
    order = [run.owner for run in iter(claim, None)]
    assert order == [never, waits, None, recent]


def test_whoever_had_a_turn_goes_behind_those_who_waited(desk: Desk) -> None:
    """Also with a run that was waiting all the while."""
    first, second = desk.new_owner("first"), desk.new_owner("second")
    desk.ask(first, night=date(2026, 3, 1), due_at=ago(hours=3))
    desk.ask(first, night=date(2026, 3, 2), due_at=ago(hours=2))
    desk.ask(second, due_at=ago(hours=1))
    order = []
    while run := claim():
        order.append(run.owner)
        Lease(run).finish(Outcome(Run.Status.NO_CHANGE))
    assert order == [first, second, first]


def test_among_equals_the_first_to_be_due_is_next(desk: Desk) -> None:
    later = desk.ask(desk.owner, due_at=ago(minutes=1))
    sooner = desk.ask(due_at=ago(minutes=2))
    assert list(iter(claim, None)) == [sooner, later]


def test_looking_takes_one_statement_however_many_wait(desk: Desk, other_desk: Desk) -> None:
    for number in range(12):
        desk.ask(desk.new_owner(str(number)))
        _finished(other_desk.ask(), ago(days=number))
    with CaptureQueriesContext(connection) as queries:
        _next()
    assert len(queries) == 1


@pytest.mark.slow
@counts_steps
@pytest.mark.parametrize("is_full", [False, True], ids=["some may start", "the share is used up"])
def test_claiming_costs_the_same_in_a_long_queue(
    desk: Desk, settings: Settings, is_full: bool
) -> None:
    settings.RUNS_PER_TEAM = 1
    if is_full:
        change(desk.ask(), status="running", lease_until=ahead(hours=1))
    few = _steps_of_claiming(desk, 50)
    many = _steps_of_claiming(desk, 2000)
    assert many <= few * 1.5


def _steps_of_claiming(desk: Desk, waiting: int) -> int:
    owners = Owner.objects.bulk_create(
        Owner(team=desk.team, source="slack", external_id=f"{waiting}-{number}")
        for number in range(waiting)
    )
    Run.objects.bulk_create(
        Run(team=desk.team, agent=desk.agent, owner=owner, kind="dream", due_at=ago(hours=1))
        for owner in owners
    )
    return database_steps(_next)


def _next() -> Run | None:
    return fairness.fairest(timezone.now(), settings.RUNS_PER_TEAM).first()


def _finished(run: Run, at: object) -> None:
    change(run, status="succeeded", due_at=None, finished_at=at)
