"""Signing in with the company's account, where its provider behaves and where it doesn't."""

import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any
from urllib.parse import parse_qs, urlsplit

import jwt
import pytest
from allauth.mfa.totp.internal.auth import (
    TOTP,
    format_hotp_value,
    generate_totp_secret,
    hotp_value,
    yield_hotp_counters_from_time,
)
from django.contrib.sessions.backends.db import SessionStore
from django.core.mail import EmailMessage
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from memoryweb.accounts import company, members, oidc
from memoryweb.accounts.models import Identity, User
from memoryweb.accounts.permissions import Role
from memoryweb.accounts.teams import system_team
from memoryweb.audit.models import Event
from memoryweb.audit.record import SYSTEM
from memoryweb.web.audit import reason_of
from tests.accounts import oidc_provider
from tests.accounts.company import comes_back, leaves, signs_in
from tests.accounts.oidc_provider import Provider
from tests.clock import Clock
from tests.world import PASSWORD, World, signed_in

NORA = "nora@example.org"


def _is_in(client: Client) -> bool:
    return "_auth_user_id" in client.session


def _said(answer: Any) -> str:
    return str(answer.content.decode()).replace("&#x27;", "'")


def _of(code: str) -> str:
    return str(oidc.SENTENCES[code]).format(name="Example ID")


def test_the_first_sign_in_makes_an_account(world: World, provider: Provider) -> None:
    client, answer = signs_in(provider)
    user = User.objects.get(email=NORA)
    assert (answer.status_code, answer["Location"]) == (302, reverse("home"))
    assert client.session["_auth_user_id"] == str(user.pk)
    assert (user.name, user.has_usable_password()) == ("Nora North", False)
    identity = Identity.objects.get(user=user)
    assert (identity.issuer, identity.subject) == (provider.issuer, "248289761001")
    events = Event.objects.filter(actor_id=str(user.pk)).order_by("at_us")
    assert [event.action for event in events] == ["signin.linked", "signin.succeeded"]


def test_the_next_one_goes_by_subject_whatever_the_address(
    world: World, provider: Provider
) -> None:
    signs_in(provider)
    provider.person |= {"email": world.bob.email, "email_verified": False}
    client, _answer = signs_in(provider)
    assert client.session["_auth_user_id"] == str(User.objects.get(email=NORA).pk)


def test_the_same_subject_of_another_issuer_is_somebody_else(
    world: World, provider: Provider
) -> None:
    signs_in(provider)
    Identity.objects.update(issuer="https://other.example")
    client, answer = signs_in(provider)
    assert not _is_in(client)
    assert "There is an account with your e-mail address already" in _said(answer)


def test_the_person_is_sent_with_state_nonce_and_a_challenge(provider: Provider) -> None:
    client, address = leaves(provider)
    asked = {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}
    assert address.startswith(f"{provider.issuer}/authorize?")
    assert asked["redirect_uri"] == "http://testserver/accounts/company/callback/"
    assert (asked["response_type"], asked["code_challenge_method"]) == ("code", "S256")
    kept = client.session["company_sign_in"]
    assert {asked["state"], asked["nonce"]} == {kept["state"], kept["nonce"]}
    assert kept["verifier"] not in address


def test_it_goes_on_to_the_page_that_was_asked_for(world: World, provider: Provider) -> None:
    client, address = leaves(provider, next="/profile/")
    assert comes_back(client, provider.signs_in(address))["Location"] == "/profile/"


def test_it_goes_on_to_no_other_site(world: World, provider: Provider) -> None:
    client, address = leaves(provider, next="https://evil.example/")
    assert comes_back(client, provider.signs_in(address))["Location"] == "/"


def test_what_the_id_token_leaves_out_is_asked_for(world: World, provider: Provider) -> None:
    provider.in_token = set()
    client, _answer = signs_in(provider)
    assert _is_in(client)
    assert world.team.memberships.filter(user__email=NORA, by_group=True).exists()


def test_a_second_factor_is_asked_for_as_ever(world: World, provider: Provider) -> None:
    signs_in(provider)
    TOTP.activate(User.objects.get(email=NORA), generate_totp_secret())
    client, answer = signs_in(provider)
    assert answer["Location"] == reverse("mfa_authenticate")
    assert not _is_in(client)


