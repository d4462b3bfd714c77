"""What groups of the company's account give, and when it is over."""

from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.core import mail
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from memoryweb.accounts import company
from memoryweb.accounts.exceptions import ByGroup, LastAdmin
from memoryweb.accounts.members import add_member, change_member, remove_member
from memoryweb.accounts.models import Identity, Membership, Token, User
from memoryweb.accounts.permissions import Role
from memoryweb.audit import keys
from memoryweb.audit.models import Event
from memoryweb.audit.record import SYSTEM
from memoryweb.runs import engine
from tests.accounts.company import signs_in
from tests.accounts.oidc_provider import Provider
from tests.clock import Clock
from tests.world import World, personal_token, signed_in

DAY = timedelta(days=1)
SECOND = timedelta(seconds=1)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(timezone.now(), monkeypatch)


@pytest.fixture
def nora(world: World, provider: Provider, clock: Clock) -> Client:
    """Signed in, a member of Harbour by the group `staff`."""
    client, _answer = signs_in(provider)
    return client


def _nora() -> User:
    return User.objects.get(email="nora@example.org")


def _hers(world: World) -> Membership:
    return Membership.objects.get(user=_nora(), team=world.team)


def _answers(secret: str) -> int:
    headers = {"authorization": f"Bearer {secret}"}
    return Client(headers=headers).get("/api/v1/agents").status_code


def _acts(world: World) -> list[tuple[str, str]]:
    found = Event.objects.filter(team_id=world.team.pk, action__startswith="member.")
    found = found.filter(target_id=str(_nora().pk)).order_by("seq")
    return list(found.values_list("action", "reason_code"))


def test_a_group_gives_a_role_for_a_day(world: World, nora: Client, clock: Clock) -> None:
    hers = _hers(world)
    assert (hers.role, hers.by_group) == (Role.MEMBER, True)
    assert abs(hers.ends_at - clock.now - DAY) < SECOND * 10  # type: ignore[operator]
    assert _acts(world) == [("member.added", "by_group")]
    assert nora.get(f"/t/{world.team.slug}/").status_code == 200


def test_the_first_group_of_the_settings_decides(world: World, provider: Provider) -> None:
    provider.person["groups"] = ["staff", "others", "chiefs"]
    signs_in(provider)
    assert _hers(world).role == Role.ADMIN


def test_a_group_may_give_several_teams_and_unknown_ones_give_none(
    world: World, provider: Provider, settings: Settings
) -> None:
    twin = world.twin.team.slug
    settings.OIDC_GROUPS = {"staff": f"harbour:viewer, {twin}:auditor, nowhere:admin, system:admin"}
    signs_in(provider)
    theirs = Membership.objects.filter(user=_nora())
    assert dict(theirs.values_list("team", "role")) == {
        world.team.pk: "viewer",
        world.twin.team.pk: "auditor",
    }


@pytest.mark.databases
def test_each_sign_in_follows_the_groups(
    world: World, provider: Provider, nora: Client, settings: Settings
) -> None:
    secret = personal_token(world.team, _nora())
    provider.person["groups"] = ["chiefs"]
    signs_in(provider)
    assert (_hers(world).role, _answers(secret)) == (Role.ADMIN, 200)
    provider.person["groups"] = []
    signs_in(provider)
    assert not Membership.objects.filter(user=_nora()).exists()
    assert Token.objects.get().revoked_at is not None
    assert _acts(world) == [
        ("member.added", "by_group"),
        ("member.changed", "by_group"),
        ("member.removed", "group_left"),
    ]


def test_another_sign_in_of_the_day_is_no_change(
    world: World, provider: Provider, nora: Client, clock: Clock
) -> None:
    before = _hers(world).ends_at
    clock.put(clock.now + timedelta(hours=20))
    signs_in(provider)
    after = _hers(world).ends_at
    assert before is not None
    assert after is not None
    assert after > before
    assert _acts(world) == [("member.added", "by_group")]


@pytest.mark.databases
def test_after_a_day_tokens_and_the_session_end_until_the_next_sign_in(
    world: World, provider: Provider, nora: Client, clock: Clock
) -> None:
    secret = personal_token(world.team, _nora())
    page = f"/t/{world.team.slug}/"
    clock.put(clock.now + DAY - SECOND * 30)
    assert (_answers(secret), nora.get(page).status_code) == (200, 200)
    clock.put(clock.now + SECOND * 60)
    client = Client(headers={"authorization": f"Bearer {secret}"})
    assert client.get("/mem0/v1/entities/").status_code == 401
    assert client.post("/mcp", "{}", content_type="application/json").status_code == 401
    assert _answers(secret) == 401
    answer = nora.get(page)
    assert (answer.status_code, answer["Location"]) == (
        302,
        f"{reverse('account_login')}?next={page}",
    )
    assert "_auth_user_id" not in nora.session
    signs_in(provider, nora)
    assert (_answers(secret), nora.get(page).status_code) == (200, 200)


