"""The company's sign-in, walked in a browser with a provider as companies run one."""

import subprocess
import sys
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path

import pytest
from django.conf import settings as configured
from django.core.cache import cache
from playwright.sync_api import expect
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from memoryweb.accounts import company, oidc
from memoryweb.accounts.models import Identity, User
from memoryweb.audit import keys
from tests.browser.conftest import Open
from tests.browser.real_provider import CLIENT_ID, CLIENT_SECRET, EMAIL, PASSWORD
from tests.serving import answers, free_port
from tests.waiting import SECONDS, until
from tests.workers import ROOT
from tests.world import World

DISCOVERY = "/.well-known/openid-configuration"


@pytest.fixture
def issuer(live_server: LiveServer, settings: Settings, tmp_path: Path) -> Iterator[str]:
    port, back = free_port(), f"{live_server.url}/accounts/company/callback/"
    command = [sys.executable, "-m", "tests.browser.real_provider", str(tmp_path), str(port), back]
    process = subprocess.Popen(command, cwd=ROOT)
    until(lambda: process.poll() is not None or answers(port, DISCOVERY))
    issuer = f"http://127.0.0.1:{port}"
    settings.OIDC_ISSUER, settings.OIDC_NAME = issuer, "Example ID"
    settings.OIDC_CLIENT_ID, settings.OIDC_CLIENT_SECRET = CLIENT_ID, CLIENT_SECRET
    settings.OIDC_ORIGINS = [issuer]
    settings.OIDC_GROUPS = {"staff": "harbour:member"}
    settings.PRIVATE_HOSTS = ["127.0.0.1"]
    policy = deepcopy(configured.CONTENT_SECURITY_POLICY)
    policy["DIRECTIVES"]["form-action"] = ["'self'", issuer]
    settings.CONTENT_SECURITY_POLICY = policy
    cache.clear()
    yield issuer
    process.terminate()
    process.wait(SECONDS)


def test_a_person_signs_in_with_it_and_is_known_the_next_time(
    open_page: Open, world: World, issuer: str
) -> None:
    page = open_page(f"/accounts/login/?next=/t/{world.team.slug}/")
    page.get_by_role("button", name="Sign in with Example ID").click()
    page.wait_for_url(f"{issuer}/accounts/login/**")
    page.get_by_label("Email").fill(EMAIL)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign In").click()
    page.wait_for_url(f"**/t/{world.team.slug}/**")
    nora = User.objects.get(email=EMAIL)
    assert (nora.name, nora.memberships.get().role) == ("Nora North", "member")
    page.goto("/accounts/logout/")
    page.locator("main").get_by_role("button", name="Sign out").click()
    page.wait_for_url("**/login/**")
    page.get_by_role("button", name="Sign in with Example ID").click()
    page.wait_for_url("**/t/**")  # the provider still knew her
    assert User.objects.filter(email=EMAIL).count() == 1
    _is_asked_again(nora)


def _is_asked_again(nora: User) -> None:
    """With the refresh token that such a provider gives."""
    identity = Identity.objects.get(user=nora)
    Identity.objects.update(check_at=identity.valid_until, valid_until=identity.valid_until)
    token = keys.unseal(bytes(identity.sealed_key), identity.bound_to)
    assert token
    claims = oidc.refresh(token, identity.subject)
    assert claims.groups == frozenset({"staff"})
    company.renew(nora, claims)
    assert Identity.objects.get().valid_until != identity.valid_until


def test_somebody_whose_address_has_an_account_is_told_what_to_do(
    open_page: Open, world: World, issuer: str
) -> None:
    User.objects.filter(pk=world.bob.pk).update(email=EMAIL)
    page = open_page("/accounts/login/")
    page.get_by_role("button", name="Sign in with Example ID").click()
    page.get_by_label("Email").fill(EMAIL)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign In").click()
    expect(page.get_by_role("alert")).to_contain_text("Sign in with its password, then choose")