def test_what_groups_give_waits_for_the_second_factor(world: World, provider: Provider) -> None:
    signs_in(provider)
    user = User.objects.get(email=NORA)
    secret = generate_totp_secret()
    TOTP.activate(user, secret)
    ends_at = user.memberships.get().ends_at
    provider.person["groups"] = ["chiefs"]
    provider.refresh = "a refresh token"
    client, _answer = signs_in(provider)
    assert (user.memberships.get().role, user.memberships.get().ends_at) == ("member", ends_at)
    assert "a refresh token" not in str(dict(client.session.items()))
    code = format_hotp_value(hotp_value(secret, next(yield_hotp_counters_from_time())))
    client.post(reverse("mfa_authenticate"), {"code": code})
    assert _is_in(client)
    assert user.memberships.get().role == "admin"
    assert "_company_until" in client.session
    assert "_company_claims" not in client.session


def test_kept_claims_are_of_one_person_and_soon_over(
    world: World, provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock(timezone.now(), monkeypatch)
    signs_in(provider)
    user, session = User.objects.get(email=NORA), SessionStore()
    claims = oidc.Claims("248289761001", NORA, "", frozenset({"chiefs"}), "")
    company.keep_claims(session, user, claims)
    assert company.renew_kept(session, world.bob) == {}
    company.keep_claims(session, user, claims)
    clock.put(clock.now + timedelta(minutes=16))
    assert company.renew_kept(session, user) == {}
    assert user.memberships.get().role == "member"


def test_who_was_deactivated_stays_out(world: World, provider: Provider) -> None:
    signs_in(provider)
    User.objects.filter(email=NORA).update(is_active=False)
    before = Identity.objects.get().valid_until
    client, _answer = signs_in(provider)
    assert not _is_in(client)
    assert Identity.objects.get().valid_until == before


def test_who_is_signed_in_as_somebody_else_is_signed_out(world: World, provider: Provider) -> None:
    client, address = leaves(provider)
    client.force_login(world.bob)
    comes_back(client, provider.signs_in(address))
    assert client.session["_auth_user_id"] == str(User.objects.get(email=NORA).pk)
    assert "_company_until" in client.session


# What a provider, or somebody in its place, may answer.


def _claims(**changes: object) -> Callable[[Provider], None]:
    return lambda provider: provider.claims.update(changes)


def _person(**changes: object) -> Callable[[Provider], None]:
    return lambda provider: provider.person.update(changes)


def _sign(way: Callable[[oidc_provider.Claims], str]) -> Callable[[Provider], None]:
    return lambda provider: setattr(provider, "sign", way)


def _instead(path: str, status: int, body: bytes) -> Callable[[Provider], None]:
    return lambda provider: provider.instead.update({path: (status, body)})


HUGE = b'{"a": "' + b"a" * oidc.MOST + b'"}'
DEEP = b"[" * 100_000
OTHER_KEY = {"keys": [oidc_provider.public_jwk() | {"kid": "two"}]}
MISBEHAVIOURS: dict[str, tuple[str, Callable[[Provider], None]]] = {
    "for another program": ("audience", _claims(aud="other")),
    "for several and not for us": ("audience", _claims(aud=["memoryweb", "other"], azp="other")),
    "for several, nobody said for whom": ("audience", _claims(aud=["memoryweb", "other"])),
    "for nobody": ("unreadable", _claims(aud=None)),
    "expired": ("expired", _claims(exp=1_700_000_000)),
    "for ever": ("unreadable", _claims(exp=None)),
    "until no number": ("unreadable", _claims(exp="tomorrow")),
    "of the future": ("expired", _claims(iat=4_000_000_000)),
    "of no time": ("unreadable", _claims(iat=None)),
    "of another issuer": ("issuer", _claims(iss="https://other.example")),
    "of no issuer": ("unreadable", _claims(iss=None)),
    "another nonce": ("nonce", _claims(nonce="other")),
    "no nonce": ("nonce", _claims(nonce=None)),
    "a nonce that is no text": ("nonce", _claims(nonce={"a": 1})),
    "unsigned": ("unsigned", _sign(oidc_provider.unsigned)),
    "signed with our secret": ("unsigned", _sign(oidc_provider.signed_with_the_secret)),
    "signed with the public key": ("unsigned", _sign(oidc_provider.signed_with_the_public_key)),
    "signed by a stranger": ("signature", _sign(oidc_provider.signed_by_a_stranger)),
    "no token at all": ("unreadable", _sign(lambda _claims: "a.b")),
    "a token that is no text": ("unreadable", _sign(lambda _claims: ["a"])),  # type: ignore[arg-type, return-value]
    "no subject": ("subject", _claims(sub=None)),
    "an empty subject": ("subject", _person(sub="")),
    "a long subject": ("subject", _person(sub="1" * 256)),
    "a subject with a NUL": ("subject", _person(sub="1\0")),
    "a subject with half a character": ("subject", _person(sub="1\ud800")),
    "a subject that is no text": ("subject", _person(sub=17)),
    "two subjects": ("subject", _claims(sub="248289761002")),
    "groups as a text": ("groups", _person(groups="staff")),
    "groups as an object": ("groups", _person(groups={"staff": True})),
    "groups that are no texts": ("groups", _person(groups=["staff", 7])),
    "an unverified address": ("unverified", _person(email_verified=False)),
    "an address nobody speaks of": ("unverified", _person(email_verified=None)),
    "no address": ("unverified", _person(email=None)),
    "an address that is none": ("unverified", _person(email=["nora@example.org"])),
    "an address with no host": ("unverified", _person(email="nora")),
    "a long address": ("unverified", _person(email=f"nora@{'a' * 60}.{'b.' * 120}example.org")),
    "somebody else's address": ("taken", _person(email="Bob@example.org")),
    "no keys": ("unreachable", _instead("/jwks", 404, b"gone")),
    "other keys": ("signature", _instead("/jwks", 200, json.dumps(OTHER_KEY).encode())),
    "keys that are none": ("unreadable", _instead("/jwks", 200, b'{"keys": [7]}')),
    "huge keys": ("unreachable", _instead("/jwks", 200, HUGE)),
    "a huge answer": ("unreachable", _instead("/token", 200, HUGE)),
    "a deep answer": ("unreachable", _instead("/token", 200, DEEP)),
    "a list": ("unreachable", _instead("/token", 200, b"[]")),
    "a page": ("unreachable", _instead("/token", 200, b"<html>")),
    "an error": ("unreachable", _instead("/token", 500, b"{}")),
    "another client": ("setup", _instead("/token", 401, b'{"error": "invalid_client"}')),
    "a redirect": ("unreachable", _instead("/token", 302, b"{}")),
    "nothing of the person": ("unreachable", _instead("/userinfo", 403, b"{}")),
}


@pytest.mark.parametrize("name", MISBEHAVIOURS)
def test_what_is_wrong_is_told_and_signs_nobody_in(
    world: World, provider: Provider, name: str
) -> None:
    code, misbehave = MISBEHAVIOURS[name]
    misbehave(provider)
    client, answer = signs_in(provider)
    assert answer.status_code == 403
    assert _of(code) in _said(answer)
    assert not _is_in(client)
    assert not User.objects.filter(email=NORA).exists()
    assert not Identity.objects.exists()
    event = Event.objects.get(action="signin.failed")
    assert (event.team_id, event.reason_code) == (system_team().pk, f"company_{code}")


def test_keys_for_other_uses_are_passed_over(world: World, provider: Provider) -> None:
    """Keycloak publishes one to encrypt with; a provider that changes its key publishes both."""
    ours = oidc_provider.public_jwk()
    keys = [
        ours | {"kid": "enc", "use": "enc", "alg": "RSA-OAEP"},
        ours | {"kid": "one", "use": "enc"},
        {"kty": "oct", "kid": "one", "k": "c2VjcmV0", "alg": "HS256"},
        {"kty": "new", "kid": "one"},
        oidc_provider.public_jwk(1) | {"kid": "old"},
        ours,
    ]
    provider.instead["/jwks"] = (200, json.dumps({"keys": keys}).encode())
    client, _answer = signs_in(provider)
    assert _is_in(client)


@pytest.mark.parametrize(("alg", "names"), [("PS256", True), ("RS512", True), ("RS256", False)])
def test_a_key_may_be_named_or_the_only_one(
    world: World, provider: Provider, alg: str, names: bool
) -> None:
    jwk = oidc_provider.public_jwk()
    del jwk["alg"]
    provider.instead["/jwks"] = (200, json.dumps({"keys": [jwk]}).encode())
    head = {"kid": "one"} if names else {}
    provider.sign = lambda claims: jwt.encode(claims, oidc_provider.key(0), alg, headers=head)
    client, _answer = signs_in(provider)
    assert _is_in(client)


def test_a_slow_provider_is_not_waited_for(
    world: World, provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    client, address = leaves(provider)
    monkeypatch.setattr(oidc, "SECONDS", 0.2)
    provider.slow["/token"] = 1.0
    answer = comes_back(client, provider.signs_in(address))
    assert "Example ID didn't answer in time" in _said(answer)
    assert not _is_in(client)


def test_a_code_works_once(world: World, provider: Provider) -> None:
    client, address = leaves(provider)
    back = provider.signs_in(address)
    comes_back(client, back)
    other, address = leaves(provider)
    state = parse_qs(urlsplit(address).query)["state"][0]
    answer = comes_back(other, back | {"state": state})
    assert "Example ID no longer accepts this sign-in" in _said(answer)
    assert not _is_in(other)


def test_a_code_of_another_browser_signs_nobody_in(world: World, provider: Provider) -> None:
    """With its own state it is refused here, with the browser's by its challenge."""
    _attacker, address = leaves(provider)
    back = provider.signs_in(address)
    victim, address = leaves(provider)
    state = parse_qs(urlsplit(address).query)["state"][0]
    assert "began in another browser" in _said(comes_back(victim, back))
    assert not _is_in(victim)
    victim, address = leaves(provider)
    state = parse_qs(urlsplit(address).query)["state"][0]
    assert "no longer accepts" in _said(comes_back(victim, back | {"state": state}))
    assert not _is_in(victim)


def test_an_answer_that_nobody_asked_for_is_refused_and_fills_no_log(
    world: World, provider: Provider
) -> None:
    answer = comes_back(Client(), {"code": "1", "state": "1"})
    assert (answer.status_code, Event.objects.filter(action="signin.failed").count()) == (403, 0)


def test_who_was_refused_there_is_told(world: World, provider: Provider) -> None:
    client, address = leaves(provider)
    state = provider.signs_in(address)["state"]
    answer = comes_back(client, {"error": "access_denied", "state": state})
    assert "Example ID didn't let you in" in _said(answer)


def test_an_answer_in_the_name_of_another_issuer_is_refused(
    world: World, provider: Provider
) -> None:
    client, address = leaves(provider)
    answer = comes_back(client, provider.signs_in(address) | {"iss": "https://other.example"})
    assert "somebody else than Example ID" in _said(answer)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"issuer": "https://other.example"}, "somebody else than Example ID"),
        ({"authorization_endpoint": "https://other.example/"}, "aren't set up for each other"),
        ({"authorization_endpoint": "javascript:alert(1)"}, "aren't set up for each other"),
        ({"authorization_endpoint": "https://[bad"}, "aren't set up for each other"),
        ({"authorization_endpoint": 7}, "aren't set up for each other"),
        ({"jwks_uri": None}, "aren't set up for each other"),
    ],
)
def test_nobody_is_sent_where_the_settings_do_not_say(
    provider: Provider, change: dict[str, object], sentence: str
) -> None:
    found = json.dumps(provider._configuration() | change).encode()
    provider.instead["/.well-known/openid-configuration"] = (200, found)
    answer = Client().post(reverse("company_leave"))
    assert answer.status_code == 403
    assert sentence in _said(answer)


