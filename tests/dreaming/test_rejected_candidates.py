"""Whatever ends a candidate is shown as the check that it failed, with a reason that is true."""

from datetime import timedelta

import pytest

from memoryweb.dreaming.models import Candidate
from memoryweb.dreaming.operations import LEFT_OUT
from memoryweb.runs.models import Run
from tests.dreaming.nights import NIGHT, dream, memory, note
from tests.stories.telling import edits, says
from tests.web.pages import text, url
from tests.world import World, signed_in

NEXT = NIGHT + timedelta(days=1)
UNKNOWN = "I live in Lagos."  # said nobody knows when


def _of(run: Run, text: str) -> Candidate:
    return Candidate.objects.get(report__run=run, text__contains=text)


def _failed(one: Candidate) -> list[str]:
    return [gate["code"] for gate in one.gates if not gate["passed"]]


@pytest.fixture
def undated(world: World) -> Run:
    says(world, "first", "I live in Porto.", day=NIGHT, owner=world.bobs_memory)
    dream(world, world.bobs_memory, NIGHT)
    bob = world.bobs_memory
    says(world, "old", UNKNOWN, day=NEXT, owner=bob, is_timed=False, source="import")
    return dream(world, world.bobs_memory, NEXT)


def test_what_has_no_time_is_not_called_older(undated: Run) -> None:
    found = _of(undated, UNKNOWN)
    assert (found.verdict, found.reason, _failed(found)) == ("rejected", "undated", ["undated"])


def test_the_page_of_the_dream_tells_the_check(world: World, undated: Run) -> None:
    page = text(signed_in(world.bob).get(url(world.team, "agents_run", undated.pk)))
    assert str(LEFT_OUT["undated"]) in page


@pytest.mark.parametrize(
    "text",
    [
        "Correction: the trip to Rome is off.",
        "I like " + "very " * 140 + "long walks.",
        "I live in Porto.",
    ],
)
def test_no_candidate_is_rejected_with_all_checks_passed(world: World, text: str) -> None:
    memory(
        world,
        world.bobs_memory,
        "# Memory\n\n- I live in Porto, and I love it.\n- My trip to Rome is in May.\n",
    )
    note(world, world.bobs_memory, NIGHT, text, "I play the cello.")
    run = dream(world, world.bobs_memory)
    ended = Candidate.objects.filter(report__run=run, verdict=Candidate.Verdict.REJECTED)
    assert ended
    assert all(_failed(one) for one in ended)


def test_what_a_person_took_back_says_so(world: World) -> None:
    says(world, "first", "I live in Porto.", day=NIGHT, owner=world.bobs_memory)
    dream(world, world.bobs_memory, NIGHT)
    edits(world, "PROFILE.md", "- I live in Porto.\n", "", owner=world.bobs_memory)
    found = _of(dream(world, world.bobs_memory, NEXT), "Porto")
    assert (found.verdict, found.reason, _failed(found)) == ("rejected", "corrected", ["corrected"])
