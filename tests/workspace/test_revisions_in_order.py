"""What was current at a moment, found by time where a file's revisions are in order."""

from datetime import datetime, timedelta
from random import Random

import pytest
from django.utils import timezone

from memoryweb.memory.lines.revisions import files_at
from memoryweb.memory.models import AuthorKind, File
from memoryweb.memory.models.writer import Place, Writer, write_transaction
from memoryweb.memory.writing.write import write
from memoryweb.runs.models import Run
from tests.soaking import first_in_gate
from tests.world import World

pytestmark = pytest.mark.databases

SYSTEM = Writer(AuthorKind.SYSTEM)
START = timezone.now() - timedelta(days=30)
HOURS = 40


@pytest.fixture(autouse=True)
def _nothing_else_was_read(world: World) -> None:
    world.agent.files.all().delete()


def _save(world: World, hour: int, writer: Writer = SYSTEM) -> File:
    with write_transaction(world.team) as tx:
        tx.now = START + timedelta(hours=hour)
        place = Place(world.agent, None, "DREAMS.md")
        return write(tx, place, f"{tx.now} {writer.kind} {Random().random()}", writer=writer).file


def _simulated(world: World, hour: int) -> Writer:
    clock = START + timedelta(hours=hour)
    kind, trigger = Run.Kind.DREAM, Run.Trigger.COMMAND
    run = Run.objects.create(
        team=world.team,
        agent=world.agent,
        kind=kind,
        trigger=trigger,
        clock=clock,
        status=Run.Status.SUCCEEDED,
    )
    return Writer(AuthorKind.DREAM, run=run, is_vouched=True)


def _current(world: World, moment: datetime) -> int:
    return next(
        (p.number for p in files_at(world.agent.pk, None, moment) if p.path == "DREAMS.md"), 0
    )


def _newest_by_then(file: File, moment: datetime) -> int:
    """Read row by row. A simulated run had the revision before its own before it."""
    found, read = 0, START
    for row in file.revisions.select_related("run").order_by("number"):
        at = (row.run and row.run.clock) or row.created_at
        hides = row.run is not None and read > moment
        found = row.number if at <= moment and not hides else found
        read = max(read, at)
    return found


@pytest.mark.parametrize("seed", first_in_gate(2, range(12)))
def test_the_newest_by_then_is_found_whatever_the_clock_did(world: World, seed: int) -> None:
    chance, hour = Random(seed), 0
    for _number in range(15):
        hour += chance.choice([0, 1, 2, 3, 3, -5])
        is_simulated = chance.random() < 0.15
        file = _save(world, hour, _simulated(world, hour - 2) if is_simulated else SYSTEM)
    for asked in range(-6, HOURS):
        moment = START + timedelta(hours=asked, minutes=30)
        assert _current(world, moment) == _newest_by_then(file, moment)


def test_a_file_is_in_order_after_the_last_step_back(world: World) -> None:
    assert _save(world, 1).ordered_from == 1
    assert _save(world, 3).ordered_from == 1
    assert _save(world, 2).ordered_from == 3
    assert _save(world, 4).ordered_from == 3
    assert _save(world, 5, _simulated(world, 0)).ordered_from == 6