def test_private_networks_are_called_for_listed_hosts_alone(
    provider: Provider, settings: Settings
) -> None:
    settings.PRIVATE_HOSTS = []
    answer = Client().post(reverse("company_leave"))
    assert "aren't set up for each other" in _said(answer)
    settings.OIDC_ISSUER = provider.issuer.replace("http:", "https:")
    answer = Client().post(reverse("company_leave"))
    assert "didn't answer in time, or not as expected" in _said(answer)
    assert provider.asked == []


def test_nobody_begins_very_often(provider: Provider, settings: Settings) -> None:
    settings.ACCOUNT_RATE_LIMITS = {"company": "2/m/ip"}
    codes = [Client().post(reverse("company_leave")).status_code for _turn in range(3)]
    assert codes == [302, 302, 429]


def test_odd_names_and_tokens_do_no_harm(world: World, provider: Provider) -> None:
    provider.person["name"] = "Nora\0\ud800"
    provider.refresh = "\ud800"
    client, _answer = signs_in(provider)
    assert _is_in(client)
    assert (User.objects.get(email=NORA).name, Identity.objects.get().sealed_key) == ("", b"")


def test_one_address_is_not_verified_by_another(world: World, provider: Provider) -> None:
    """The ID token names one without a word on it, the other answer another that is verified."""
    provider.in_token = set()
    provider.claims["email"] = "chief@example.org"
    client, answer = signs_in(provider)
    assert _of("unverified") in _said(answer)
    assert not _is_in(client)


