"""The team, its members, integrations and tokens."""

from datetime import timedelta
from typing import Any

from django.test import Client
from django.urls import reverse
from django.utils import timezone

from memoryweb.accounts.models import Integration, Token, User
from memoryweb.accounts.tokens import recognise
from tests.web.pages import actions, fragment, text, url
from tests.world import World, signed_in

MAY: dict[str, Any] = {"reach": "every", "scopes": ["memory:read"]}


def test_the_team_is_renamed(world: World, alice: Client) -> None:
    alice.post(url(world.team, "settings"), {"name": "Lighthouse"})
    world.team.refresh_from_db()
    assert world.team.name == "Lighthouse"
    assert actions(world.team)[-1] == "team.changed"


def test_a_member_cannot_rename_it(world: World, bob: Client) -> None:
    assert bob.post(url(world.team, "settings"), {"name": "Mine"}).status_code == 403


def test_adding_a_member(world: World, alice: Client) -> None:
    ends = (timezone.now() + timedelta(days=9)).date()
    _add(world, alice, email="dora@example.org", role="auditor", ends_on=ends.isoformat())
    membership = world.team.memberships.get(user__email="dora@example.org")
    assert membership.role == "auditor"
    assert membership.ends_at is not None
    assert membership.ends_at > timezone.now() + timedelta(days=9)


def test_adding_by_htmx_answers_the_list(world: World, alice: Client) -> None:
    data = {"email": "dora@example.org", "role": "member"}
    page = text(fragment(alice, url(world.team, "settings_member_add"), "members", data))
    assert "dora@example.org" in page
    assert "<html" not in page
    assert "is now a member" in page


def test_an_invalid_member_is_422_with_the_same_form(world: World, alice: Client) -> None:
    data = {"email": "no address", "role": "member"}
    answer = fragment(alice, url(world.team, "settings_member_add"), "members", data)
    assert answer.status_code == 422
    assert "no address" in text(answer)


def test_the_last_admin_stays(world: World, alice: Client) -> None:
    membership = world.team.memberships.get(user=world.alice)
    change = url(world.team, "settings_member_change", membership.pk)
    assert alice.post(change, {"role": "viewer"}).status_code == 422
    remove = url(world.team, "settings_member_remove", membership.pk)
    assert alice.post(remove).status_code == 422
    membership.refresh_from_db()
    assert membership.role == "admin"


def test_changing_and_removing_a_member(world: World, alice: Client) -> None:
    membership = world.team.memberships.get(user=world.vera)
    alice.post(url(world.team, "settings_member_change", membership.pk), {"role": "member"})
    membership.refresh_from_db()
    assert membership.role == "member"
    alice.post(url(world.team, "settings_member_remove", membership.pk))
    assert not world.team.memberships.filter(user=world.vera).exists()


def test_creating_an_integration(world: World, alice: Client) -> None:
    data = {"name": "Shop", "channels": "slack, feishu", **MAY}
    alice.post(url(world.team, "settings_integration_new"), data)
    made = Integration.objects.get(name="Shop")
    assert set(made.channels) == {"slack", "feishu"}
    assert made.scopes == ["memory:read"]


def test_a_channel_that_cannot_be_is_422(world: World, alice: Client) -> None:
    data = {"name": "Shop", "channels": "user", **MAY}
    assert alice.post(url(world.team, "settings_integration_new"), data).status_code == 422


def test_revoking_an_integration_ends_its_tokens(world: World, alice: Client) -> None:
    secret = _token(world, alice, holder=str(world.integration.pk))
    alice.post(url(world.team, "settings_integration_revoke", world.integration.pk))
    assert recognise(secret) is None


def test_a_token_is_shown_once(world: World, bob: Client) -> None:
    secret = _token(world, bob, holder="me")
    token = recognise(secret)
    assert token is not None
    assert token.user == world.bob
    assert secret not in text(bob.get(url(world.team, "settings_tokens")))


def test_a_token_page_is_never_cached(world: World, bob: Client) -> None:
    data = {"name": "x", "holder": "me", "days": 9, "scopes": ["memory:read"]}
    answer = bob.post(url(world.team, "settings_token_new"), data)
    assert "no-store" in answer["Cache-Control"]


