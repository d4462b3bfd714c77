"""Apps that a person lets use one agent for them."""

from datetime import timedelta
from typing import Any

import pytest
from allauth.idp.oidc.models import Client as Registered
from allauth.idp.oidc.models import Token as Secret
from django.test import Client
from django.utils import timezone

from memoryweb.accounts import members, oauth, tokens
from memoryweb.accounts.exceptions import ScopeRefused
from memoryweb.accounts.models import Membership, Token
from memoryweb.audit.models import Event
from memoryweb.audit.record import SYSTEM
from memoryweb.memory.agents import archive_agent
from memoryweb.memory.models import AuthorKind, File
from memoryweb.memory.models.writer import Place, Writer, write_transaction
from memoryweb.memory.writing.write import write
from tests.mcp.app import CALLBACK, CHALLENGE, SITE, App, called_back, post, register
from tests.web.pages import text, url
from tests.world import World, signed_in

GONE = {"error": "invalid_grant"}


@pytest.fixture
def bob(world: World) -> Client:
    return signed_in(world.bob)


@pytest.fixture
def app(world: World) -> App:
    return App.new()


def the_grant(world: World) -> Token:
    return Token.objects.get(user=world.bob, client__isnull=False)


def events(action: str) -> int:
    return Event.objects.filter(action=action).count()


def is_gone(answer: Any) -> bool:
    return bool(answer.status_code == 400 and answer.json()["error"] == "invalid_grant")


# To be found, and to be known.


def test_a_401_says_where_to_sign_in(world: World) -> None:
    answer = App("none").calls("initialize")
    assert answer.status_code == 401
    where = f'resource_metadata="{SITE}/.well-known/oauth-protected-resource/mcp"'
    assert where in answer.headers["WWW-Authenticate"]
    found = Client().get("/.well-known/oauth-protected-resource/mcp", secure=True).json()
    assert found["resource"] == f"{SITE}/mcp"
    assert found["authorization_servers"] == [SITE]
    server = Client().get("/.well-known/oauth-authorization-server", secure=True).json()
    assert server["issuer"] == SITE
    assert server["code_challenge_methods_supported"] == ["S256"]
    assert server["token_endpoint"] == f"{SITE}/token"


@pytest.mark.parametrize(
    ("host", "is_found"), [("testserver", False), ("localhost:8000", True), ("[::1]:8000", True)]
)
def test_without_https_apps_sign_in_on_this_machine_alone(
    settings: Any, bob: Client, host: str, is_found: bool
) -> None:
    settings.ALLOWED_HOSTS = ["testserver", "localhost", "[::1]"]
    found = {"headers": {"host": host}}
    server = Client().get("/.well-known/oauth-authorization-server", **found)  # type: ignore[arg-type]
    assert (server.status_code == 200) == is_found
    answer = Client().post("/mcp", {}, "application/json", **found)  # type: ignore[arg-type]
    assert ("resource_metadata" in answer.headers["WWW-Authenticate"]) == is_found
    assert bob.get("/authorize/", **found).status_code == (400 if is_found else 404)  # type: ignore[arg-type]


def test_where_no_host_is_listed_there_is_none_of_it(settings: Any, bob: Client) -> None:
    settings.OAUTH_HOSTS = []
    assert register(CALLBACK).status_code == 404
    assert bob.get("/authorize/", secure=True).status_code == 404
    assert "resource_metadata" not in App("none").calls("ping").headers["WWW-Authenticate"]


@pytest.mark.usefixtures("world")
@pytest.mark.parametrize(
    "callback",
    [
        CALLBACK,
        "https://chatgpt.com/connector_platform_oauth_redirect",
        "http://localhost:5173/callback",
        "http://127.0.0.1/callback?from=here",
        "http://[::1]:1/",
    ],
)
def test_who_is_called_back_where_that_is_listed_may_register(callback: str) -> None:
    answer = register(callback, token_endpoint_auth_method="client_secret_post", scope="all")
    made = answer.json()
    assert answer.status_code == 201
    assert (made["redirect_uris"], made["token_endpoint_auth_method"]) == ([callback], "none")
    assert "client_secret" not in made


