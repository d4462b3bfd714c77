from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier

import pytest
from django.db import IntegrityError, connection
from django.utils import timezone

from memoryweb.accounts import members, tokens
from memoryweb.accounts.exceptions import (
    AddressRefused,
    AlreadyMember,
    EndRefused,
    LastAdmin,
    NotFound,
    NotMember,
)
from memoryweb.accounts.models import Membership, User
from memoryweb.accounts.permissions import Role
from memoryweb.accounts.teams import create_team
from memoryweb.audit.models import Event, Label
from memoryweb.audit.record import SYSTEM
from tests.accounts.refusal import refusing_events
from tests.world import World, personal_token


def _of(world: World, user: User) -> Membership:
    return Membership.objects.get(team=world.team, user=user)


def test_a_new_address_becomes_a_person_who_can_sign_in(world: World) -> None:
    added = members.add_member(
        team=world.team, email=" New@Example.org ", role=Role.VIEWER, by=SYSTEM, password="a b c d"
    )
    assert added.user.email == "new@example.org"
    assert added.user.check_password("a b c d")


def test_a_known_person_keeps_name_and_password(world: World) -> None:
    members.add_member(
        team=world.twin.team,
        email=world.bob.email,
        role=Role.ADMIN,
        by=SYSTEM,
        name="Robert",
        password="stolen account",
    )
    bob = User.objects.get(pk=world.bob.pk)
    assert bob.name == "Bob"
    assert not bob.check_password("stolen account")


def test_nobody_is_added_twice(world: World) -> None:
    with pytest.raises(AlreadyMember):
        members.add_member(team=world.team, email=world.bob.email, role=Role.ADMIN, by=SYSTEM)


def test_somebody_whose_time_has_run_out_can_come_back(world: World) -> None:
    Membership.objects.filter(user=world.bob).update(ends_at=timezone.now())
    members.add_member(team=world.team, email=world.bob.email, role=Role.VIEWER, by=SYSTEM)
    assert _of(world, world.bob).is_current
    assert _of(world, world.bob).role == Role.VIEWER


@pytest.mark.parametrize("email", ["", "bob", "bob@", "a b@example.org"])
def test_what_is_no_address_is_refused(world: World, email: str) -> None:
    with pytest.raises(AddressRefused):
        members.add_member(team=world.team, email=email, role=Role.VIEWER, by=SYSTEM)


def test_an_end_in_the_past_is_refused(world: World) -> None:
    with pytest.raises(EndRefused):
        members.add_member(
            team=world.team,
            email="x@example.org",
            role=Role.AUDITOR,
            by=SYSTEM,
            ends_at=timezone.now() - timedelta(seconds=1),
        )
    assert not User.objects.filter(email="x@example.org").exists()


def test_a_membership_ends_at_its_date(world: World) -> None:
    soon = timezone.now() + timedelta(days=3)
    members.change_member(
        membership=_of(world, world.audrey), role=Role.AUDITOR, ends_at=soon, by=SYSTEM
    )
    current = Membership.objects.filter(user=world.audrey)
    assert current.current(soon - timedelta(seconds=1)).exists()
    assert not current.current(soon).exists()


def test_the_last_admin_cannot_be_removed(world: World) -> None:
    with pytest.raises(LastAdmin):
        members.remove_member(membership=_of(world, world.alice), by=SYSTEM)
    assert _of(world, world.alice).role == Role.ADMIN


@pytest.mark.parametrize("role", [Role.VIEWER, Role.MEMBER, Role.AUDITOR])
def test_the_last_admin_cannot_be_demoted(world: World, role: Role) -> None:
    alice = _of(world, world.alice)
    with pytest.raises(LastAdmin):
        members.change_member(membership=alice, role=role, ends_at=None, by=SYSTEM)
    assert _of(world, world.alice).role == Role.ADMIN


def test_the_last_admin_cannot_be_given_an_end(world: World) -> None:
    with pytest.raises(LastAdmin):
        members.change_member(
            membership=_of(world, world.alice),
            role=Role.ADMIN,
            ends_at=timezone.now() + timedelta(days=1),
            by=SYSTEM,
        )


