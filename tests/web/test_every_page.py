"""What every page has: headers, the rail, fragments, sign-in."""

import gzip

import pytest
from allauth.mfa.totp.internal.auth import SECRET_SESSION_KEY
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from tests.statements import statements
from tests.web.pages import fragment, text, tight, url
from tests.world import PASSWORD, World


def test_the_policy_allows_nothing_inline(world: World, alice: Client) -> None:
    policy = alice.get(url(world.team, "last_night"))["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy


def test_pages_hold_no_inline_style_or_script(world: World, alice: Client) -> None:
    for name in ("last_night", "agents", "mine", "settings", "settings_tokens", "audit"):
        page = text(alice.get(url(world.team, name)))
        assert " style=" not in page
        assert "<style" not in page
        assert "onclick" not in page


def test_caches_tell_fragments_and_pages_apart(world: World, alice: Client) -> None:
    vary = alice.get(url(world.team, "last_night"))["Vary"]
    assert "HX-Request" in vary
    assert "HX-Target" in vary


def test_no_cache_keeps_a_page_of_a_team(world: World, alice: Client) -> None:
    addresses = [url(world.team, name) for name in ("mine", "search", "review", "owners")]
    addresses += [
        url(world.team, name, world.agent.pk) for name in ("agents_files", "agents_snapshot_export")
    ]
    kept = {address: alice.get(address).get("Cache-Control", "") for address in addresses}
    assert {address for address, said in kept.items() if "no-store" not in said} == set()


def test_an_unknown_target_gets_the_whole_page(world: World, alice: Client) -> None:
    assert "<html" in text(fragment(alice, url(world.team, "last_night"), "elsewhere"))


def test_a_redirect_becomes_a_location_for_htmx(world: World, alice: Client) -> None:
    answer = fragment(alice, url(world.team, "agents_archive", world.agent.pk), "x", {})
    assert url(world.team, "agents") in answer["HX-Location"]


def test_a_fragment_for_who_is_signed_out_takes_nobody_off_the_page(world: World) -> None:
    answer = fragment(Client(), url(world.team, "agents_preview", world.agent.pk), "preview", {})
    assert answer.status_code == 401
    assert "HX-Location" not in answer


def test_the_rail_offers_every_team_and_what_the_role_sees(world: World, vera: Client) -> None:
    world.twin.team.memberships.create(user=world.vera, role="viewer")
    page = text(vera.get(url(world.team, "last_night")))
    assert page.count(url(world.twin.team, "last_night")) == 1
    assert url(world.team, "audit") not in page
    assert url(world.team, "owners") not in page


def test_home_leads_to_the_team(world: World, vera: Client) -> None:
    assert vera.get("/")["Location"] == url(world.team, "last_night")


def test_home_without_a_team_says_what_to_do(world: World, vera: Client) -> None:
    world.team.memberships.filter(user=world.vera).delete()
    assert "You're not in a team" in text(vera.get("/"))


def test_the_profile_keeps_name_and_zone(world: World, vera: Client) -> None:
    vera.post(reverse("profile"), {"name": "Vera K.", "time_zone": "Asia/Tokyo"})
    world.vera.refresh_from_db()
    assert (world.vera.name, world.vera.time_zone) == ("Vera K.", "Asia/Tokyo")


def test_a_zone_that_went_away_breaks_no_page(world: World, vera: Client) -> None:
    world.vera.time_zone = "Mars/Base"
    world.vera.save()
    assert vera.get(url(world.team, "last_night")).status_code == 200


def test_signing_in_and_out(world: World) -> None:
    client = Client()
    login = reverse("account_login")
    page = text(
        client.post(login, {"login": "vera@example.org", "password": PASSWORD}, follow=True)
    )
    assert "Vera" in page
    client.post(reverse("account_logout"))
    assert client.get("/").status_code == 302


def test_a_wrong_password_says_so_and_stays(world: World) -> None:
    login = reverse("account_login")
    page = text(Client().post(login, {"login": "vera@example.org", "password": "wrong"}))
    assert "The e-mail address or the password is wrong." in page


def test_nobody_signs_up(world: World) -> None:
    assert "You need an invitation" in text(Client().get(reverse("account_signup")))


def test_the_codes_picture_is_an_image_of_our_own(world: World, vera: Client) -> None:
    assert vera.get(reverse("totp_qr")).status_code == 404
    vera.post(reverse("account_reauthenticate"), {"password": PASSWORD})
    page = text(vera.get(reverse("mfa_activate_totp")))
    assert "data:" not in page
    assert SECRET_SESSION_KEY in vera.session
    picture = vera.get(reverse("totp_qr"))
    assert picture["Content-Type"] == "image/svg+xml"
    assert "no-store" in picture["Cache-Control"]


@pytest.mark.parametrize(
    "name", ["account_change_password", "mfa_index", "account_logout", "profile_address"]
)
def test_account_pages_have_the_rail(world: World, vera: Client, name: str) -> None:
    page = text(vera.get(reverse(name), follow=True))
    assert 'class="rail"' in page
    assert " style=" not in page


def test_what_waits_for_a_decision_stands_under_review(world: World, alice: Client) -> None:
    rail = f'<a href="{url(world.team, "review")}" aria-current="page"'
    for name in ("review", "review_scans"):
        assert rail in tight(alice.get(url(world.team, name)))


def test_the_rail_costs_three_statements(world: World, alice: Client) -> None:
    address = url(world.team, "search")
    with CaptureQueriesContext(connection) as whole:
        assert 'class="rail"' in text(alice.get(address))
    with CaptureQueriesContext(connection) as part:
        assert 'class="rail"' not in text(fragment(alice, address, "results"))
    assert len(statements(whole)) <= len(statements(part)) + 3


def test_what_waits_is_counted_once_a_page(world: World, alice: Client) -> None:
    for name in ("last_night", "review"):
        with CaptureQueriesContext(connection) as queries:
            alice.get(url(world.team, name))
        told = [sql for sql in statements(queries) if "memory_reviewitem" in sql]
        # A list that holds all of it needs no count.
        assert len([sql for sql in told if "COUNT(" in sql]) <= 1, name


def test_pages_travel_compressed_and_padded(world: World, alice: Client) -> None:
    address = url(world.team, "last_night")
    plain = alice.get(address)
    packed = alice.get(address, headers={"Accept-Encoding": "gzip"})
    assert packed["Content-Encoding"] == "gzip"
    assert "Accept-Encoding" in packed["Vary"]
    assert "default-src 'none'" in packed["Content-Security-Policy"]
    assert len(packed.content) * 2 < len(plain.content)
    assert "</html>" in gzip.decompress(packed.content).decode()
    has_name = packed.content[3] & 0x08  # the padding is a file name of random length
    assert has_name


def test_an_archive_is_not_compressed_again(world: World, alice: Client) -> None:
    address = url(world.team, "agents_snapshot_export", world.agent.pk)
    answer = alice.get(address, headers={"Accept-Encoding": "gzip"})
    assert answer["Content-Type"] == "application/zip"
    assert "Content-Encoding" not in answer
