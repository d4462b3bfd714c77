"""Inviting people, and joining."""

import io
import logging
import re

from django.test import Client
from django.urls import reverse

from memoryweb.accounts import invitations
from memoryweb.accounts.models import User
from memoryweb.accounts.permissions import Role
from memoryweb.audit.record import SYSTEM
from tests.web.pages import actions, fragment, text, url
from tests.world import World, signed_in

GUEST = "guest@example.org"
JOIN = {"name": "Gil", "password": "a long enough pass-phrase"}


def _secret(world: World, email: str = GUEST) -> str:
    return invitations.invite(team=world.team, email=email, role=Role.MEMBER, by=SYSTEM)[1]


def test_the_link_is_shown_once(world: World, alice: Client) -> None:
    data = {"invite-email": GUEST, "invite-role": "member"}
    page = text(fragment(alice, url(world.team, "settings_invite"), "members", data))
    link = re.search(r"/join/([\w-]+)/", page)
    assert link
    assert invitations.find(link[1]) is not None
    assert link[1] not in text(alice.get(url(world.team, "settings_members")))


def test_a_bad_address_is_422_in_the_same_form(world: World, alice: Client) -> None:
    data = {"invite-email": "no address", "invite-role": "member"}
    answer = alice.post(url(world.team, "settings_invite"), data)
    assert answer.status_code == 422
    assert "no address" in text(answer)


def test_open_invitations_are_listed_and_withdrawn(world: World, alice: Client) -> None:
    secret = _secret(world)
    assert GUEST in text(alice.get(url(world.team, "settings_members")))
    made = invitations.find(secret)
    assert made is not None
    alice.post(url(world.team, "settings_invitation_withdraw", made.pk))
    assert invitations.find(secret) is None
    assert GUEST not in text(alice.get(url(world.team, "settings_members")))


def test_a_new_person_makes_an_account_and_is_signed_in(world: World) -> None:
    client, secret = Client(), _secret(world)
    assert "Join Harbour" in text(client.get(reverse("invitation", args=[secret])))
    answer = client.post(reverse("invitation_join", args=[secret]), JOIN)
    assert answer.headers["Location"] == url(world.team, "tonight")
    assert client.get(url(world.team, "tonight")).status_code == 200
    assert actions(world.team)[-1] == "signin.succeeded"


def test_a_weak_password_makes_no_account(world: World) -> None:
    answer = Client().post(
        reverse("invitation_join", args=[_secret(world)]), {**JOIN, "password": "12345"}
    )
    assert answer.status_code == 422
    assert not User.objects.filter(email=GUEST).exists()


def test_the_address_is_no_password(world: World) -> None:
    said = {**JOIN, "password": GUEST}
    answer = Client().post(reverse("invitation_join", args=[_secret(world)]), said)
    assert (answer.status_code, User.objects.filter(email=GUEST).exists()) == (422, False)


def test_no_log_holds_a_link_that_still_works(world: World) -> None:
    secret, said = _secret(world), io.StringIO()
    [console] = [one for one in logging.getLogger().handlers if one.name == "console"]
    assert isinstance(console, logging.StreamHandler)
    before = console.setStream(said)
    Client().post(reverse("invitation_join", args=[secret]), {**JOIN, "password": "12345"})
    console.setStream(before)
    assert "/join/…/new/" in said.getvalue()
    assert secret not in said.getvalue()
    assert invitations.find(secret) is not None


def test_a_person_with_an_account_signs_in_first(world: World) -> None:
    page = text(Client().get(reverse("invitation", args=[_secret(world, world.charlie.email)])))
    assert reverse("account_login") in page
    assert "Make my account" not in page


def test_the_invited_person_joins_with_one_click(world: World) -> None:
    secret, client = _secret(world, world.charlie.email), signed_in(world.charlie)
    answer = client.post(reverse("invitation_accept", args=[secret]))
    assert answer.headers["Location"] == url(world.team, "tonight")
    assert client.get(url(world.team, "tonight")).status_code == 200


def test_somebody_else_is_told_to_sign_out(world: World) -> None:
    secret, client = _secret(world), signed_in(world.charlie)
    assert "Sign out first" in text(client.get(reverse("invitation", args=[secret])))
    client.post(reverse("invitation_accept", args=[secret]))
    assert client.get(url(world.team, "tonight")).status_code == 404


def test_used_unknown_and_withdrawn_links_answer_alike(world: World) -> None:
    used, withdrawn = _secret(world, "one@example.org"), _secret(world)
    Client().post(reverse("invitation_join", args=[used]), JOIN)
    made = invitations.find(withdrawn)
    assert made is not None
    invitations.withdraw(invitation=made, by=SYSTEM)
    answers = [
        Client().get(reverse("invitation", args=[secret])) for secret in (used, withdrawn, "none")
    ]
    assert [answer.status_code for answer in answers] == [404, 404, 404]
    assert len({text(answer) for answer in answers}) == 1
