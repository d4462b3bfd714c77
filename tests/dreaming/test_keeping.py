"""What stays of a night once the next one has looked at the same window."""

from datetime import timedelta

import pytest

from memoryweb.agents.models import Agent
from memoryweb.dreaming.models import Candidate, Report
from tests.dreaming.nights import NIGHT, dream, note
from tests.world import World

pytestmark = pytest.mark.django_db
Verdict = Candidate.Verdict


def test_of_earlier_nights_only_what_was_added_stays(world: World) -> None:
    first, second = _two_nights(world)
    assert set(first.candidates.values_list("verdict", flat=True)) == {Verdict.PROMOTED}
    assert (first.kept + first.rejected) > 0  # the report still says how many there were
    assert second.candidates.count() == second.promoted + second.kept + second.rejected


def test_what_a_person_still_has_to_decide_about_keeps_its_reasons(world: World) -> None:
    Agent.objects.filter(pk=world.agent.pk).update(policy=Agent.Policy.REVIEW)
    world.agent.refresh_from_db()
    first, _second = _two_nights(world, apart=10)  # so that the second proposes nothing
    assert first.candidates.count() == first.promoted + first.kept + first.rejected


def _two_nights(world: World, apart: int = 1) -> tuple[Report, Report]:
    day = NIGHT - timedelta(days=1)
    note(world, world.customer, day, "Marta lives in Gothenburg.")
    note(world, world.customer, day, "The bus was late.", durable=False)
    first = dream(world, world.customer).report
    later = NIGHT + timedelta(days=apart)
    note(world, world.customer, later - timedelta(days=1), "The tram was late.", durable=False)
    second = dream(world, world.customer, later).report
    return first, second