@pytest.mark.databases
def test_it_is_recorded_once_that_it_is_over(world: World, nora: Client, clock: Clock) -> None:
    clock.put(clock.now + DAY + SECOND)
    for _turn in range(2):
        assert engine.tick(clock.now) == []
    assert _acts(world)[1:] == [("member.removed", "sign_in_over")]


def test_a_session_that_is_over_connects_nothing(
    world: World, provider: Provider, nora: Client, clock: Clock
) -> None:
    clock.put(clock.now + DAY + SECOND)
    provider.person |= {"sub": "another", "email": "thief@example.org"}
    signs_in(provider, nora)
    assert Identity.objects.get(user=_nora()).subject == "248289761001"
    assert nora.session["_auth_user_id"] == str(User.objects.get(email="thief@example.org").pk)


def test_the_time_is_a_setting(
    world: World, provider: Provider, clock: Clock, settings: Settings
) -> None:
    settings.OIDC_SECONDS = 3600
    client, _answer = signs_in(provider)
    clock.put(clock.now + timedelta(seconds=3601))
    assert client.get(reverse("profile")).status_code == 302


def test_what_is_made_by_hand_is_untouched(world: World, provider: Provider, clock: Clock) -> None:
    made = add_member(team=world.team, email="nora@example.org", role=Role.VIEWER, by=SYSTEM)
    secret = personal_token(world.team, made.user)
    company.connect(made.user, "248289761001")
    provider.person["groups"] = ["chiefs"]
    signs_in(provider)
    assert (_hers(world).role, _hers(world).by_group) == (Role.VIEWER, False)
    provider.person["groups"] = []
    signs_in(provider)
    clock.put(clock.now + DAY * 2)
    engine.tick(clock.now)
    assert (_hers(world).role, _answers(secret)) == (Role.VIEWER, 200)


def test_a_password_s_session_lasts_longer(world: World, provider: Provider, clock: Clock) -> None:
    bob = signed_in(world.bob)
    company.connect(world.bob, "248289761001")
    signs_in(provider)
    clock.put(clock.now + DAY * 2)
    assert bob.get(f"/t/{world.team.slug}/").status_code == 200


def test_who_ended_by_hand_comes_back_by_a_group_and_the_other_way_round(
    world: World, provider: Provider, nora: Client, clock: Clock
) -> None:
    clock.put(clock.now + DAY * 2)
    add_member(team=world.team, email="nora@example.org", role=Role.VIEWER, by=SYSTEM)
    signs_in(provider)
    assert (_hers(world).role, _hers(world).by_group, _hers(world).ends_at) == (
        "viewer",
        False,
        None,
    )
    Membership.objects.filter(user=_nora()).update(ends_at=clock.now - DAY)
    signs_in(provider)
    assert (_hers(world).role, _hers(world).by_group) == ("member", True)


def test_nobody_changes_by_hand_what_a_group_gives(world: World, nora: Client) -> None:
    with pytest.raises(ByGroup):
        change_member(membership=_hers(world), role=Role.ADMIN, ends_at=None, by=SYSTEM)
    page = signed_in(world.alice).get(reverse("web:settings", args=["harbour"]))
    assert "by group" in page.content.decode()
    remove_member(membership=_hers(world), by=SYSTEM)


# A team left without an admin.


@pytest.fixture
def chief(world: World, provider: Provider, clock: Clock) -> Client:
    provider.person["groups"] = ["chiefs"]
    client, _answer = signs_in(provider)
    return client


def test_an_admin_by_group_is_no_lasting_one(world: World, chief: Client) -> None:
    with pytest.raises(LastAdmin):
        remove_member(membership=world.alice.memberships.get(), by=SYSTEM)