@pytest.mark.usefixtures("world")
@pytest.mark.parametrize(
    "callback",
    [
        "https://evil.example/callback",
        "https://claude.ai.evil.example/",
        "https://claude.ai@evil.example/",
        "https://user@claude.ai/",
        "https://claude.ai:8443/",
        "http://claude.ai/",
        "https://loopback/",
        "https://localhost/",
        "http://localhost.evil.example/",
        "http://127.0.0.1@evil.example/",
        "https://claude.ai\\@evil.example/",
        "https://cla\tude.ai/",
        "https://claude.ai/\nhttps://evil.example/",
        "https://claude.ai/#fragment",
        "https://claude.ai/; form-action *\u2028",
        "javascript:alert(1)",
        "https://claude.ai/" + "x" * 2000,
        "\ud800",
        "",
        7,
    ],
)
def test_no_other_callback_is_taken(callback: Any) -> None:
    answer = register(callback)
    assert answer.status_code == 400
    assert answer.json()["error"] in {"invalid_redirect_uri", "invalid_client_metadata"}
    assert not Registered.objects.exists()


@pytest.mark.usefixtures("world")
@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("x" * 65, "x" * 64),
        ("a\u202eb\n", "ab"),
        *((name, CALLBACK) for name in (None, "", " \u200b", 7, ["Claude"])),
    ],
)
def test_of_a_name_what_can_be_shown_is_kept(name: Any, shown: str) -> None:
    assert register(CALLBACK, client_name=name).json()["client_name"] == shown


@pytest.mark.usefixtures("world")
@pytest.mark.parametrize("name", ["a\x00b", "\ud800"])
def test_a_name_that_can_not_be_kept_is_refused(name: str) -> None:
    assert register(CALLBACK, client_name=name).json()["error"] == "invalid_client_metadata"


@pytest.mark.usefixtures("world")
def test_twenty_an_hour_may_register_from_one_address() -> None:
    codes = [register(CALLBACK).status_code for _turn in range(21)]
    assert codes == [201] * 20 + [429]


@pytest.mark.databases
def test_an_app_that_nobody_let_in_is_forgotten_after_a_day(world: World, bob: Client) -> None:
    used, _unused = App.new().signs_in(bob, world.agent.pk), App.new()
    oauth.purge(timezone.now() + timedelta(hours=23))
    assert Registered.objects.count() == 2
    oauth.purge(timezone.now() + timedelta(hours=25))
    assert Registered.objects.get().pk == used.id
    oauth.purge(timezone.now() + timedelta(days=91))
    assert [one.type for one in Secret.objects.all()] == [Secret.Type.REFRESH_TOKEN]


# Consent.


def test_a_person_sees_who_asks_and_what_they_grant(world: World, bob: Client, app: App) -> None:
    Registered.objects.update(name="<b>Claude</b>")
    answer = bob.get(app.asks(), secure=True)
    shown = text(answer)
    assert "&lt;b&gt;Claude" in answer.content.decode()
    for said in ("nobody has checked", "claude.ai", world.bob.email, world.agent.name):
        assert said in shown
    policy = answer.headers["Content-Security-Policy"]
    assert "form-action 'self' https://claude.ai;" in policy + ";"
    assert "frame-ancestors 'none'" in policy


def test_the_page_asks_the_database_little(
    world: World, bob: Client, app: App, django_assert_max_num_queries: Any
) -> None:
    with django_assert_max_num_queries(6):
        bob.get(app.asks(), secure=True)


def test_of_other_pages_the_form_action_stays_as_it_is(bob: Client, app: App) -> None:
    bob.get(app.asks(), secure=True)
    policy = bob.get("/profile/", secure=True).headers["Content-Security-Policy"]
    assert "claude.ai" not in policy


def test_who_is_not_signed_in_signs_in_first(app: App) -> None:
    answer = Client().get(app.asks(), secure=True)
    assert answer.status_code == 302
    assert answer.headers["Location"].startswith("/accounts/login/?next=/authorize/")


