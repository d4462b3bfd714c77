"""Inviting people, and joining."""

import re

from django.test import Client
from django.urls import reverse

from memoryweb.accounts import members
from memoryweb.accounts.models import User
from memoryweb.accounts.permissions import Role
from memoryweb.audit.record import SYSTEM
from tests.web.pages import actions, fragment, text, url
from tests.world import PASSWORD, World, signed_in

GUEST = "guest@example.org"
JOIN = {"name": "Gil", "password": "a long enough pass-phrase"}


def _secret(world: World, email: str = GUEST) -> str:
    return members.invite(team=world.team, email=email, role=Role.MEMBER, by=SYSTEM)[1]


def _entered(secret: str, client: Client | None = None) -> Client:
    client = client or Client()
    client.post(reverse("invitation_entrance"), {"code": secret})
    return client


def test_the_link_is_shown_once(world: World, alice: Client) -> None:
    data = {"invite-email": GUEST, "invite-role": "member"}
    page = text(fragment(alice, url(world.team, "settings_invite"), "members", data))
    link = re.search(r"/join/#([\w-]+)", page)
    assert link
    assert members.find_invitation(link[1]) is not None
    assert link[1] not in text(alice.get(url(world.team, "settings")))


def test_a_bad_address_is_422_in_the_same_form(world: World, alice: Client) -> None:
    data = {"invite-email": "no address", "invite-role": "member"}
    answer = alice.post(url(world.team, "settings_invite"), data)
    assert answer.status_code == 422
    assert "no address" in text(answer)


def test_open_invitations_are_listed_and_withdrawn(world: World, alice: Client) -> None:
    secret = _secret(world)
    assert GUEST in text(alice.get(url(world.team, "settings")))
    made = members.find_invitation(secret)
    assert made is not None
    alice.post(url(world.team, "settings_invitation_withdraw", made.pk))
    assert members.find_invitation(secret) is None
    assert GUEST not in text(alice.get(url(world.team, "settings")))


def test_looking_at_the_link_and_at_the_invitation_uses_nothing_up(world: World) -> None:
    secret = _secret(world)
    for _turn in range(2):
        assert Client().get(reverse("invitation_entrance")).status_code == 200
        assert "Join Harbour" in text(_entered(secret).get(reverse("invitation")))
    assert members.find_invitation(secret) is not None


def test_the_whole_link_may_be_pasted(world: World) -> None:
    pasted = f" https://memory.example{reverse('invitation_entrance')}#{_secret(world)} "
    answer = Client().post(reverse("invitation_entrance"), {"code": pasted})
    assert answer.headers["Location"] == reverse("invitation") + "#main"


def test_the_page_asks_again_for_what_holds_no_code(db: None) -> None:
    for pasted in (" ", "x" * 2001, "a\0b"):
        answer = Client().post(reverse("invitation_entrance"), {"code": pasted})
        assert answer.status_code == 422
        assert "Open the invitation" in text(answer)


def test_another_browser_sees_no_invitation(world: World) -> None:
    _entered(_secret(world))
    assert Client().get(reverse("invitation")).status_code == 404


def test_a_new_person_makes_an_account_and_is_signed_in(world: World) -> None:
    client = _entered(_secret(world))
    answer = client.post(reverse("invitation_join"), JOIN)
    assert answer.headers["Location"] == url(world.team, "last_night")
    assert client.get(url(world.team, "last_night")).status_code == 200
    assert client.get(reverse("invitation")).status_code == 404
    assert actions(world.team)[-1] == "signin.succeeded"


def test_an_invitation_withdrawn_after_it_was_opened_makes_no_account(world: World) -> None:
    secret = _secret(world)
    client, made = _entered(secret), members.find_invitation(secret)
    assert made is not None
    members.withdraw(invitation=made, by=SYSTEM)
    assert client.post(reverse("invitation_join"), JOIN).status_code == 404
    assert not User.objects.filter(email=GUEST).exists()


def test_a_weak_password_makes_no_account(world: World) -> None:
    client = _entered(_secret(world))
    answer = client.post(reverse("invitation_join"), {**JOIN, "password": "12345"})
    assert answer.status_code == 422
    assert not User.objects.filter(email=GUEST).exists()


def test_the_address_is_no_password(world: World) -> None:
    answer = _entered(_secret(world)).post(reverse("invitation_join"), {**JOIN, "password": GUEST})
    assert (answer.status_code, User.objects.filter(email=GUEST).exists()) == (422, False)


def test_a_person_with_an_account_signs_in_first_and_finds_the_invitation(world: World) -> None:
    client = _entered(_secret(world, world.charlie.email))
    page = text(client.get(reverse("invitation")))
    sign_in = f"{reverse('account_login')}?next={reverse('invitation')}"
    assert sign_in in page
    assert "Create account" not in page
    client.post(sign_in, {"login": world.charlie.email, "password": PASSWORD})
    assert "Join the team" in text(client.get(reverse("invitation")))


def test_the_invited_person_joins_with_one_click(world: World) -> None:
    client = _entered(_secret(world, world.charlie.email), signed_in(world.charlie))
    answer = client.post(reverse("invitation_accept"))
    assert answer.headers["Location"] == url(world.team, "last_night")
    assert client.get(url(world.team, "last_night")).status_code == 200


def test_somebody_else_is_told_to_sign_out(world: World) -> None:
    client = _entered(_secret(world), signed_in(world.charlie))
    assert "Sign out, then" in text(client.get(reverse("invitation")))
    client.post(reverse("invitation_accept"))
    assert client.get(url(world.team, "last_night")).status_code == 404


def test_used_unknown_and_withdrawn_links_answer_alike(world: World) -> None:
    used, withdrawn = _secret(world, "one@example.org"), _secret(world)
    _entered(used).post(reverse("invitation_join"), JOIN)
    made = members.find_invitation(withdrawn)
    assert made is not None
    members.withdraw(invitation=made, by=SYSTEM)
    answers = [
        Client().post(reverse("invitation_entrance"), {"code": secret})
        for secret in (used, withdrawn, "none")
    ]
    assert [answer.status_code for answer in answers] == [404, 404, 404]
    assert len({text(answer) for answer in answers}) == 1
