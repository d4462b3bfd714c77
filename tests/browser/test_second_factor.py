from allauth.mfa.totp.internal.auth import (
    format_hotp_value,
    hotp_value,
    yield_hotp_counters_from_time,
)
from playwright.sync_api import Page

from tests.browser.conftest import Open
from tests.world import PASSWORD, World


def test_a_person_sets_it_up_and_signs_in_with_it(open_page: Open, world: World) -> None:
    page = open_page("/accounts/login/")
    _give_password(page, world)
    page.goto("/accounts/2fa/totp/activate/")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Continue").click()
    secret = page.get_by_label("Secret").input_value()
    page.locator("input[name=code]").fill(_code(secret))
    page.get_by_role("button", name="Turn it on").click()
    recovery = page.locator("#codes").inner_text().split()
    for code in (recovery[0], recovery[1]):
        page.goto("/accounts/logout/")
        page.locator("main").get_by_role("button", name="Sign out").click()
        page.wait_for_url("**/login/**")
        _give_password(page, world)
        page.locator("input[name=code]").fill(code)
        page.get_by_role("button", name="Sign in").click()
        page.wait_for_url(f"**/t/{world.team.slug}/**")
    page.goto("/accounts/2fa/")
    page.get_by_text("8 codes are left.").wait_for()


def _give_password(page: Page, world: World) -> None:
    page.goto("/accounts/login/")
    page.fill("input[name=login]", world.alice.email)
    page.fill("input[name=password]", PASSWORD)
    with page.expect_navigation():
        page.keyboard.press("Enter")


def _code(secret: str) -> str:
    return str(format_hotp_value(hotp_value(secret, next(iter(yield_hotp_counters_from_time())))))
