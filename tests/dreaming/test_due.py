"""A night on which nothing new was noted, and something in memory is over all the same."""

from datetime import timedelta

import pytest

from memoryweb.agents.models import Agent, dream_time
from memoryweb.dreaming import schedule
from memoryweb.memory.models import Fact
from memoryweb.memory.models.writer import Place, write_transaction
from memoryweb.memory.writing.write import write
from memoryweb.runs.models import Run
from tests.dreaming.nights import MACHINE, NIGHT, dream, memory, note, text_of
from tests.world import World

OVER, HOLDS = "Our wedding is on 2026-11-18.", "Our wedding is on 2026-12-18."


def test_what_is_over_leaves_though_nothing_was_noted(world: World) -> None:
    memory(world, world.customer, f"# Memory\n\n- {OVER}\n- Marta rows.\n")
    assert dream(world, world.customer).status == "succeeded"
    assert text_of(world, world.customer) == "# Memory\n\n- Marta rows.\n"
    fact = Fact.objects.get(raw_text=OVER)
    assert (fact.state, fact.why) == ("expired", "expired")
    assert "Its time is over." in text_of(world, world.customer, "DREAMS.md")


PINNED = "<!-- pinned -->\n- {}\n<!-- /pinned -->"


@pytest.mark.parametrize(
    ("line", "hidden_hours", "runs"),
    [
        (f"- {OVER}", None, 1),
        (f"- {HOLDS}", None, 0),
        (f"- {HOLDS}", 25, 1),
        (f"- {HOLDS}", 1, 1),
        (PINNED.format(OVER), None, 0),
        (PINNED.format(HOLDS), 25, 0),
    ],
)
def test_its_owner_gets_a_night(
    world: World, line: str, hidden_hours: int | None, runs: int
) -> None:
    """Also where it is hidden and its owner's word was never noted; not for what is pinned."""
    memory(world, world.customer, f"# Memory\n\n{line}\n")
    now = dream_time(world.agent, NIGHT) + timedelta(minutes=1)
    if hidden_hours:
        Fact.objects.update(hidden_at=now - timedelta(hours=hidden_hours))
    Agent.objects.update(next_dream_at=None)
    Agent.objects.filter(pk=world.agent.pk).update(next_dream_at=now - timedelta(minutes=1))
    schedule.tick(now)
    assert Run.objects.filter(kind="dream", owner=world.customer).count() == runs


def test_so_does_what_stands_in_their_profile(world: World) -> None:
    with write_transaction(world.team) as tx:
        place = Place(world.agent, world.customer, "PROFILE.md")
        write(tx, place, f"# Profile\n\n- {OVER}\n", writer=MACHINE)
    dream(world, world.customer)
    assert text_of(world, world.customer, "PROFILE.md").strip() == "# Profile"


def test_what_is_over_does_not_come_back_from_its_note(world: World) -> None:
    note(world, world.customer, NIGHT - timedelta(days=3), OVER)
    dream(world, world.customer)
    dream(world, world.customer, NIGHT + timedelta(days=1))
    assert OVER not in text_of(world, world.customer)
