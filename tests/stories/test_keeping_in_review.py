"""A line that a person has to look at first is looked at by dreams until they have decided."""

from datetime import timedelta

import pytest

from memoryweb.agents.models import dream_time
from memoryweb.dreaming import schedule
from memoryweb.dreaming.models import Candidate
from memoryweb.memory.lines.flags import print_of
from memoryweb.memory.models import File, LineOrigin
from memoryweb.memory.models.writer import write_transaction
from memoryweb.memory.review import decisions
from tests.dreaming.nights import NIGHT, dream, text_of
from tests.stories.telling import note_of, says
from tests.world import World

TEXT, OTHER = "Marta's team ships on Thursdays.", "Marta's boat lies in Porto."


def _flagged(world: World) -> File:
    says(world, "c", TEXT, OTHER)
    file = File.objects.get(agent=world.agent, owner=world.customer, path=note_of(NIGHT))
    LineOrigin.objects.filter(file=file, line=3).update(marks="order")
    return file


def _keep(world: World, file: File) -> None:
    with write_transaction(world.team) as tx:
        decisions.keep_flagged(tx, file, print_of(file.raw_content.split("\n")[2]), by=world.alice)


@pytest.mark.parametrize("nights", [1, 6, 9])
@pytest.mark.first_two
def test_what_a_person_keeps_is_taken_up_however_many_nights_they_took(
    world: World, nights: int
) -> None:
    file = _flagged(world)
    for number in range(nights):
        dream(world, world.customer, NIGHT + timedelta(days=number + 1))
    assert TEXT not in text_of(world, world.customer)
    _keep(world, file)
    later = NIGHT + timedelta(days=nights + 1)
    assert schedule.with_new_notes(world.agent, dream_time(world.agent, later)) == [world.customer]
    dream(world, world.customer, later)
    assert TEXT in text_of(world, world.customer)
    assert not schedule.with_new_notes(world.agent, dream_time(world.agent, later))


def test_of_a_note_past_its_nights_only_that_line_is_looked_at(world: World) -> None:
    _flagged(world)
    for number in (6, 7, 8):
        dream(world, world.customer, NIGHT + timedelta(days=number))
    last = Candidate.objects.filter(report__dreamt_at__date__gt=NIGHT + timedelta(days=7))
    assert set(last.values_list("text", "verdict")) == {(TEXT, "kept")}
