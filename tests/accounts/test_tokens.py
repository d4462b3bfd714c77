import hashlib
import string
from datetime import timedelta

import pytest
from django.db import IntegrityError
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st
from pytest_django import DjangoAssertNumQueries

from memoryweb.accounts import tokens
from memoryweb.accounts.exceptions import (
    Ambiguous,
    ExpiryRefused,
    NameRefused,
    NotFound,
    NotMember,
    Revoked,
    ScopeMissing,
    ScopeRefused,
)
from memoryweb.accounts.integrations import revoke_integration
from memoryweb.accounts.models import Token
from memoryweb.accounts.permissions import Scope
from memoryweb.audit.models import Event
from memoryweb.audit.record import SYSTEM, Actor
from memoryweb.language.secrets import own_token
from tests.accounts.refusal import refusing_events
from tests.world import World

READ = [Scope.MEMORY_READ.value]
BASE62 = string.ascii_letters + string.digits


def _issue(world: World, **changes: object) -> tuple[Token, str]:
    asked = {"team": world.team, "user": world.bob, "name": "Laptop", "scopes": READ}
    return tokens.issue(by=SYSTEM, **{**asked, **changes})  # type: ignore[arg-type]


def test_every_secret_has_the_documented_form() -> None:
    secret = own_token.generate()
    assert secret.startswith("mwp_")
    assert len(secret) == 4 + 32 + 6
    assert set(secret[4:]) <= set(BASE62)


def test_no_secret_is_made_twice() -> None:
    assert len({own_token.generate() for _turn in range(1000)}) == 1000


@given(st.integers(0, 41), st.characters())
def test_one_wrong_character_is_noticed(position: int, character: str) -> None:
    secret = own_token.generate()
    changed = secret[:position] + character + secret[position + 1 :]
    assert own_token.is_well_formed(changed) == (changed == secret)


@given(st.text(max_size=60))
def test_no_text_is_a_token_by_chance(text: str) -> None:
    assert not own_token.is_well_formed(text)


@given(st.text(alphabet=BASE62, min_size=38, max_size=38))
def test_the_form_alone_is_not_enough(body: str) -> None:
    wrong = "0" if body[-1] != "0" else "1"
    assert not (
        own_token.is_well_formed("mwp_" + body)
        and own_token.is_well_formed("mwp_" + body[:-1] + wrong)
    )


def test_a_secret_is_recognised(world: World) -> None:
    token, secret = _issue(world)
    assert tokens.recognise(secret) == token


def test_only_the_hash_is_kept(world: World) -> None:
    _token, secret = _issue(world)
    row = Token.objects.values().get()
    assert row["sha256"] == hashlib.sha256(secret.encode()).hexdigest()
    assert secret[8:-4] not in str(row)
    assert (row["prefix"], row["last4"]) == (secret[:8], secret[-4:])


