from threading import Barrier, Thread

import pytest
from django.db import connection
from django_scopes import scope

from memoryweb.accounts.integrations import create_integration
from memoryweb.agents.exceptions import OwnerAmbiguous, OwnerRefused, OwnerUnknown
from memoryweb.agents.models import Owner
from memoryweb.agents.owners import (
    api_owner,
    channel_owner,
    find,
    find_for_command,
    find_or_meet,
    room_owner,
)
from memoryweb.audit.record import SYSTEM
from tests.snapshot import restored_world
from tests.waiting import SECONDS
from tests.world import World

pytestmark = pytest.mark.databases


def test_an_owner_is_found_by_each_of_its_names(world: World) -> None:
    assert find(world.team, "shared") is None
    assert find(world.team, str(world.customer.pk)) == world.customer
    assert find(world.team, "api:helpdesk/customer-1") == world.customer
    assert find(world.team, "api:customer-1") == world.customer
    assert find(world.team, "slack:U1") == world.sender
    assert find(world.team, "me", world.bob) == world.bobs_memory


def test_a_member_is_named_by_their_address_for_an_import_and_in_commands(world: World) -> None:
    name = f"user:{world.bob.email.upper()}"
    assert find_or_meet(world.team, name) == world.bobs_memory
    assert find_for_command(world.team, name) == world.bobs_memory
    assert find_for_command(world.team, "slack:U1") == world.sender
    with pytest.raises(OwnerUnknown):
        find(world.team, name)


def test_an_id_of_two_integrations_is_ambiguous_and_both_are_named(world: World) -> None:
    other = create_integration(team=world.team, name="shop", by=SYSTEM)
    api_owner(world.team, other, "customer-1")
    with pytest.raises(OwnerAmbiguous, match="api:helpdesk/customer-1, api:shop/customer-1"):
        find(world.team, "api:customer-1")
    assert find(world.team, "api:helpdesk/customer-1") == world.customer


@pytest.mark.parametrize(
    "text", ["", "nobody", "slack:U2", "slack:\0", "api:\ud800", "me", "user:1", "api:", "system"]
)
def test_who_is_not_there_is_unknown_on_every_database(world: World, text: str) -> None:
    with pytest.raises(OwnerUnknown):
        find(world.team, text)


def test_an_id_is_the_same_however_its_characters_are_composed(world: World) -> None:
    owner = channel_owner(world.team, "slack", "Zo\u00eb")
    assert channel_owner(world.team, "slack", "Zoe\u0308") == owner
    assert find(world.team, "slack:Zoe\u0308") == owner


def test_an_owner_of_another_team_is_unknown(world: World) -> None:
    with pytest.raises(OwnerUnknown):
        find(world.team, str(world.twin.customer.pk))


@pytest.mark.parametrize("sender", ["", "x" * 256, "a\nb", "a\0"])
def test_an_identity_that_no_owner_may_have_is_refused(world: World, sender: str) -> None:
    with pytest.raises(OwnerRefused):
        channel_owner(world.team, "slack", sender)


@pytest.mark.parametrize("channel", ["", "Slack", "api", "user", "system", "a b", "shared"])
def test_a_channel_may_not_be_called_like_one_of_ours(world: World, channel: str) -> None:
    with pytest.raises(OwnerRefused):
        channel_owner(world.team, channel, "U1")


def test_a_room_and_a_sender_of_one_id_are_two_owners(world: World) -> None:
    assert room_owner(world.team, "slack", "C1") != channel_owner(world.team, "slack", "C1")
    assert find_or_meet(world.team, "slack:room:C1") == room_owner(world.team, "slack", "C1")


@pytest.mark.django_db(transaction=True)
def test_two_first_sights_at_once_make_one_owner() -> None:
    world = restored_world()
    start, met = Barrier(4), []

    def meet() -> None:
        start.wait(SECONDS)
        with scope(team=world.team):
            met.append(channel_owner(world.team, "slack", "U9").pk)
        connection.close()

    threads = [Thread(target=meet) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(SECONDS)
    assert len(met) == 4
    assert {*met} == {Owner.objects.get(external_id="U9").pk}