def test_who_cancels_grants_nothing(world: World, bob: Client, app: App) -> None:
    answer = bob.post(app.asks().replace("/authorize/", "/authorize/deny/"), secure=True)
    assert called_back(answer) == {"error": "access_denied", "state": "s1", "iss": SITE}
    assert not Token.objects.filter(client=app.id).exists()


@pytest.mark.parametrize(
    ("instead", "error"),
    [
        ({"resource": None}, "invalid_target"),
        ({"resource": f"{SITE}/api"}, "invalid_target"),
        ({"resource": "https://other.example/mcp"}, "invalid_target"),
        ({"resource": [f"{SITE}/mcp", f"{SITE}/api"]}, "invalid_target"),
        ({"code_challenge": None}, "invalid_request"),
        ({"code_challenge": "short"}, "invalid_request"),
        ({"code_challenge_method": None}, "invalid_request"),
        ({"code_challenge_method": "plain"}, "invalid_request"),
        ({"response_type": "token"}, "unsupported_response_type"),
    ],
)
def test_a_request_that_lacks_something_goes_back_before_anybody_is_asked(
    bob: Client, app: App, instead: dict[str, Any], error: str
) -> None:
    where = app.asks(**instead)
    allowing = where.replace("/authorize/", "/authorize/allow/")
    for answer in (bob.get(where, secure=True), bob.post(allowing, secure=True)):
        assert answer.status_code == 302
        assert answer.headers["Location"].startswith(CALLBACK)
        assert called_back(answer)["error"] == error


@pytest.mark.parametrize(
    "instead",
    [
        {"client_id": "nobody"},
        {"client_id": None},
        {"client_id": "a\x00b"},
        {"redirect_uri": "https://claude.ai/other"},
        {"redirect_uri": "https://evil.example/"},
        {"redirect_uri": CALLBACK + "?more=1"},
        {"redirect_uri": [CALLBACK, "https://evil.example/"]},
        {"redirect_uri": None},
    ],
)
def test_nobody_is_sent_where_the_app_did_not_register(
    bob: Client, app: App, instead: dict[str, Any]
) -> None:
    for verb in ("", "allow/", "deny/"):
        where = app.asks(**instead).replace("/authorize/", f"/authorize/{verb}")
        answer = bob.post(where, secure=True) if verb else bob.get(where, secure=True)
        assert answer.status_code == 400
        assert "Location" not in answer.headers


def test_a_host_that_is_listed_no_more_is_called_back_no_more(
    bob: Client, app: App, settings: Any
) -> None:
    settings.OAUTH_HOSTS = ["loopback"]
    assert bob.get(app.asks(), secure=True).status_code == 400


def test_a_program_on_this_machine_may_listen_on_any_port(world: World, bob: Client) -> None:
    app = App.new("http://localhost:1234/callback")
    for port, code in ((4321, 200), (0, 200)):
        asked = app.asks(redirect_uri=f"http://localhost:{port}/callback")
        assert bob.get(asked, secure=True).status_code == code
    for other in ("http://127.0.0.1:1234/callback", "http://localhost:1234/other"):
        assert bob.get(app.asks(redirect_uri=other), secure=True).status_code == 400


def test_nobody_grants_an_agent_that_is_not_theirs(world: World, bob: Client, app: App) -> None:
    where = app.asks().replace("/authorize/", "/authorize/allow/")
    for agent in (world.twin.agent.pk, "none", ""):
        answer = bob.post(where, {"agent": str(agent), "access": "read"}, secure=True)
        assert answer.status_code == 422
    answer = bob.post(where, {"agent": str(world.agent.pk), "access": "all"}, secure=True)
    assert answer.status_code == 422
    assert "form-action 'self' https://claude.ai" in answer.headers["Content-Security-Policy"]
    assert not Token.objects.filter(client=app.id).exists()


