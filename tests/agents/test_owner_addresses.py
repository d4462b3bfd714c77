"""Where an owner without an account gets links by mail: given by their app, confirmed by them."""

from datetime import timedelta

import pytest
from django.db import DatabaseError
from django.utils import timezone

from memoryweb.accounts.integrations import create_integration, revoke_integration
from memoryweb.agents.exceptions import CodeRefused, OwnerRefused, TooManyCodes
from memoryweb.agents.models import OneTimeCode, Owner, OwnerAddress
from memoryweb.agents.one_time_codes import (
    MOST_CODES,
    MOST_TRIES,
    NewCode,
    Purpose,
    confirm_address,
    confirmed_address,
    give_address,
    issue,
    links_of,
    mail_address,
    remove_address,
)
from memoryweb.agents.owners import room_owner, system_owner
from memoryweb.audit.models import Event
from memoryweb.audit.record import SYSTEM, Actor
from memoryweb.memory.forgetting import erasing
from memoryweb.memory.models.writer import write_transaction
from memoryweb.runs import engine
from tests.accounts.refusal import refusing_events
from tests.world import World
from tests.world import confirm_address as with_address

EMAIL, OTHER, WRONG = "ann@harbour.example", "ben@harbour.example", "AAAA-AAAA"


def give(world: World, email: str = EMAIL, owner: Owner | None = None) -> NewCode | None:
    return give_address(
        owner=owner or world.customer,
        integration=world.integration,
        email=email,
        language="en",
        by=SYSTEM,
    )


def code_of(world: World, email: str = EMAIL) -> str:
    given = give(world, email)
    assert given
    return given.secret


def confirm(world: World, code: str, owner: Owner | None = None) -> None:
    confirm_address(
        owner=owner or world.customer, integration=world.integration, code=code, by=SYSTEM
    )


def address_of(world: World) -> str:
    found = confirmed_address(world.customer)
    return mail_address(found) if found else ""


def link(world: World) -> OneTimeCode:
    by = Actor("person", str(world.alice.pk), "admin")
    issue(owner=world.customer, integration=world.integration, purpose=Purpose.VISIT, by=by)
    return links_of([world.customer.pk])[0]


def test_a_code_that_comes_back_confirms_it(world: World) -> None:
    code = code_of(world)
    assert address_of(world) == ""
    confirm(world, code.lower())
    assert address_of(world) == EMAIL


def test_it_is_kept_sealed_and_told_nowhere(world: World) -> None:
    with_address(world, world.customer)
    kept = OwnerAddress.objects.get()
    assert b"ann" not in bytes(kept.sealed_key)
    told = b"".join(bytes(event.canonical) for event in Event.objects.all()).decode()
    assert "ann@" not in told
    kept.owner = world.sender
    assert mail_address(kept) == "", "it opens for its own owner alone"


@pytest.mark.parametrize("whose", ["nobody", "another owner", "another integration"])
def test_only_its_own_code_confirms_it(world: World, whose: str) -> None:
    code, owner, integration = code_of(world), world.customer, world.integration
    if whose == "nobody":
        code = WRONG
    elif whose == "another owner":
        give(world, OTHER, world.sender)
        owner = world.sender
    else:
        integration = create_integration(team=world.team, name="shop", by=SYSTEM)
    with pytest.raises(CodeRefused):
        confirm_address(owner=owner, integration=integration, code=code, by=SYSTEM)
    assert not OwnerAddress.objects.exclude(confirmed_at=None).exists()


def test_a_code_is_used_once(world: World) -> None:
    code = code_of(world)
    confirm(world, code)
    for email in (None, OTHER):
        if email:
            give(world, email)
        with pytest.raises(CodeRefused):
            confirm(world, code)
    assert address_of(world) == ""


def test_a_code_ends_after_half_an_hour(world: World) -> None:
    code = code_of(world)
    OneTimeCode.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    with pytest.raises(CodeRefused):
        confirm(world, code)
    assert address_of(world) == ""


def test_five_wrong_tries_end_the_code(world: World) -> None:
    code = code_of(world)
    for _turn in range(MOST_TRIES):
        with pytest.raises(CodeRefused):
            confirm(world, WRONG)
    with pytest.raises(CodeRefused):
        confirm(world, code)
    refused = Event.objects.filter(team_id=world.team.pk, action="owner.address_refused")
    assert refused.count() == MOST_TRIES
    confirm(world, code_of(world))
    assert address_of(world) == EMAIL


def test_a_new_code_ends_the_one_before(world: World) -> None:
    older, newer = code_of(world), code_of(world)
    with pytest.raises(CodeRefused):
        confirm(world, older)
    confirm(world, newer)


def test_a_confirmed_address_given_again_stays(world: World) -> None:
    with_address(world, world.customer)
    assert give(world) is None
    assert address_of(world) == EMAIL


def test_another_address_has_to_be_confirmed_and_ends_what_was_mailed(world: World) -> None:
    with_address(world, world.customer)
    assert link(world).is_live
    code = code_of(world, OTHER)
    assert address_of(world) == ""
    assert not any(one.is_live for one in links_of([world.customer.pk]))
    confirm(world, code)
    assert address_of(world) == OTHER


def test_one_that_is_removed_ends_what_was_mailed(world: World) -> None:
    with_address(world, world.customer)
    link(world)
    assert remove_address(owner=world.customer, by=SYSTEM)
    assert not remove_address(owner=world.customer, by=SYSTEM)
    assert not any(one.is_live for one in links_of([world.customer.pk]))


def test_nothing_is_mailed_for_an_integration_that_was_revoked(world: World) -> None:
    with_address(world, world.customer)
    revoke_integration(integration=world.integration, by=SYSTEM)
    assert address_of(world) == ""


def test_it_is_erased_with_its_owner(world: World) -> None:
    with_address(world, world.customer)
    with_address(world, world.sender)
    with write_transaction(world.team) as tx:
        erasing.erase_owner(tx, world.customer)
    assert OwnerAddress.objects.get().owner == world.sender
    give(world, OTHER)
    list(engine.run_pending())
    assert OwnerAddress.objects.get().owner == world.sender


def test_rooms_the_system_and_members_have_none(world: World) -> None:
    room = room_owner(world.team, "slack", "C1")
    for owner in (room, system_owner(world.team), world.bobs_memory):
        with pytest.raises(OwnerRefused):
            give(world, owner=owner)
    assert not OwnerAddress.objects.exists()


def test_too_many_are_refused(world: World) -> None:
    for _turn in range(MOST_CODES):
        give(world)
    with pytest.raises(TooManyCodes):
        give(world)


def test_without_its_event_nothing_happens(world: World) -> None:
    code = code_of(world)
    with refusing_events(), pytest.raises(DatabaseError):
        confirm(world, code)
    assert address_of(world) == ""
