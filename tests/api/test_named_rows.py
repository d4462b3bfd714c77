"""A run and a dream's report by their id alone: the same rights as with the owner beside it."""

from uuid import uuid4

import pytest

from memoryweb.accounts.integrations import create_integration
from memoryweb.accounts.permissions import Scope
from memoryweb.agents.models import Owner
from memoryweb.agents.owners import api_owner, channel_owner
from memoryweb.audit.models import Event
from memoryweb.audit.record import SYSTEM
from tests.api.callers import Callers, narrow
from tests.walls.api_stage import CANARY, dreamt
from tests.world import World

ADDRESSES = ("/runs/{run}", "/memory/{agent}/dream/reports/{run}")
each_address = pytest.mark.parametrize("address", ADDRESSES)


def owner_of(world: World, whose: str) -> Owner | None:
    if whose == "another program's":
        other = create_integration(team=world.team, name="shop", by=SYSTEM)
        return api_owner(world.team, other, "customer-1")
    owners = {
        "shared": None,
        "its customer's": world.customer,
        "in its channel": world.sender,
        "a person's": world.bobs_memory,
        "in another channel": channel_owner(world.team, "teams", "U1"),
    }
    return owners[whose]


def named(world: World, address: str, owner: Owner | None) -> str:
    run = dreamt(world.home, owner, CANARY)
    return address.format(agent=world.agent.pk, run=run.pk)


@each_address
@pytest.mark.parametrize("whose", ["shared", "its customer's", "in its channel"])
def test_a_program_reads_what_is_within_its_reach(
    world: World, callers: Callers, address: str, whose: str
) -> None:
    owner = owner_of(world, whose)
    path = named(world, address, owner)
    answer = callers.helpdesk.get(path)
    shown = str(owner.pk) if owner else "shared"
    assert answer.status_code == 200
    assert answer.content == callers.helpdesk.get(f"{path}?owner={shown}").content
    assert CANARY in answer.content.decode()


@each_address
@pytest.mark.parametrize("whose", ["a person's", "another program's", "in another channel"])
def test_what_is_not_reads_like_an_id_that_nobody_has(
    world: World, callers: Callers, address: str, whose: str
) -> None:
    path = named(world, address, owner_of(world, whose))
    answer = callers.helpdesk.get(path)
    nobodys = callers.helpdesk.get(address.format(agent=world.agent.pk, run=uuid4()))
    assert (answer.status_code, answer.content) == (404, nobodys.content)


@each_address
def test_an_owner_that_is_named_has_to_be_the_rows(
    world: World, callers: Callers, address: str
) -> None:
    path = named(world, address, world.customer)
    assert callers.helpdesk.get(f"{path}?owner=shared").status_code == 404
    assert callers.helpdesk.get(f"{path}?owner={world.bobs_memory.pk}").status_code == 403
    assert callers.foreign_helpdesk.get(path).status_code == 404


@each_address
def test_a_program_that_reads_across_owners_leaves_its_event(world: World, address: str) -> None:
    path = named(world, address, world.bobs_memory)
    scopes = [Scope.MEMORY_READ.value, Scope.PERSONAL_READ.value]
    world.integration.scopes = [*world.integration.scopes, Scope.PERSONAL_READ.value]
    world.integration.save(update_fields=["scopes"])
    _token, api = narrow(world.team, scopes, integration=world.integration)
    assert api.get(path).status_code == 200
    assert Event.objects.filter(action="personal.read").exists()