def test_the_audit_log_tells_why_in_a_sentence(world: World, provider: Provider) -> None:
    provider.claims["aud"] = "other"
    signs_in(provider)
    event = Event.objects.get(action="signin.failed")
    assert reason_of(event) == _of("audience")


def test_it_takes_a_post_and_a_provider(client: Client, provider: Provider) -> None:
    assert client.get(reverse("company_leave")).status_code == 405
    assert client.post(reverse("company_callback")).status_code == 405


def test_without_a_provider_nothing_is_offered(client: Client, db: None) -> None:
    assert client.post(reverse("company_leave")).status_code == 404
    assert client.get(reverse("company_callback")).status_code == 404
    assert "Sign in with" not in client.get(reverse("account_login")).content.decode()


# Accounts that were here before.


def test_an_address_links_nothing_by_itself(world: World, provider: Provider) -> None:
    provider.person["email"] = world.bob.email
    client, answer = signs_in(provider)
    assert "Sign in with its password, then choose “Connect” on your profile" in _said(answer)
    assert not _is_in(client)
    assert not Identity.objects.exists()


def _links(client: Client, provider: Provider) -> HttpResponse:
    """After the password that a change of signing in is asked for."""
    client.post(reverse("company_leave"))
    answer = client.post(
        reverse("account_reauthenticate") + f"?next={reverse('company_leave')}",
        {"password": PASSWORD, "next": reverse("company_leave")},
    )
    return comes_back(client, provider.signs_in(answer["Location"]))


