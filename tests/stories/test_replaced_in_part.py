"""A statement of which one half is no more: it keeps its sentence, with what ended beside it, and
what is told is true."""

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
        ended = "" if days == -9 else " <!-- until 2026-11-16: We ship on Fridays -->"
        assert f"- {FRIDAYS}{ended}" in text_of(world, owner).split("\n")

    said = prompt(world, "When do we ship?")
    assert f"- {FRIDAYS} (until 2026-11-16: We ship on Fridays)" in said
    assert "- We ship on Thursdays" in said
    assert f"- {HIRED}" in text_of(world, owner).split("\n")
    old = Fact.objects.get(raw_text=FRIDAYS)
    assert (old.state, old.hidden_at, old.path) == (Fact.State.ACTIVE, None, "MEMORY.md")
    assert [one.words for one in old.ended] == ["We ship on Fridays"]
    reasons = {text: one.reason for one in Operation.objects.all() for text in one.before}
    said = reasons.pop(FRIDAYS)
    assert said.startswith("No longer so since 16 November")
    assert said.endswith(": “We ship on Fridays”.")
    assert set(reasons.values()) <= {"Another statement says the same."}