def test_superusers_are_told_of_a_team_without_an_admin(
    world: World, chief: Client, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    User.objects.filter(pk=world.vera.pk).update(is_superuser=True, language="de")
    world.alice.memberships.all().delete()
    asked = []
    monkeypatch.setattr(
        company, "async_task", lambda name, *args, **_kw: asked.append((name, args))
    )
    clock.put(clock.now + DAY + SECOND)
    engine.tick(clock.now)
    assert asked == [("memoryweb.accounts.company.tell_superusers", (world.team.pk,))]
    company.tell_superusers(world.team.pk)
    [message] = mail.outbox
    assert message.to == [world.vera.email]
    assert "add_member --team harbour --role admin" in message.body


@pytest.mark.parametrize("groups", [["staff"], []])
def test_they_are_told_of_another_role_and_of_none(
    world: World,
    provider: Provider,
    chief: Client,
    groups: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    world.alice.memberships.all().delete()
    asked: list[object] = []
    monkeypatch.setattr(company, "async_task", lambda _name, team, **_kw: asked.append(team))
    provider.person["groups"] = groups
    signs_in(provider)
    assert asked == [world.team.pk]


def test_with_another_admin_nobody_is_told(
    world: World, chief: Client, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(company, "async_task", lambda *_args, **_kw: pytest.fail("told"))
    clock.put(clock.now + DAY + SECOND)
    assert engine.tick(clock.now) == []


# Where the provider gives a refresh token, it is asked before the day is over.


@pytest.fixture
def refreshing(provider: Provider) -> None:
    provider.gives_refresh = True


@pytest.fixture
def late(refreshing: None, nora: Client, clock: Clock) -> Iterator[Client]:
    """Nearly a day later."""
    clock.put(clock.now + timedelta(hours=19))
    return nora  # type: ignore[return-value]


def test_the_token_is_sealed_for_its_person(world: World, refreshing: None, nora: Client) -> None:
    identity = Identity.objects.get()
    token = keys.unseal(bytes(identity.sealed_key), identity.bound_to)
    assert token
    assert token.encode() not in bytes(identity.sealed_key)
    other = Identity(user=world.bob, issuer=identity.issuer)
    assert keys.unseal(bytes(identity.sealed_key), other.bound_to) is None


@pytest.mark.databases
def test_a_check_holds_for_another_day(
    world: World, provider: Provider, late: Client, clock: Clock
) -> None:
    secret = personal_token(world.team, _nora())
    before = bytes(Identity.objects.get().sealed_key)
    company.check_due()
    assert bytes(Identity.objects.get().sealed_key) != before  # the provider gave another one
    clock.put(clock.now + timedelta(hours=10))
    engine.tick(clock.now)
    assert (_answers(secret), late.get("/profile/").status_code) == (200, 200)
    clock.put(clock.now + DAY)
    assert (_answers(secret), late.get("/profile/").status_code) == (401, 302)


def test_a_check_is_made_once_it_is_due(
    provider: Provider,
    refreshing: None,
    nora: Client,
    clock: Clock,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[str] = []
    monkeypatch.setattr(company, "async_task", lambda name, **_kw: asked.append(name))
    engine.tick(clock.now)
    assert asked == []
    clock.put(clock.now + timedelta(hours=19))
    engine.tick(clock.now)
    assert asked == ["memoryweb.accounts.company.check_due"]


def test_a_check_follows_the_groups(world: World, provider: Provider, late: Client) -> None:
    provider.person["groups"] = ["chiefs"]
    company.check_due()
    assert _hers(world).role == Role.ADMIN


@pytest.mark.parametrize("answer", ["tokens alone", "no groups"])
def test_a_check_that_tells_no_groups_leaves_them_until_they_end(
    world: World, provider: Provider, late: Client, clock: Clock, answer: str
) -> None:
    """Of a provider that gives an ID token at the sign-in alone."""
    ends_at = _hers(world).ends_at
    provider.renews_id_token = False
    del provider.person["groups"]
    if answer == "tokens alone":
        provider.instead["/.well-known/openid-configuration"] = provider.without_userinfo()
    company.check_due()
    assert (_hers(world).role, _hers(world).ends_at) == (Role.MEMBER, ends_at)
    assert Identity.objects.get().check_at is None  # it would say no more
    clock.put(clock.now + timedelta(hours=6))
    engine.tick(clock.now)
    assert _acts(world)[-1] == ("member.removed", "sign_in_over")


def test_a_check_by_userinfo_alone_follows_the_groups(
    world: World, provider: Provider, late: Client, clock: Clock
) -> None:
    provider.renews_id_token, provider.person["groups"] = False, ["chiefs"]
    company.check_due()
    assert _hers(world).role == Role.ADMIN


def test_without_groups_in_the_settings_a_check_needs_none(
    world: World, provider: Provider, late: Client, clock: Clock, settings: Settings
) -> None:
    settings.OIDC_GROUPS = {}
    provider.renews_id_token = False
    del provider.person["groups"]
    company.check_due()
    assert Identity.objects.get().valid_until > clock.now + timedelta(hours=23)  # type: ignore[operator]


def test_who_is_known_there_no_more_ends_with_the_day(
    world: World, provider: Provider, late: Client, clock: Clock
) -> None:
    provider.withdraw()
    company.check_due()
    identity = Identity.objects.get()
    assert (identity.sealed_key, identity.check_at) == (b"", None)
    clock.put(clock.now + timedelta(hours=6))
    assert late.get("/profile/").status_code == 302


def test_a_check_that_could_not_be_made_is_made_again(
    world: World, provider: Provider, late: Client, clock: Clock
) -> None:
    provider.instead["/token"] = (401, b'{"error": "invalid_client"}')
    company.check_due()
    assert Identity.objects.get().check_at > clock.now  # type: ignore[operator]


def test_somebody_else_s_answer_to_a_check_is_refused(
    world: World, provider: Provider, late: Client
) -> None:
    before = Identity.objects.get().valid_until
    provider.person["sub"] = "another"
    company.check_due()
    assert Identity.objects.get().valid_until == before


def test_a_provider_that_is_away_is_asked_again(
    world: World, provider: Provider, late: Client, clock: Clock
) -> None:
    provider.instead["/token"] = (503, b"{}")
    for _turn in range(2):
        company.check_due()
    assert provider.asked.count("/token") == 2  # the sign-in's and one
    del provider.instead["/token"]
    clock.put(clock.now + timedelta(minutes=6))
    company.check_due()
    assert provider.asked.count("/token") == 3
    assert Identity.objects.get().valid_until > clock.now + timedelta(hours=23)  # type: ignore[operator]