def test_a_person_connects_the_two(world: World, provider: Provider) -> None:
    bob = signed_in(world.bob)
    assert _links(bob, provider)["Location"] == reverse("profile")
    assert "Connected with Example ID" in _said(bob.get(reverse("profile")))
    client, _answer = signs_in(provider)
    assert client.session["_auth_user_id"] == str(world.bob.pk)
    assert Event.objects.get(action="signin.linked").team_id == world.team.pk


def test_another_account_there_takes_the_place_of_the_first(
    world: World, provider: Provider
) -> None:
    for subject in ("first", "second"):
        company.connect(world.bob, subject)
    assert Identity.objects.get().subject == "second"


def test_connecting_takes_the_password_first(world: World, provider: Provider) -> None:
    answer = signed_in(world.bob).post(reverse("company_leave"))
    assert answer["Location"].startswith(reverse("account_reauthenticate"))


def test_who_signs_in_with_one_connects_no_other(world: World, provider: Provider) -> None:
    """Without a password nothing proves that it is still the same person."""
    client, _answer = signs_in(provider)
    provider.person["sub"] = "another"
    assert client.post(reverse("company_leave"))["Location"] == reverse("profile")
    Identity.objects.update(issuer="https://before.example")
    assert client.post(reverse("company_leave"))["Location"] == reverse("profile")
    assert "You can sign in with" not in _said(client.get(reverse("profile")))


def test_after_a_change_of_the_provider_people_connect_again(
    world: World, provider: Provider
) -> None:
    company.connect(world.bob, "first")
    Identity.objects.update(issuer="https://other.example")
    bob = signed_in(world.bob)
    assert "You can sign in with Example ID, too." in _said(bob.get(reverse("profile")))
    assert _links(bob, provider)["Location"] == reverse("profile")
    assert Identity.objects.get().issuer == provider.issuer


def test_a_mailbox_gives_no_password_to_who_has_none(
    world: World, provider: Provider, mailoutbox: list[EmailMessage]
) -> None:
    """Or the next one who gets the address would get the account."""
    signs_in(provider)
    for email in (NORA, world.bob.email):
        Client().post(reverse("account_reset_password"), {"email": email})
    assert [message.to for message in mailoutbox] == [[world.bob.email]]


