"""Who may join by an invitation, and how often."""

from datetime import timedelta

import pytest
from django.utils import timezone

from memoryweb.accounts import members
from memoryweb.accounts.exceptions import (
    AddressRefused,
    AlreadyMember,
    EndRefused,
    InvitationGone,
    NotInvited,
)
from memoryweb.accounts.members import add_member
from memoryweb.accounts.models import Invitation, User
from memoryweb.accounts.permissions import Role
from memoryweb.audit.record import SYSTEM
from tests.web.pages import actions
from tests.world import World

GUEST = "guest@example.org"


def _invite(world: World, email: str = GUEST, role: Role = Role.MEMBER) -> tuple[Invitation, str]:
    return members.invite(team=world.team, email=email, role=role, by=SYSTEM)


def test_a_new_person_joins_with_the_role_of_the_invitation(world: World) -> None:
    made, secret = _invite(world, role=Role.AUDITOR)
    found = members.find_invitation(secret)
    assert found == made
    membership = members.accept_as_new(invitation=made, name=" Gil ", password="long enough")
    assert (membership.role, membership.user.name) == ("auditor", "Gil")
    assert actions(world.team)[-3:] == ["invitation.made", "member.added", "invitation.accepted"]


def test_only_the_hash_of_the_link_is_kept(world: World) -> None:
    made, secret = _invite(world)
    assert secret not in str(vars(made))


def test_it_is_used_once(world: World) -> None:
    made, secret = _invite(world)
    members.accept_as_new(invitation=made, name="Gil", password="long enough")
    assert members.find_invitation(secret) is None
    user = User.objects.get(email=GUEST)
    with pytest.raises(InvitationGone):
        members.accept(invitation=made, user=user)


def test_a_person_with_an_account_joins_as_themselves(world: World) -> None:
    made, _secret = _invite(world, world.charlie.email)
    membership = members.accept(invitation=made, user=world.charlie)
    assert membership.user == world.charlie


def test_nobody_else_can_use_it(world: World) -> None:
    made, secret = _invite(world)
    with pytest.raises(NotInvited):
        members.accept(invitation=made, user=world.charlie)
    assert members.find_invitation(secret) is not None


def test_an_account_that_exists_is_not_taken_over(world: World) -> None:
    made, _secret = _invite(world, world.charlie.email)
    with pytest.raises(NotInvited):
        members.accept_as_new(invitation=made, name="Me", password="another password")
    world.charlie.refresh_from_db()
    assert not world.charlie.check_password("another password")


def test_a_withdrawn_one_works_no_more(world: World) -> None:
    made, secret = _invite(world)
    members.withdraw(invitation=made, by=SYSTEM)
    assert members.find_invitation(secret) is None
    with pytest.raises(InvitationGone):
        members.withdraw(invitation=made, by=SYSTEM)


def test_a_newer_one_replaces_the_older(world: World) -> None:
    _older, old_secret = _invite(world)
    newer, _secret = _invite(world, GUEST.upper())
    assert members.find_invitation(old_secret) is None
    assert list(members.open_of(world.team)) == [newer]


def test_it_runs_out(world: World) -> None:
    made, secret = _invite(world)
    Invitation.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert members.find_invitation(secret) is None
    with pytest.raises(InvitationGone):
        members.accept_as_new(invitation=made, name="Gil", password="long enough")
    assert not User.objects.filter(email=GUEST).exists()


def test_a_member_is_not_invited(world: World) -> None:
    with pytest.raises(AlreadyMember):
        _invite(world, world.bob.email)


def test_an_address_is_checked(world: World) -> None:
    with pytest.raises(AddressRefused):
        _invite(world, "no address")


def test_a_membership_that_ended_meanwhile_is_not_given(world: World) -> None:
    made, _secret = _invite(world)
    made.ends_at = timezone.now() - timedelta(seconds=1)
    with pytest.raises(EndRefused):
        members.accept_as_new(invitation=made, name="Gil", password="long enough")


def test_joining_twice_is_refused(world: World) -> None:
    made, secret = _invite(world)
    member = add_member(team=world.team, email=GUEST, role=Role.VIEWER, by=SYSTEM)
    with pytest.raises(AlreadyMember):
        members.accept(invitation=made, user=member.user)
    assert members.find_invitation(secret) is not None