def test_a_member_makes_no_token_of_an_integration(world: World, bob: Client) -> None:
    data = {
        "name": "x", "holder": str(world.integration.pk), "days": 9, "scopes": ["memory:read"],
    }  # fmt: skip
    assert bob.post(url(world.team, "settings_token_new"), data).status_code == 422
    assert not Token.objects.exists()


def test_a_token_writes_as_an_agent_unless_its_box_is_ticked(world: World, bob: Client) -> None:
    data = {"name": "x", "holder": "me", "days": 9, "scopes": ["memory:read"]}
    shown = text(bob.post(url(world.team, "settings_token_new"), data))
    assert "writes as an agent" in shown
    shown = text(bob.post(url(world.team, "settings_token_new"), data | {"act_as_person": "on"}))
    assert "writes as a person" in shown
    assert set(Token.objects.values_list("act_as_person", flat=True)) == {False, True}


def test_no_token_of_an_integration_writes_as_a_person(world: World, alice: Client) -> None:
    data = {
        "name": "x",
        "holder": str(world.integration.pk),
        "days": 9,
        "scopes": ["memory:read"],
        "act_as_person": "on",
    }
    answer = alice.post(url(world.team, "settings_token_new"), data)
    assert (answer.status_code, Token.objects.count()) == (422, 0)


def test_a_token_over_a_year_is_422(world: World, bob: Client) -> None:
    data = {"name": "x", "holder": "me", "days": 366, "scopes": ["memory:read"]}
    assert bob.post(url(world.team, "settings_token_new"), data).status_code == 422


def test_one_sees_ones_own_tokens_and_an_auditor_all(
    world: World, bob: Client, vera: Client, audrey: Client
) -> None:
    _token(world, bob, holder="me", name="bobs-script")
    address = url(world.team, "settings_tokens")
    assert "bobs-script" not in text(vera.get(address))
    assert "bobs-script" in text(audrey.get(address))


def test_revoking_a_token_asks_first(world: World, bob: Client) -> None:
    secret = _token(world, bob, holder="me")
    token = Token.objects.get()
    asks = url(world.team, "settings_token_revoke_confirm", token.pk)
    assert asks in text(bob.get(url(world.team, "settings_tokens")))
    act = url(world.team, "settings_token_revoke", token.pk)
    assert f'action="{act}"' in text(bob.get(asks))
    assert recognise(secret) is not None
    assert "was revoked" in text(bob.post(act, follow=True))
    assert recognise(secret) is None


def _add(world: World, client: Client, **fields: str) -> None:
    assert client.post(url(world.team, "settings_member_add"), fields).status_code == 302


def _token(world: World, client: Client, holder: str, name: str = "script") -> str:
    data = {"name": name, "holder": holder, "days": 30, "scopes": ["memory:read"]}
    page = text(client.post(url(world.team, "settings_token_new"), data))
    return page.split("<code>mwp_")[1].join(["mwp_", ""]).split("<")[0]


def test_the_colors_that_a_person_chose_hold_on_every_device(world: World, alice: Client) -> None:
    page = text(alice.get(reverse("profile")))
    assert 'media="(prefers-color-scheme: dark)"' in page
    sent = {"name": "Alice", "time_zone": "UTC"}
    alice.post(reverse("profile"), sent | {"theme": "dark"})
    page = text(alice.get(reverse("profile")))
    assert "css/dark" in page
    assert "prefers-color-scheme" not in page
    alice.post(reverse("profile"), sent | {"theme": "light"})
    assert "css/dark" not in text(alice.get(reverse("profile")))


def test_who_has_chosen_no_time_zone_has_the_browser_s(world: World) -> None:
    User.objects.filter(pk=world.bob.pk).update(time_zone="")
    bob, where = signed_in(world.bob), reverse("profile_zone")
    assert where in text(bob.get(url(world.team, "last_night")))
    assert bob.post(where, {"time_zone": "Mars/Olympus"}).status_code == 422
    assert bob.post(where, {"time_zone": "Europe/Lisbon"}).status_code == 204
    assert bob.post(where, {"time_zone": "Asia/Tokyo"}).status_code == 204
    world.bob.refresh_from_db()
    assert world.bob.time_zone == "Europe/Lisbon"
    assert where not in text(bob.get(url(world.team, "last_night")))