def test_who_else_is_signed_in_by_then_is_not_connected(world: World, provider: Provider) -> None:
    bob = signed_in(world.bob)
    bob.post(reverse("company_leave"))
    answer = bob.post(
        reverse("account_reauthenticate") + f"?next={reverse('company_leave')}",
        {"password": PASSWORD, "next": reverse("company_leave")},
    )
    kept = bob.session["company_sign_in"]
    bob.force_login(world.vera)
    session = bob.session
    session["company_sign_in"] = kept
    session.save()
    back = comes_back(bob, provider.signs_in(answer["Location"]))
    assert back.status_code == 403
    assert not Identity.objects.exists()


def test_one_company_account_is_one_person(world: World, provider: Provider) -> None:
    signs_in(provider)
    answer = _links(signed_in(world.bob), provider)
    assert "This account of Example ID belongs to somebody else here" in _said(answer)


def test_who_has_no_password_is_not_asked_to_change_it(world: World, provider: Provider) -> None:
    client, _answer = signs_in(provider)
    assert "Change password" not in _said(client.get(reverse("profile")))
    assert client.get(reverse("account_change_password")).status_code == 403


# Passwords turned off.


@pytest.fixture
def no_passwords(provider: Provider, settings: Settings) -> None:
    settings.LOCAL_PASSWORDS = False


def _by_password(user: User) -> Client:
    client = Client()
    client.post(reverse("account_login"), {"login": user.email, "password": PASSWORD})
    return client


@pytest.mark.usefixtures("no_passwords")
def test_only_a_superuser_has_a_password_then(world: World) -> None:
    User.objects.filter(pk=world.alice.pk).update(is_superuser=True)
    assert not _is_in(_by_password(world.bob))
    alice = _by_password(world.alice)
    assert _is_in(alice)
    assert alice.get(reverse("profile")).status_code == 200
    assert alice.get(reverse("account_change_password")).status_code == 200


@pytest.mark.usefixtures("no_passwords")
def test_who_is_invited_joins_with_the_companys_account(world: World, provider: Provider) -> None:
    provider.person["groups"] = []
    _made, secret = members.invite(team=world.team, email=NORA, role=Role.VIEWER, by=SYSTEM)
    client = Client()
    client.post(reverse("invitation_entrance"), {"code": secret})
    page = _said(client.get(reverse("invitation")))
    assert "Sign in with Example ID" in page
    assert "Create account and join" not in page
    client, address = leaves(provider, client, next=reverse("invitation"))
    assert comes_back(client, provider.signs_in(address))["Location"] == reverse("invitation")
    client.post(reverse("invitation_accept"))
    membership = world.team.memberships.get(user__email=NORA)
    assert (membership.role, membership.by_group, membership.ends_at) == ("viewer", False, None)


@pytest.mark.usefixtures("no_passwords")
def test_an_invitation_makes_no_account_with_a_password_then(world: World) -> None:
    _made, secret = members.invite(team=world.team, email=NORA, role=Role.VIEWER, by=SYSTEM)
    client = Client()
    client.post(reverse("invitation_entrance"), {"code": secret})
    answer = client.post(reverse("invitation_join"), {"name": "Nora", "password": PASSWORD})
    assert answer.status_code == 403
    assert not User.objects.filter(email=NORA).exists()


@pytest.mark.usefixtures("no_passwords")
def test_sessions_that_a_password_began_are_over_then(world: World, provider: Provider) -> None:
    bob = signed_in(world.bob)
    answer = bob.get(reverse("profile"))
    assert answer["Location"].startswith(reverse("account_login"))
    signs_in(provider, signed_in(world.bob))  # and connect nothing
    assert Identity.objects.get().user.email == NORA


@pytest.mark.usefixtures("no_passwords")
@pytest.mark.parametrize("name", ["account_reset_password", "account_change_password"])
def test_nobody_is_given_a_password_then(world: World, provider: Provider, name: str) -> None:
    client, _answer = signs_in(provider)
    answer = client.get(reverse(name))
    assert answer.status_code == 403
    assert "You have no password here. Sign in with Example ID instead." in _said(answer)