@pytest.mark.databases
def test_an_app_that_is_purged_while_a_person_reads_is_unknown(
    world: World, bob: Client, app: App, monkeypatch: Any
) -> None:
    asked = oauth.Request.check

    def purged(request: oauth.Request) -> None:
        asked(request)
        oauth.purge(timezone.now() + timedelta(hours=25))

    monkeypatch.setattr(oauth.Request, "check", purged)
    where = app.asks().replace("/authorize/", "/authorize/allow/")
    answer = bob.post(where, {"agent": str(world.agent.pk), "access": "read"}, secure=True)
    assert (answer.status_code, "Location" in answer.headers) == (400, False)
    assert "This app isn't known here" in text(answer)
    assert not Token.objects.filter(client__isnull=False).exists()


def test_another_site_can_not_press_the_button(world: World, app: App) -> None:
    person = Client(enforce_csrf_checks=True)
    person.force_login(world.bob)
    where = app.asks().replace("/authorize/", "/authorize/allow/")
    sent = {"agent": str(world.agent.pk), "access": "write"}
    assert person.post(where, sent, secure=True).status_code == 403


# Tokens.


@pytest.mark.databases
def test_an_app_remembers_and_finds_for_its_person(world: World, bob: Client, app: App) -> None:
    app.signs_in(bob, world.agent.pk)
    assert not app.uses("remember", content="Bob keeps bees in Porto.")["isError"]
    file = File.objects.get(owner=world.bobs_memory, path__startswith="memory/")
    assert file.agent == world.agent
    found = app.uses("memory_search", query="bees")["structuredContent"]["results"]
    assert "Porto" in found[0]["snippet"]
    grant = the_grant(world)
    assert grant.scopes == ["facts:write", "memory:read", "memory:write"]
    assert grant.agent_id == world.agent.pk
    assert not grant.act_as_person
    issued = Event.objects.get(action="token.issued", target_id=str(grant.pk))
    assert (issued.agent_id, issued.actor_id) == (world.agent.pk, str(world.bob.pk))


def test_who_may_only_read_writes_nothing(world: World, bob: Client, app: App) -> None:
    app.signs_in(bob, world.agent.pk, "read")
    named = {tool["name"] for tool in app.calls("tools/list").json()["result"]["tools"]}
    assert "memory_search" in named
    assert "remember" not in named
    assert app.uses("remember", content="Bob keeps bees.")["isError"]


def test_an_app_is_granted_no_more_than_it_asked_for(world: World, bob: Client, app: App) -> None:
    shown = bob.get(app.asks(scope="memory:read"), secure=True).content
    assert b'value="write"' not in shown
    assert b'value="write"' in bob.get(app.asks(scope="claudeai"), secure=True).content
    code = app.granted(bob, world.agent.pk, "read", scope="memory:read offline_access")
    assert app.comes_for(code).json()["scope"] == "memory:read"


def test_its_token_opens_nothing_but_mcp(world: World, bob: Client, app: App) -> None:
    app.signs_in(bob, world.agent.pk)
    headers = {"Authorization": f"Bearer {app.access}"}
    for path in (f"/api/v1/agents/{world.agent.pk}", "/api/v1/agents", "/v1/ping/"):
        assert Client().get(path, headers=headers).status_code == 401
    token = {"Authorization": f"Token {app.access}"}
    assert Client().get("/mem0/v1/ping/", headers=token).status_code == 401
    for secret in (app.refresh, app.granted(bob, world.agent.pk)):
        assert App(app.id, access=secret).calls("ping").status_code == 401


@pytest.mark.parametrize("header", ["Agent", "Owner", "Conversation"])
def test_it_says_for_nobody_else_who_it_speaks(
    world: World, bob: Client, app: App, header: str
) -> None:
    app.signs_in(bob, world.agent.pk)
    said = str(world.other_agent.pk) if header == "Agent" else "shared"
    answer = app.calls("tools/list", **{f"Memoryweb-{header}": said})
    assert (answer.status_code, answer.json()["code"]) == (400, "header_refused")