def test_a_bad_checksum_costs_no_query(
    world: World, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    _token, secret = _issue(world)
    with django_assert_num_queries(0):
        assert tokens.recognise(secret[:-1] + ("0" if secret[-1] != "0" else "1")) is None


def test_recognition_costs_one_query(
    world: World, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    _token, secret = _issue(world)
    with django_assert_num_queries(1):
        token = tokens.recognise(secret)
        assert token
        assert (token.team.name, token.user_id) == ("Harbour", world.bob.pk)


def test_an_unknown_token_is_not_recognised(world: World) -> None:
    assert tokens.recognise(own_token.generate()) is None


def test_a_revoked_token_is_not_recognised(world: World) -> None:
    token, secret = _issue(world)
    tokens.revoke(token=token, by=SYSTEM)
    assert tokens.recognise(secret) is None


def test_an_expired_token_is_not_recognised(world: World) -> None:
    _token, secret = _issue(world)
    Token.objects.update(expires_at=timezone.now())
    assert tokens.recognise(secret) is None


def test_a_token_expires_after_ninety_days_unless_told_otherwise(world: World) -> None:
    token, _secret = _issue(world)
    assert token.expires_at - token.created_at == pytest.approx(
        timedelta(days=90), abs=timedelta(seconds=5)
    )


@pytest.mark.parametrize("days", [0, -1, 366])
def test_no_token_lives_longer_than_a_year_or_not_at_all(world: World, days: int) -> None:
    with pytest.raises(ExpiryRefused):
        _issue(world, days=days)


@pytest.mark.parametrize(("days", "soon"), [(13, True), (15, False)])
def test_it_warns_two_weeks_before_the_end(world: World, days: int, soon: bool) -> None:
    assert _issue(world, days=days)[0].expires_soon is soon


@pytest.mark.parametrize("scopes", [["memory:eat"], [Scope.PERSONAL_READ.value, *READ]])
def test_a_person_gets_no_scope_beyond_their_own(world: World, scopes: list[str]) -> None:
    with pytest.raises(ScopeRefused):
        _issue(world, scopes=scopes)


def test_a_token_without_scopes_is_refused(world: World) -> None:
    with pytest.raises(ScopeMissing):
        _issue(world, scopes=[])


def test_an_integration_token_stays_within_its_integration(world: World) -> None:
    with pytest.raises(ScopeRefused):
        _issue(world, user=None, integration=world.integration, scopes=[Scope.PERSONAL_READ.value])


def test_a_stranger_gets_no_token(world: World) -> None:
    with pytest.raises(NotMember):
        _issue(world, user=world.charlie)


def test_the_integration_of_another_team_gets_no_token(world: World) -> None:
    with pytest.raises(NotMember):
        _issue(world, user=None, integration=world.twin.integration)


def test_a_token_needs_a_holder(world: World) -> None:
    with pytest.raises(NotMember):
        _issue(world, user=None)


def test_a_revoked_integration_gets_no_token(world: World) -> None:
    revoke_integration(integration=world.integration, by=SYSTEM)
    with pytest.raises(Revoked):
        _issue(world, user=None, integration=world.integration)


def test_a_token_needs_a_name(world: World) -> None:
    with pytest.raises(NameRefused):
        _issue(world, name="  ")


def test_a_token_is_revoked_once(world: World) -> None:
    token, _secret = _issue(world)
    tokens.revoke(token=token, by=SYSTEM)
    with pytest.raises(Revoked):
        tokens.revoke(token=token, by=SYSTEM)
    assert Event.objects.filter(action="token.revoked").count() == 1


def test_the_first_use_of_an_hour_is_an_event(world: World) -> None:
    token, secret = _issue(world)
    actor = Actor("person", id=str(world.bob.pk), role="member", token_id=token.pk)
    for _turn in range(3):
        recognised = tokens.recognise(secret)
        assert recognised
        tokens.mark_used(recognised, actor)
    event = Event.objects.get(action="token.used")
    assert event.token_id == token.pk


def test_the_next_hour_is_another_event(world: World) -> None:
    token, _secret = _issue(world)
    tokens.mark_used(token, SYSTEM)
    token.last_used_at = timezone.now() - timedelta(hours=1)
    token.save()
    tokens.mark_used(token, SYSTEM)
    assert Event.objects.filter(action="token.used").count() == 2


def test_two_first_uses_at_once_are_one_event(world: World) -> None:
    token, _secret = _issue(world)
    twice = [Token.objects.get(pk=token.pk) for _turn in range(2)]
    for same in twice:
        tokens.mark_used(same, SYSTEM)
    assert Event.objects.filter(action="token.used").count() == 1


def test_no_event_no_token(world: World) -> None:
    with refusing_events(), pytest.raises(IntegrityError):
        _issue(world)
    assert not Token.objects.exists()


def test_no_event_no_revocation(world: World) -> None:
    token, secret = _issue(world)
    with refusing_events(), pytest.raises(IntegrityError):
        tokens.revoke(token=token, by=SYSTEM)
    assert tokens.recognise(secret) == token


def test_it_is_found_by_whatever_names_it(world: World) -> None:
    token, secret = _issue(world)
    for text in (str(token.pk), secret, str(token), "Laptop"):
        assert tokens.find(world.team, text) == token


def test_a_name_used_twice_is_ambiguous(world: World) -> None:
    _issue(world)
    _issue(world)
    with pytest.raises(Ambiguous):
        tokens.find(world.team, "Laptop")


def test_the_token_of_another_team_is_not_found(world: World) -> None:
    token, _secret = _issue(world)
    with pytest.raises(NotFound):
        tokens.find(world.twin.team, str(token.pk))
