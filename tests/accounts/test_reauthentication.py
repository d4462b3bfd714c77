"""Second-factor pages after the five minutes for which a sign-in is proof enough."""

import pytest
from allauth.account.internal.flows.login import AUTHENTICATION_METHODS_SESSION_KEY
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import (
    TOTP,
    format_hotp_value,
    generate_totp_secret,
    hotp_value,
    yield_hotp_counters_from_time,
)
from django.core.cache import cache
from django.test import Client
from django.urls import reverse

from memoryweb.audit.models import Event
from tests.world import PASSWORD, World

REAUTHENTICATE = reverse("account_reauthenticate")
CHANGES = ["mfa_activate_totp", "mfa_deactivate_totp", "mfa_generate_recovery_codes"]


@pytest.fixture
def client(world: World) -> Client:
    """Bob, who proved his password once more just now."""
    cache.clear()
    client = Client()
    client.post(reverse("account_login"), {"login": world.bob.email, "password": PASSWORD})
    client.post(REAUTHENTICATE, {"password": PASSWORD})
    return client


def _five_minutes_pass(client: Client) -> None:
    session = client.session
    for method in session[AUTHENTICATION_METHODS_SESSION_KEY]:
        method["at"] -= 301
    session.save()


def _code(secret: str) -> str:
    code: str = format_hotp_value(hotp_value(secret, next(iter(yield_hotp_counters_from_time()))))
    return code


def _told() -> list[str]:
    acts = Event.objects.filter(action__startswith="factor.").order_by("seq")
    return list(acts.values_list("action", flat=True))


@pytest.mark.parametrize("name", CHANGES)
def test_a_late_change_asks_for_the_password_again(world: World, client: Client, name: str) -> None:
    if name != "mfa_activate_totp":
        TOTP.activate(world.bob, generate_totp_secret())
    _five_minutes_pass(client)
    answer = client.post(reverse(name), {"code": "000000"})
    assert answer.headers["Location"].startswith(REAUTHENTICATE)


def test_what_was_sent_late_is_done_and_told_once_the_password_was_given(
    world: World, client: Client
) -> None:
    client.get(reverse("mfa_activate_totp"))
    code = _code(client.session["mfa.totp.secret"])
    _five_minutes_pass(client)
    asked = client.post(reverse("mfa_activate_totp"), {"code": code})
    client.post(
        asked.headers["Location"],
        {"password": PASSWORD, "next": reverse("mfa_activate_totp")},
    )
    assert Authenticator.objects.filter(user=world.bob).count() == 2  # the app and the codes
    assert _told() == ["factor.added", "factor.added"]


def test_the_pages_themselves_answer_late(world: World, client: Client) -> None:
    TOTP.activate(world.bob, generate_totp_secret())
    _five_minutes_pass(client)
    for name in ("mfa_index", "mfa_view_recovery_codes", *CHANGES):
        assert client.get(reverse(name)).status_code < 500, name