@pytest.mark.parametrize("reason", ["ends", "inactive"])
def test_an_admin_who_will_not_last_does_not_count(world: World, reason: str) -> None:
    ends_at = timezone.now() + timedelta(days=1) if reason == "ends" else None
    Membership.objects.filter(user=world.bob).update(role=Role.ADMIN, ends_at=ends_at)
    User.objects.filter(pk=world.bob.pk).update(is_active=reason != "inactive")
    with pytest.raises(LastAdmin):
        members.remove_member(membership=_of(world, world.alice), by=SYSTEM)


def test_one_of_two_admins_can_go(world: World) -> None:
    bob = _of(world, world.bob)
    members.change_member(membership=bob, role=Role.ADMIN, ends_at=None, by=SYSTEM)
    members.remove_member(membership=_of(world, world.alice), by=SYSTEM)
    with pytest.raises(LastAdmin):
        members.remove_member(membership=_of(world, world.bob), by=SYSTEM)


def test_who_was_removed_meanwhile_is_no_member(world: World) -> None:
    twice = [_of(world, world.bob) for _turn in range(2)]
    members.remove_member(membership=twice[0], by=SYSTEM)
    with pytest.raises(NotMember):
        members.remove_member(membership=twice[1], by=SYSTEM)


def test_removal_ends_the_tokens_of_this_team_alone(world: World) -> None:
    members.add_member(team=world.twin.team, email=world.bob.email, role=Role.VIEWER, by=SYSTEM)
    here, there = (personal_token(team, world.bob) for team in (world.team, world.twin.team))
    members.remove_member(membership=_of(world, world.bob), by=SYSTEM)
    assert tokens.recognise(here) is None
    assert tokens.recognise(there) is not None


def test_a_change_says_what_it_changed_to_and_by_whom(world: World) -> None:
    members.change_member(
        membership=_of(world, world.bob), role=Role.VIEWER, ends_at=None, by=SYSTEM
    )
    event = Event.objects.get(action="member.changed")
    assert event.target_id == str(world.bob.pk)
    assert '"role": "viewer"' in event.details


def test_a_change_to_the_same_is_no_event(world: World) -> None:
    bob = _of(world, world.bob)
    members.change_member(membership=bob, role=Role.MEMBER, ends_at=None, by=SYSTEM)
    assert not Event.objects.filter(action="member.changed").exists()


def test_no_address_stands_in_an_event(world: World) -> None:
    said = b"".join(bytes(event.canonical) for event in Event.objects.all())
    assert b"example.org" not in said
    assert not Label.objects.filter(text__contains="example.org").exists()


def test_no_event_no_member(world: World) -> None:
    with refusing_events(), pytest.raises(IntegrityError):
        members.add_member(team=world.team, email="x@example.org", role=Role.VIEWER, by=SYSTEM)
    assert not User.objects.filter(email="x@example.org").exists()


def test_no_event_no_change(world: World) -> None:
    bob = _of(world, world.bob)
    with refusing_events(), pytest.raises(IntegrityError):
        members.change_member(membership=bob, role=Role.ADMIN, ends_at=None, by=SYSTEM)
    assert _of(world, world.bob).role == Role.MEMBER


def test_no_event_no_removal(world: World) -> None:
    with refusing_events(), pytest.raises(IntegrityError):
        members.remove_member(membership=_of(world, world.bob), by=SYSTEM)
    assert _of(world, world.bob).is_current


def test_a_member_is_found_by_address(world: World) -> None:
    assert members.find(world.team, "Bob@example.org") == _of(world, world.bob)


def test_a_stranger_is_not_found(world: World) -> None:
    with pytest.raises(NotFound):
        members.find(world.team, world.charlie.email)


@pytest.mark.django_db(transaction=True)
def test_two_admins_cannot_remove_each_other_at_once() -> None:
    team = create_team(name="Harbour", by=SYSTEM)
    both = [
        members.add_member(team=team, email=f"{name}@example.org", role=Role.ADMIN, by=SYSTEM)
        for name in ("alice", "bob")
    ]
    start = Barrier(2)

    def remove(member: Membership) -> None:
        try:
            start.wait()
            members.remove_member(membership=member, by=SYSTEM)
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as pool:
        outcomes = [pool.submit(remove, member).exception for member in both]
    assert [type(outcome()) for outcome in outcomes].count(LastAdmin) == 1
    assert Membership.objects.filter(team=team).count() == 1
