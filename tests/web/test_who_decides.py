"""One rule says who acts on which memory: of a row, and as the filter for many."""

import pytest
from django_scopes import scope

from memoryweb.accounts.models import Membership
from memoryweb.accounts.permissions import Permission, can
from memoryweb.agents import break_glass
from memoryweb.agents.models import Owner
from memoryweb.agents.owners import person_owner, system_owner
from memoryweb.audit.record import SYSTEM
from memoryweb.memory.models import AuthorKind, File
from memoryweb.memory.models.writer import Place, Writer, write_transaction
from memoryweb.memory.writing import write
from memoryweb.web.access import Visit
from tests.world import World

TAKES = (Permission.DECIDE, Permission.WRITE, Permission.FORGET)


@pytest.mark.parametrize("role", ["admin", "member", "viewer", "auditor"])
@pytest.mark.parametrize("takes", TAKES)
def test_who_acts_on_whose_memory(world: World, role: str, takes: Permission) -> None:
    user = world.people[role]
    mine, system = person_owner(world.team, user), system_owner(world.team)
    visit = Visit(Membership.objects.get(team=world.team, user=user), [world.team])
    with scope(team=world.team):
        opened = _opened(world, role)
        expected = {
            None: can(role, takes),
            system: can(role, takes),
            mine: True,
            world.customer: opened and takes is Permission.DECIDE,
            world.sender: False,
        }
        for owner, may in expected.items():
            assert visit.decides(owner.pk if owner else None, takes) is may, owner
            assert _is_listed(world, visit, owner, takes) is may, owner


def _opened(world: World, role: str) -> bool:
    if not can(role, Permission.BREAK_GLASS):
        return False
    user = world.people[role]
    break_glass.open_glass(owner=world.customer, user=user, reason="A complaint.", by=SYSTEM)
    return True


def _is_listed(world: World, visit: Visit, owner: Owner | None, takes: Permission) -> bool:
    with write_transaction(world.team) as tx:
        place = Place(world.agent, owner, "letters.md")
        file = write.write(tx, place, "- Tea.\n", writer=Writer(AuthorKind.SYSTEM)).file
    return File.objects.filter(visit.decidable(takes=takes), pk=file.pk).exists()
