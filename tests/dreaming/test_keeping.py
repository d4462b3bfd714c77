from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from memoryweb.audit.models import Event
from memoryweb.dreaming import reports
from memoryweb.dreaming.models import Candidate, Operation, Report
from memoryweb.extraction.models import Extraction
from memoryweb.memory import forgetting
from memoryweb.memory.models import Conversation, Fact
from memoryweb.memory.models.writer import write_transaction
from memoryweb.runs.models import Run
from tests.dreaming.nights import dream, note
from tests.world import World

pytestmark = pytest.mark.databases
TODAY = timezone.now().date()
SHIPS, LIVES = "Marta's team ships on Thursdays.", "Marta lives in Gothenburg."


@pytest.fixture
def old(world: World) -> Run:
    """A dream that brought two statements, of which one is gone for good; a hundred days ago."""
    note(world, world.customer, TODAY, SHIPS, LIVES)
    run = dream(world, world.customer, TODAY)
    Fact.objects.get(raw_text=LIVES).delete()
    report = Report.objects.get(run=run)
    Operation.objects.create(team=world.team, report=report, position=9, does="add", code="known")
    talk = Conversation.objects.create(
        team=world.team, agent=world.agent, owner=world.customer, external_id="c"
    )
    told = {"status": "applied", "extractor": "model", "answer": {"notes": [SHIPS]}}
    Extraction.objects.create(team=world.team, conversation=talk, run=run, first=1, last=1, **told)
    ended = {"finished_at": timezone.now() - timedelta(days=100), "answer": {"parts": []}}
    Run.objects.filter(pk=run.pk).update(**ended)
    return run


def _told(run: Run) -> tuple[Any, ...]:
    candidates = Candidate.objects.filter(report__run=run).order_by("text")
    left_out = Operation.objects.filter(report__run=run).exclude(code="").count()
    answer = Run.objects.get(pk=run.pk).answer
    said = [one.answer for one in Extraction.objects.filter(run=run)]
    return [*candidates.values_list("text", flat=True)], left_out, answer, said


def _expire(world: World, days: int | None) -> None:
    world.team.reports_days = days
    world.team.save()
    reports.expire(timezone.now())


@pytest.mark.parametrize("days", [None, 120])
def test_what_is_young_enough_or_kept_for_ever_stays(
    world: World, old: Run, days: int | None
) -> None:
    before = _told(old)
    _expire(world, days)
    assert _told(old) == before
    assert before[1:] == (1, {"parts": []}, [{"notes": [SHIPS]}])


def test_what_no_statement_rests_on_goes(world: World, old: Run) -> None:
    did = Operation.objects.filter(report__run=old, code="").count()
    _expire(world, 60)
    assert _told(old) == ([SHIPS], 0, None, [{}])
    assert Operation.objects.filter(report__run=old, code="").count() == did > 0
    event = Event.objects.get(action="reports.expired")
    assert '"candidate": 1' in event.details
    reports.expire(timezone.now())
    assert Event.objects.filter(action="reports.expired").count() == 1


def test_what_can_be_restored_still_has_what_it_rests_on(world: World, old: Run) -> None:
    Fact.objects.filter(raw_text=SHIPS).update(state=Fact.State.RETIRED, file=None)
    _expire(world, 60)
    assert _told(old)[0] == [SHIPS]


def test_what_waits_for_a_person_stays(world: World, old: Run) -> None:
    Candidate.objects.filter(text=LIVES).update(verdict="kept")
    _expire(world, 60)
    assert LIVES in _told(old)[0]


def test_nothing_under_a_legal_hold_goes(world: World, old: Run) -> None:
    before = _told(old)
    with write_transaction(world.team) as tx:
        forgetting.make_hold(tx, by=world.alice, reason="Claim 7", owner=world.customer)
    _expire(world, 60)
    assert _told(old) == before


def test_what_was_not_judged_is_not_stored(world: World) -> None:
    """Of those that were too many one operation says so."""
    texts = [f"Marta keeps {n} lamps in box {n * 7}." for n in range(1, 206)]
    note(world, world.customer, TODAY, *texts)
    report = Report.objects.get(run=dream(world, world.customer, TODAY))
    assert report.promoted + report.kept + report.rejected == report.candidates.count() == 200
    assert report.operations.filter(code="too_many").count() == 1
