from tests.browser.conftest import Open
from tests.world import PASSWORD, World


def test_a_person_signs_in_and_sees_the_team(open_page: Open, world: World) -> None:
    page = open_page("/accounts/login/")
    page.fill("input[type=email], input[name=login]", world.alice.email)
    page.fill("input[type=password]", PASSWORD)
    page.click("main button[type=submit], form.sheet button")
    page.wait_for_url(f"**/t/{world.team.slug}/**")
    assert world.team.name in page.inner_text("body")


def test_a_signed_in_person_lands_on_the_team(open_page: Open, world: World) -> None:
    page = open_page("/", world.bob)
    assert f"/t/{world.team.slug}/" in page.url
