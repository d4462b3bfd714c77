"""Somebody presses “Join” twice: one account, one membership, and a sentence for the second."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from django.db import connection

from memoryweb.accounts import members
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