def test_it_reads_no_other_agents_memory(world: World, bob: Client, app: App) -> None:
    with write_transaction(world.team) as tx:
        place = Place(world.other_agent, world.bobs_memory, "MEMORY.md")
        write(tx, place, "- Owns a boat.\n", writer=Writer(AuthorKind.SYSTEM))
    app.signs_in(bob, world.agent.pk)
    assert app.uses("memory_search", query="boat")["structuredContent"]["results"] == []
    with write_transaction(world.team) as tx:
        archive_agent(tx, world.agent)
    answer = app.calls("tools/call", {"name": "memory_search", "arguments": {"query": "boat"}})
    assert answer.json()["error"]["data"]["code"] == "not_found"


@pytest.mark.parametrize(
    "instead",
    [
        {"code_verifier": "another-verifier-of-somebody-who-stole-it-0"},
        {"code_verifier": ""},
        {"code_verifier": CHALLENGE},
        {"redirect_uri": "https://claude.ai/other"},
        {"client_id": "nobody"},
    ],
)
def test_a_code_is_worth_nothing_without_its_proof(
    world: World, bob: Client, app: App, instead: dict[str, str]
) -> None:
    code = app.granted(bob, world.agent.pk)
    assert is_gone(app.comes_for(code, **instead))
    assert is_gone(App.new().comes_for(code))
    assert app.comes_for(code).status_code == 200


def test_a_token_is_for_this_resource_alone(world: World, bob: Client, app: App) -> None:
    code = app.granted(bob, world.agent.pk)
    for wrong in (f"{SITE}/api", ""):
        assert app.comes_for(code, resource=wrong).json()["error"] == "invalid_target"
    app.comes_for(code)
    assert app.renews(resource=f"{SITE}/api").json()["error"] == "invalid_target"
    assert app.renews().status_code == 200
    assert post("/token", {"grant_type": "password"}).json()["error"] == ("unsupported_grant_type")


@pytest.mark.databases
def test_a_code_that_comes_again_ends_the_grant(world: World, bob: Client, app: App) -> None:
    code = app.granted(bob, world.agent.pk)
    app.comes_for(code)
    assert app.calls("ping").status_code == 200
    assert is_gone(app.comes_for(code))
    assert app.calls("ping").status_code == 401
    assert is_gone(app.renews())
    assert events("token.revoked") == 1


@pytest.mark.databases
def test_a_refresh_token_that_comes_again_ends_the_grant(
    world: World, bob: Client, app: App
) -> None:
    app.signs_in(bob, world.agent.pk)
    first = App(app.id, access=app.access, refresh=app.refresh)
    assert app.renews().status_code == 200
    assert first.calls("ping").status_code == 401
    assert app.calls("ping").status_code == 200
    assert events("token.renewed") == 2
    assert is_gone(first.renews())
    assert app.calls("ping").status_code == 401
    assert is_gone(app.renews())
    ended = Event.objects.get(action="token.revoked")
    assert (ended.actor_kind, ended.actor_id, ended.reason_code) == ("system", "", "replayed")
    log = text(signed_in(world.alice).get(url(world.team, "audit")))
    assert "was sent again: it was stolen or lost." in log


def test_a_code_and_a_token_run_out(world: World, bob: Client, app: App, monkeypatch: Any) -> None:
    now, code = timezone.now(), app.granted(bob, world.agent.pk)

    def after(**passed: int) -> None:
        monkeypatch.setattr(timezone, "now", lambda: now + timedelta(**passed))

    after(seconds=61)
    assert is_gone(app.comes_for(code))
    assert not Token.objects.get(client=app.id).is_live
    app.signs_in(bob, world.agent.pk)
    after(minutes=62)
    assert app.calls("ping").status_code == 401
    assert app.renews().status_code == 200
    assert app.calls("ping").status_code == 200
    after(days=91)
    assert is_gone(app.renews())
    assert events("token.revoked") == 0


