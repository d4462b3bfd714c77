"""A statement of which one half is no more: the other half stays, and what is told is true."""

from datetime import timedelta

from memoryweb.dreaming.models import Operation
from memoryweb.memory.models import Fact
from tests.dreaming.nights import NIGHT, dream, text_of
from tests.extraction.talking import extract
from tests.stories.telling import prompt, says
from tests.world import World

FRIDAYS = "We ship on Fridays, so please never plan a call with me on a Friday afternoon."
SMALL = ("Thanks for yesterday, that helped me.", "I prefer tea in the morning.")
HIRED = "I hired Tomás Varga, he lives in Budapest."


def test_a_correction_takes_what_it_speaks_of_and_leaves_the_rest(world: World) -> None:
    owner = world.customer
    for days, texts in (
        (-9, (FRIDAYS, *SMALL, "My sister Carla is a nurse.")),
        (-4, ("Correction: we ship on Thursdays now, never on Fridays.", *SMALL, "That is all.")),
        (0, ("We ship on Thursdays, so the code freeze is on Wednesdays.", HIRED, *SMALL)),
    ):
        night = NIGHT + timedelta(days=days)
        extract(world, says(world, f"talk {days + 9}", *texts, day=night, is_noted=False))
        if days == -4:
            assert "ship on Fridays" not in prompt(world, "When do we ship?")
        dream(world, owner, night)
        assert ("ship on Fridays" in text_of(world, owner)) == (days == -9)

    lines = text_of(world, owner).split("\n")
    assert "- Please never plan a call with me on a Friday afternoon." in lines
    assert f"- {HIRED}" in lines
    old, rest = (
        Fact.objects.get(raw_text=FRIDAYS),
        Fact.objects.get(raw_text__startswith="Please never"),
    )
    assert (old.why, old.superseded_by and "Thursdays" in old.superseded_by.raw_text) == (
        "superseded",
        True,
    )
    assert {row.message_id for row in rest.evidence.all()} == {
        row.message_id for row in old.evidence.all()
    }
    reasons = {text: one.reason for one in Operation.objects.all() for text in one.before}
    assert reasons.pop(FRIDAYS) == "A newer value replaced it."
    assert set(reasons.values()) <= {"Another statement says the same."}
