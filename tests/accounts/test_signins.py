import json

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import (
    TOTP,
    format_hotp_value,
    generate_totp_secret,
    hotp_value,
    yield_hotp_counters_from_time,
)
from django.core.cache import cache
from django.db import DatabaseError
from django.test import Client
from django.urls import reverse

from memoryweb.accounts.members import add_member
from memoryweb.accounts.models import Membership, Team, User
from memoryweb.accounts.permissions import Role
from memoryweb.accounts.teams import system_team
from memoryweb.audit.models import Event, Label
from memoryweb.audit.record import SYSTEM
from tests.accounts.refusal import refusing_events
from tests.world import PASSWORD, World, signed_in


@pytest.fixture(autouse=True)
def _fresh_rate_limits(db: None) -> None:
    cache.clear()


def _sign_in(email: str, password: str) -> Client:
    client = Client(headers={"user-agent": "Test browser"})
    client.post(reverse("account_login"), {"login": email, "password": password})
    return client


def _events(team: Team) -> list[tuple[str, str, str]]:
    events = Event.objects.filter(
        team_id=team.pk, action__in=["signin.succeeded", "signin.failed", "signout"]
    )
    return [(e.action, e.actor_kind, e.reason_code) for e in events.order_by("seq")]


def test_a_sign_in_goes_to_every_team_of_the_person(world: World) -> None:
    add_member(team=world.twin.team, email=world.bob.email, role=Role.VIEWER, by=SYSTEM)
    _sign_in(world.bob.email, PASSWORD)
    assert _events(world.team) == [("signin.succeeded", "person", "")]
    assert _events(world.twin.team) == [("signin.succeeded", "person", "")]


def test_a_sign_in_says_the_role_and_where_from(world: World) -> None:
    _sign_in(world.bob.email, PASSWORD)
    event = Event.objects.get(action="signin.succeeded")
    assert (event.actor_id, event.actor_role) == (str(world.bob.pk), "member")
    assert (event.ip, event.user_agent) == ("127.0.0.1", "Test browser")


def test_a_team_left_behind_is_not_told(world: World) -> None:
    Membership.objects.filter(user=world.bob).update(ends_at=world.team.created_at)
    _sign_in(world.bob.email, PASSWORD)
    assert _events(world.team) == []
    assert _events(system_team()) == [("signin.succeeded", "person", "")]


def test_a_wrong_password_is_told_to_the_teams_of_the_person(world: World) -> None:
    _sign_in("BOB@example.org", "wrong")
    assert _events(world.team) == [("signin.failed", "anonymous", "wrong_password")]
    assert Event.objects.get(action="signin.failed").target_id == str(world.bob.pk)


def test_an_unknown_address_is_told_to_the_system_team_without_the_address(world: World) -> None:
    for _turn in range(2):
        _sign_in("zebra@example.org", "wrong")
    _sign_in("giraffe@example.org", "wrong")
    events = list(Event.objects.filter(team_id=system_team().pk).order_by("seq"))
    assert [event.reason_code for event in events] == ["unknown_address"] * 3
    first, again, other = (json.loads(event.details)["address"] for event in events)
    assert first == again != other
    assert not any(b"zebra" in bytes(event.canonical) for event in events)
    assert not Label.objects.filter(text__contains="zebra").exists()


def test_a_wrong_code_is_a_failed_sign_in(world: World) -> None:
    TOTP.activate(world.bob, generate_totp_secret())
    client = _sign_in(world.bob.email, PASSWORD)
    client.post(reverse("mfa_authenticate"), {"code": "000000"})
    assert Authenticator.objects.filter(user=world.bob).exists()
    assert _events(world.team) == [("signin.failed", "anonymous", "wrong_code")]


def test_a_sign_out_is_an_event(world: World) -> None:
    signed_in(world.bob).post(reverse("account_logout"))
    assert _events(world.team) == [("signout", "person", "")]


def test_a_changed_password_is_an_event(world: World) -> None:
    signed_in(world.bob).post(
        reverse("account_change_password"),
        {
            "oldpassword": PASSWORD,
            "password1": "quite another one",
            "password2": "quite another one",
        },
    )
    assert User.objects.get(pk=world.bob.pk).check_password("quite another one")
    assert Event.objects.get(action="password.changed").team_id == world.team.pk


def test_nobody_joins_uninvited(world: World) -> None:
    Client().post(
        reverse("account_signup"),
        {"email": "new@example.org", "password1": PASSWORD, "password2": PASSWORD},
    )
    assert not User.objects.filter(email="new@example.org").exists()


def _own_acts(team: Team) -> list[str]:
    acts = Event.objects.filter(team_id=team.pk, action__regex=r"^factor\.")
    return list(acts.order_by("seq").values_list("action", flat=True))


def _turn_on(client: Client) -> None:
    client.post(reverse("account_reauthenticate"), {"password": PASSWORD})
    client.get(reverse("mfa_activate_totp"))
    secret = client.session["mfa.totp.secret"]
    code = format_hotp_value(hotp_value(secret, next(iter(yield_hotp_counters_from_time()))))
    client.post(reverse("mfa_activate_totp"), {"code": code})


def test_turning_the_second_factor_on_and_off_is_told_to_the_teams(world: World) -> None:
    client = _sign_in(world.bob.email, PASSWORD)
    _turn_on(client)
    assert _own_acts(world.team) == ["factor.added", "factor.added"]  # the app and the codes
    client.post(reverse("mfa_deactivate_totp"))
    assert "factor.removed" in _own_acts(world.team)


def test_a_second_factor_without_its_event_is_not_turned_on(world: World) -> None:
    client = _sign_in(world.bob.email, PASSWORD)
    with refusing_events(), pytest.raises(DatabaseError):
        _turn_on(client)
    assert not Authenticator.objects.exists()
