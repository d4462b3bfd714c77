"""Somebody joins or signs in twice at once: one account, one membership."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from django.db import connection
from pytest_django import Settings

from memoryweb.accounts import company, members, oidc
from memoryweb.accounts.exceptions import AccountsRefused
from memoryweb.accounts.models import User
from memoryweb.accounts.permissions import Role
from memoryweb.audit.record import SYSTEM
from tests.snapshot import restored_world

pytestmark = [pytest.mark.databases, pytest.mark.django_db(transaction=True)]
GUEST = "guest@example.org"


def test_a_link_that_is_used_twice_at_once_makes_one_member() -> None:
    team = restored_world().team
    made, _secret = members.invite(team=team, email=GUEST, role=Role.MEMBER, by=SYSTEM)
    barrier = Barrier(4)

    def join(_turn: int) -> str:
        try:
            barrier.wait(timeout=20)
            members.accept_as_new(invitation=made, name="Gil", password="long enough")
        except AccountsRefused as refused:
            return refused.code
        finally:
            connection.close()
        return "joined"

    with ThreadPoolExecutor(4) as pool:
        said = sorted(pool.map(join, range(4)))
    assert said == ["joined", *["not_invited"] * 3]
    assert User.objects.filter(email=GUEST).count() == 1


def test_two_first_sign_ins_at_once_make_one_account(settings: Settings) -> None:
    restored_world()
    settings.OIDC_ISSUER, settings.OIDC_GROUPS = "https://id.example", {"staff": "harbour:member"}
    claims = oidc.Claims("248289761001", GUEST, "Gil", frozenset({"staff"}), "")
    barrier = Barrier(4)

    def sign_in(_turn: int) -> str:
        try:
            barrier.wait(timeout=20)
            user = company.person_of(claims)
            company.renew(user, claims)
        finally:
            connection.close()
        return str(user.pk)

    with ThreadPoolExecutor(4) as pool:
        found = set(pool.map(sign_in, range(4)))
    user = User.objects.get(email=GUEST)
    assert found == {str(user.pk)}
    assert user.memberships.get().by_group
