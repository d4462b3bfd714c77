"""A person lets an app in: the form's answer leads out of the site, where the policy allows it."""

from pytest_django.live_server_helper import LiveServer

from memoryweb.accounts.models import Token
from tests.browser.conftest import Open
from tests.browser.test_every_page import looked_at
from tests.mcp.app import App
from tests.world import World


def test_an_app_is_let_in_by_keyboard(
    open_page: Open, world: World, live_server: LiveServer
) -> None:
    # Of another origin than the page.
    app = App.new(f"{live_server.url.replace('localhost', '127.0.0.1')}/accounts/login/")
    asks = app.asks(resource=f"{live_server.url}/mcp")
    page = open_page(asks, world.bob)
    assert looked_at(page) == []
    page.get_by_label("Which agent").focus()
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_url(f"{app.callback}?code=*")
    assert "memory:write" in Token.objects.get(client=app.id).scopes
    page.goto(asks)
    page.get_by_role("button", name="Cancel").click()
    page.wait_for_url(f"{app.callback}?error=access_denied*")


def test_an_unknown_app_is_told_apart(open_page: Open, world: World) -> None:
    page = open_page("/profile/", world.bob)
    page.route("**/authorize/", lambda route: route.fulfill(response=route.fetch(), status=200))
    page.goto("/authorize/")
    page.get_by_text("isn't known here").wait_for()
    assert looked_at(page) == []
