"""People hold so much of MEMORY.md fast that dreams find no room: that is told."""

import pytest
from django.utils import timezone

from memoryweb.dreaming.room import CAP
from memoryweb.dreaming.status import status
from memoryweb.facts.models import Fact
from memoryweb.memory.write import Writer
from memoryweb.workspace.author_kinds import AuthorKind
from tests.dreaming.nights import MACHINE, memory
from tests.world import World

TOLD = "Over four fifths of MEMORY.md"
LINE = "- Boat number {n} is moored at the pier, and nobody but Marta may take it out.\n"


def _fill(world: World, share: float, writer: Writer) -> None:
    size = len(LINE.format(n=100))
    lines = (LINE.format(n=n) for n in range(100, 100 + int(share * CAP) // size))
    memory(world, world.customer, "# Memory\n\n" + "".join(lines), writer)


def _is_told(world: World) -> bool:
    warnings = status(world.agent, world.customer, timezone.now()).warnings
    return any(one.startswith(TOLD) for one in warnings)


@pytest.mark.parametrize(("share", "told"), [(0.7, False), (0.9, True)])
def test_what_people_wrote_counts(world: World, share: float, told: bool) -> None:
    _fill(world, share, Writer(AuthorKind.PERSON, user=world.alice))
    assert _is_told(world) is told


def test_what_machines_wrote_does_not_unless_it_is_confirmed(world: World) -> None:
    _fill(world, 0.9, MACHINE)
    assert not _is_told(world)
    Fact.objects.filter(file__path="MEMORY.md").update(confirmed_at=timezone.now())
    assert _is_told(world)
