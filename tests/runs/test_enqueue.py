from datetime import date

import pytest
from django.db import transaction
from django_q.models import OrmQ

from memoryweb.runs.models import Run
from memoryweb.runs.queue import OwnerOfOtherTeam
from tests.runs.desk import Desk, ago, ahead, change

pytestmark = pytest.mark.databases

NIGHT = date(2026, 3, 1)


def test_a_second_request_gets_the_active_run(desk: Desk) -> None:
    first = desk.enqueue()
    second = desk.enqueue(trigger="api")
    assert (first.created, second.created) == (True, False)
    assert second.run == first.run


@pytest.mark.parametrize(
    ("state", "is_new"),
    [
        ({"status": "running"}, False),
        ({"status": "failed", "due_at": ahead(minutes=1)}, False),
        ({"status": "failed", "due_at": None}, True),
        ({"status": "succeeded", "due_at": None}, True),
        ({"status": "needs_review", "due_at": None}, True),
    ],
)
def test_a_request_by_hand_waits_for_the_active_run_only(
    desk: Desk, state: dict[str, object], is_new: bool
) -> None:
    change(desk.ask(desk.owner), **state)
    assert desk.enqueue(desk.owner).created is is_new


@pytest.mark.parametrize("status", Run.Status.values)
def test_a_night_has_one_run_whatever_became_of_it(desk: Desk, status: str) -> None:
    first = desk.ask(night=NIGHT)
    change(first, status=status, due_at=None)
    again = desk.enqueue(night=NIGHT)
    assert (again.run, again.created) == (first, False)


def test_another_owner_kind_or_night_is_another_run(desk: Desk) -> None:
    runs = [
        desk.ask(),
        desk.ask(desk.owner),
        desk.ask(kind="extraction"),
        desk.ask(night=NIGHT),
        desk.ask(night=date(2026, 3, 2)),
        desk.ask(agent=desk.new_agent("bo")),
    ]
    assert len({run.pk for run in runs}) == 6


def test_the_call_is_part_of_the_callers_transaction(desk: Desk) -> None:
    with transaction.atomic():
        desk.ask()
        transaction.set_rollback(True)
    assert OrmQ.objects.count() == Run.objects.count() == 0


def test_one_call_is_sent_for_a_run_that_is_due(desk: Desk) -> None:
    run = desk.ask()
    desk.ask()
    assert [call.args() for call in OrmQ.objects.all()] == [(str(run.pk),)]


def test_no_call_is_sent_before_a_run_is_due(desk: Desk) -> None:
    desk.ask(due_at=ahead(minutes=5))
    assert not OrmQ.objects.exists()


def test_an_owner_of_another_team_is_refused(desk: Desk, other_desk: Desk) -> None:
    with pytest.raises(OwnerOfOtherTeam):
        desk.ask(other_desk.owner)


def test_a_run_keeps_what_it_was_asked_with(desk: Desk) -> None:
    clock = ago(days=3)
    run = desk.ask(topic="the harbour", clock=clock)
    run.refresh_from_db()
    assert (run.topic, run.clock, run.team) == ("the harbour", clock, desk.team)