def test_after_a_year_the_person_is_asked_again(
    world: World, bob: Client, app: App, monkeypatch: Any
) -> None:
    app.signs_in(bob, world.agent.pk)
    now = timezone.now()
    for days in (80, 160, 240, 320, 364):
        monkeypatch.setattr(timezone, "now", lambda days=days: now + timedelta(days=days))
        assert app.renews().status_code == 200
        assert app.calls("ping").status_code == 200
    monkeypatch.setattr(timezone, "now", lambda: now + timedelta(days=365))
    assert app.calls("ping").status_code == 401
    assert is_gone(app.renews())
    app.signs_in(signed_in(world.bob), world.agent.pk)
    assert app.calls("ping").status_code == 200


def test_secrets_are_kept_as_hashes(world: World, bob: Client, app: App) -> None:
    code = app.granted(bob, world.agent.pk)
    app.comes_for(code)
    kept = [*Secret.objects.values(), *Token.objects.values(), *Registered.objects.values()]
    assert not any(secret in str(kept) for secret in (code, app.access, app.refresh))


# How it ends.


def test_it_stands_in_the_list_of_tokens_and_is_revoked_there(
    world: World, bob: Client, app: App
) -> None:
    app.signs_in(bob, world.agent.pk)
    where, grant = f"/t/{world.team.slug}/settings/tokens/", the_grant(world)
    shown = text(bob.get(where))
    for said in ("Claude", "an app that named itself, for", world.agent.name):
        assert said in shown
    assert "Let it write" not in text(bob.get(f"{where}{grant.pk}/"))
    bob.post(f"{where}{grant.pk}/revoke/now/")
    assert app.calls("ping").status_code == 401
    assert is_gone(app.renews())


def test_an_admin_can_not_let_it_write_what_is_shared(world: World, bob: Client, app: App) -> None:
    app.signs_in(bob, world.agent.pk)
    where = f"/t/{world.team.slug}/settings/tokens/{the_grant(world).pk}/sharing/grant/"
    sent = {"reason": "Keeps the opening hours."}
    assert signed_in(world.alice).post(where, sent).status_code == 404
    with pytest.raises(ScopeRefused):
        tokens.let_share(token=the_grant(world), reason="Keeps the hours.", by=SYSTEM)


def test_it_sleeps_with_the_membership_and_ends_with_it(
    world: World, bob: Client, app: App
) -> None:
    app.signs_in(bob, world.agent.pk)
    bobs = Membership.objects.filter(user=world.bob, team=world.team)
    bobs.update(ends_at=timezone.now() - timedelta(hours=1))
    assert app.calls("ping").status_code == 401
    assert is_gone(app.renews())
    bobs.update(ends_at=None)
    assert app.renews().status_code == 200
    assert app.calls("ping").status_code == 200
    members.remove_member(membership=bobs.get(), by=SYSTEM)
    assert app.calls("ping").status_code == 401
    assert is_gone(app.renews())


def test_who_was_let_out_of_a_team_grants_nothing_there(
    world: World, bob: Client, app: App
) -> None:
    where = app.asks().replace("/authorize/", "/authorize/allow/")
    members.remove_member(
        membership=Membership.objects.get(user=world.bob, team=world.team), by=SYSTEM
    )
    assert "You are in no team" in text(bob.get(app.asks(), secure=True))
    answer = bob.post(where, {"agent": str(world.agent.pk), "access": "read"}, secure=True)
    assert answer.status_code == 422


@pytest.mark.usefixtures("world")
@pytest.mark.parametrize("path", ["/register", "/token", "/authorize/"])
def test_nothing_that_is_sent_is_an_error_of_ours(path: str, bob: Client) -> None:
    for sent in ({}, {"client_id": "a\x00b", "token": "\x00", "grant_type": "refresh_token"}):
        assert bob.post(path, sent, secure=True).status_code in {200, 302, 400, 405}
    for body in (b"\xff", b"{", b"[]", b'{"redirect_uris": {"a": 1}}', b"x" * 20_000):
        answer = Client().post(path, body, "application/json", secure=True)
        assert answer.status_code in {200, 302, 400, 405, 413}
