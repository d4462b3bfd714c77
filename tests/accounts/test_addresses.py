"""The address that a person signs in with, and who may change it."""

import re
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.core.cache import cache
from django.test import Client
from django.urls import reverse

from memoryweb.accounts import addresses
from memoryweb.accounts.exceptions import AddressLinkGone, AddressTaken
from memoryweb.accounts.models import User
from memoryweb.audit.models import Event
from tests.commands.calling import run
from tests.world import PASSWORD, World, signed_in

pytestmark = pytest.mark.databases

NEW = "bobby@example.org"


@pytest.fixture(autouse=True)
def _fresh_rate_limits(db: None) -> None:
    cache.clear()


@pytest.fixture
def bob(world: World) -> Client:
    return signed_in(world.bob)


def _ask(client: Client, email: str = NEW, password: str = PASSWORD) -> int:
    answer = client.post(reverse("profile_address"), {"email": email, "password": password})
    return answer.status_code


def _link() -> str:
    found = re.search(r"http://testserver(\S+)", str(mail.outbox[-1].body))
    assert found
    return found[1]


def _confirm(client: Client, link: str) -> None:
    client.post(
        reverse("profile_address_confirm"), {"code": parse_qs(urlsplit(link).query)["code"][0]}
    )


def _now(user: User) -> str:
    return User.objects.get(pk=user.pk).email


def _can_sign_in(email: str) -> bool:
    client = Client()
    client.post(reverse("account_login"), {"login": email, "password": PASSWORD})
    return "_auth_user_id" in client.session


def test_the_link_in_the_mail_changes_the_address(world: World, bob: Client) -> None:
    _ask(bob)
    assert mail.outbox[-1].to == [NEW]
    assert _now(world.bob) == "bob@example.org"
    page = bob.get(_link())
    assert NEW in page.content.decode()
    assert _now(world.bob) == "bob@example.org"  # looking at it changes nothing
    _confirm(bob, _link())
    assert _now(world.bob) == NEW
    assert _can_sign_in(NEW)
    assert not _can_sign_in("bob@example.org")


def test_the_old_address_is_told(world: World, bob: Client) -> None:
    _ask(bob)
    _confirm(bob, _link())
    assert mail.outbox[-1].to == ["bob@example.org"]
    assert NEW in mail.outbox[-1].body


def test_a_change_is_told_to_the_teams(world: World, bob: Client) -> None:
    _ask(bob)
    _confirm(bob, _link())
    event = Event.objects.get(action="email.changed")
    assert (event.team_id, event.actor_id) == (world.team.pk, str(world.bob.pk))
    assert NEW.encode() not in bytes(event.canonical)


def test_without_the_password_no_link_is_sent(world: World, bob: Client) -> None:
    assert _ask(bob, password="wrong") == 422
    assert mail.outbox == []


def test_passwords_cannot_be_guessed_here(world: World, bob: Client) -> None:
    for _turn in range(9):
        _ask(bob, password="wrong")
    _ask(bob)
    assert mail.outbox == []


def test_an_address_of_another_looks_the_same_and_gets_no_link(world: World, bob: Client) -> None:
    assert _ask(bob) == _ask(bob, "vera@example.org") == 302
    assert [sent.to for sent in mail.outbox] == [[NEW]]


def test_the_link_of_another_changes_nothing(world: World, bob: Client) -> None:
    _ask(bob)
    _confirm(signed_in(world.vera), _link())
    assert (_now(world.bob), _now(world.vera)) == ("bob@example.org", "vera@example.org")


def test_a_link_works_once_and_ends_with_the_password(world: World) -> None:
    code = addresses.make_code(world.bob, NEW)
    assert addresses.read_code(world.bob, code) == NEW
    world.bob.set_password("quite another one")
    with pytest.raises(AddressLinkGone):
        addresses.read_code(world.bob, code)
    code = addresses.make_code(world.bob, NEW)
    addresses.change_address(user=world.bob, email=NEW)
    with pytest.raises(AddressLinkGone):
        addresses.read_code(world.bob, code)


def test_an_address_taken_meanwhile_stays_the_other_persons(world: World, bob: Client) -> None:
    _ask(bob)
    world.vera.email = NEW
    world.vera.save()
    _confirm(bob, _link())
    assert _now(world.bob) == "bob@example.org"
    with pytest.raises(AddressTaken):
        addresses.change_address(user=world.bob, email=NEW.upper())


def test_without_mail_the_page_says_whom_to_ask(world: World, bob: Client, settings: Any) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.console.EmailBackend"
    assert "sends no mail" in bob.get(reverse("profile_address")).content.decode()
    assert _ask(bob) == 422


def test_allauths_own_pages_of_addresses_are_gone(world: World, bob: Client) -> None:
    for path in ("email/", "confirm-email/", "confirm-email/none/", "login/code/confirm/"):
        assert bob.get(f"/accounts/{path}").status_code == 404, path
        assert bob.post(f"/accounts/{path}").status_code == 404, path


def test_a_forgotten_password_leaves_no_further_address(world: World) -> None:
    """One left in allauth's own table would still sign the person in after a change."""
    Client().post(reverse("account_reset_password"), {"email": world.bob.email})
    assert len(mail.outbox) == 1
    assert not EmailAddress.objects.exists()


def test_an_operator_changes_an_address(world: World) -> None:
    answer = run("change_address", "--email=BOB@example.org", f"--to={NEW}", "--json")
    assert (answer.json["ok"], answer.json["email"]) == (True, NEW)
    assert _now(world.bob) == NEW
    event = Event.objects.get(action="email.changed")
    assert (event.actor_kind, event.target_id) == ("system", str(world.bob.pk))


@pytest.mark.parametrize(
    ("email", "to", "code"),
    [
        ("nobody@example.org", NEW, "not_found"),
        ("bob@example.org", "vera@example.org", "address_taken"),
        ("bob@example.org", "no address", "address_refused"),
    ],
)
def test_an_operator_is_told_why_not(world: World, email: str, to: str, code: str) -> None:
    answer = run("change_address", f"--email={email}", f"--to={to}", "--json")
    assert (answer.json["ok"], answer.json["code"]) == (False, code)
    assert not Event.objects.filter(action="email.changed").exists()
