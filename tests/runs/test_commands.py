import json

import pytest
from django.utils import timezone

from memoryweb.runs import ticking
from memoryweb.runs.engine import GiveUp, Lease
from memoryweb.runs.models import Beat
from tests.commands.calling import run
from tests.runs.conftest import Handle
from tests.runs.desk import Desk, ago, change, done, fresh

pytestmark = pytest.mark.databases


def test_run_pending_works_all_and_counts_them(desk: Desk, handle: Handle) -> None:
    handle(done)
    runs = [desk.ask(), desk.ask(desk.owner)]
    answer = run("run_pending", "--until-idle", "--json")
    assert answer.json["statuses"] == {"succeeded": 2}
    assert {fresh(one).status for one in runs} == {"succeeded"}


def test_run_pending_names_each_outcome(desk: Desk, handle: Handle) -> None:
    def refuse(lease: Lease) -> None:
        raise GiveUp("paused", "skipped")

    handle(refuse)
    desk.ask()
    answer = run("run_pending")
    assert "Skipped. Nothing new is kept of this person: they paused it." in answer.output
    assert "Processed 1 run." in answer.output


def test_tick_fails_when_a_step_failed(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(now: object) -> None:
        raise RuntimeError

    monkeypatch.setattr(ticking, "_ticks", [broken])
    assert "1 of its steps failed" in run("tick").failure
    assert Beat.objects.filter(name="tick").exists()


def test_healthcheck_succeeds_when_all_is_well(desk: Desk) -> None:
    Beat.objects.create(name="tick", at=timezone.now())
    answer = run("healthcheck", "--json")
    assert (answer.failure, answer.json["problems"]) == ("", [])


def test_healthcheck_fails_with_the_problem(desk: Desk) -> None:
    Beat.objects.create(name="tick", at=timezone.now())
    change(desk.ask(), status="running", lease_until=ago(seconds=1))
    answer = run("healthcheck", "--json")
    assert "lost its worker" in answer.failure
    assert json.loads(answer.output)["expiredLeases"] == 1
