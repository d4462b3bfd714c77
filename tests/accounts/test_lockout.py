"""Who guesses passwords is stopped; whose password is guessed is not."""

from ipaddress import ip_network
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client
from django.urls import reverse

from memoryweb.audit.models import Event
from tests.world import PASSWORD, World

HOME, AWAY, ATTACKER = "192.0.2.10", "198.51.100.20", "203.0.113.30"


@pytest.fixture(autouse=True)
def _fresh_rate_limits(db: None, settings: Any) -> None:
    """A fifth of the wider limit, so that few guesses reach it."""
    assert settings.ACCOUNT_RATE_LIMITS["login_failed_anywhere"] == "100/h/key"
    wider = {"login_failed_anywhere": "20/h/key"}
    settings.ACCOUNT_RATE_LIMITS = settings.ACCOUNT_RATE_LIMITS | wider
    cache.clear()


def _gets_in(email: str, password: str, address: str, forwarded: str = "") -> bool:
    headers = {"x-forwarded-for": forwarded} if forwarded else {}
    client = Client(REMOTE_ADDR=address, headers=headers)
    client.post(reverse("account_login"), {"login": email, "password": password})
    return "_auth_user_id" in client.session


def _guesses(world: World, address: str, times: int = 5, forwarded: str = "") -> None:
    for n in range(times):
        assert not _gets_in(world.bob.email, f"guess {n}", address, forwarded)


def _failures() -> int:
    return Event.objects.filter(action="signin.failed", reason_code="wrong_password").count()


def _attack_from_everywhere(world: World) -> None:
    for n in range(8):
        _guesses(world, f"203.0.113.{n + 100}", 3)


def test_five_wrong_passwords_stop_their_address_alone(world: World) -> None:
    _guesses(world, ATTACKER)
    assert not _gets_in(world.bob.email, PASSWORD, ATTACKER)
    assert _gets_in(world.bob.email, PASSWORD, HOME)
    assert _gets_in(world.bob.email.upper(), PASSWORD, AWAY)


def test_one_address_cannot_go_through_many_accounts(world: World) -> None:
    for n in range(10):
        _gets_in(f"person-{n}@example.org", "guess", ATTACKER)
    assert not _gets_in(world.bob.email, PASSWORD, ATTACKER)
    assert _gets_in(world.bob.email, PASSWORD, HOME)


def test_addresses_of_one_ipv6_network_count_as_one(world: World) -> None:
    for n in range(5):
        _guesses(world, f"2001:db8:1:2::{n + 1}", 1)
    assert not _gets_in(world.bob.email, PASSWORD, "2001:db8:1:2::99")
    assert _gets_in(world.bob.email, PASSWORD, "2001:db8:1:3::1")


def test_an_attack_from_many_addresses_is_limited(world: World) -> None:
    _attack_from_everywhere(world)
    assert _failures() == 20, "of 24 guesses in an hour, the last four were not even looked at"
    assert not _gets_in(world.bob.email, PASSWORD, "203.0.113.99")
    assert _gets_in(world.vera.email, PASSWORD, "203.0.113.99"), "another account is another matter"


@pytest.mark.parametrize("address", [HOME, "2001:db8:1:2::1"])
def test_it_keeps_nobody_from_where_they_signed_in_before(world: World, address: str) -> None:
    assert _gets_in(world.bob.email, PASSWORD, address)
    _attack_from_everywhere(world)
    again = address.replace("::1", "::2")
    assert _gets_in(world.bob.email, PASSWORD, again)
    _guesses(world, again)
    assert not _gets_in(world.bob.email, PASSWORD, again), "its own five still count"


def test_where_another_person_signed_in_is_no_known_address(world: World) -> None:
    assert _gets_in(world.vera.email, PASSWORD, HOME)
    _attack_from_everywhere(world)
    assert not _gets_in(world.bob.email, PASSWORD, HOME)


def test_behind_a_proxy_the_client_counts(world: World, settings: Any) -> None:
    proxy = "10.0.0.1"
    settings.TRUSTED_PROXIES = [ip_network("10.0.0.0/8")]
    _guesses(world, proxy, forwarded=ATTACKER)
    assert not _gets_in(world.bob.email, PASSWORD, proxy, forwarded=f"{HOME}, {ATTACKER}")
    assert _gets_in(world.bob.email, PASSWORD, proxy, forwarded=HOME)


def test_what_a_stranger_says_about_addresses_does_not_count(world: World) -> None:
    for n in range(5):
        _guesses(world, ATTACKER, 1, forwarded=f"192.0.2.{n}")
    assert not _gets_in(world.bob.email, PASSWORD, ATTACKER, forwarded=HOME)
