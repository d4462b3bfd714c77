import pytest
from django.test import Client, override_settings

from memoryweb.api import owners
from tests.api.callers import Callers
from tests.api.client import BASE
from tests.world import World

PROBLEM = "application/problem+json"


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/nothing/here", 404),
        ("GET", "/agents/", 404),
        ("DELETE", "/agents", 405),
        ("OPTIONS", "/agents", 405),
        ("HEAD", "/agents", 405),
    ],
)
def test_what_django_answers_is_a_problem_too(
    callers: Callers, method: str, path: str, status: int
) -> None:
    answer = callers.admin.call(method, path)
    assert (answer.status_code, answer.headers["Content-Type"]) == (status, PROBLEM)


def test_a_wrong_method_is_told_the_right_ones(callers: Callers) -> None:
    answer = callers.admin.delete("/agents")
    assert {method.strip() for method in answer.headers["Allow"].split(",")} == {"GET", "POST"}


def test_outside_of_the_version_is_a_problem(client: Client) -> None:
    assert client.get("/api/v9/agents").headers["Content-Type"] == PROBLEM


def test_a_failure_of_ours_is_a_problem_without_its_cause(
    callers: Callers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(owners, "page", lambda *_asked: 1 / 0)
    for debug in (False, True):
        with override_settings(DEBUG=debug):
            client = Client(raise_request_exception=False)
            answer = client.get(
                f"{BASE}/owners", headers={"Authorization": f"Bearer {callers.admin.token}"}
            )
        assert (answer.status_code, answer.headers["Content-Type"]) == (500, PROBLEM)
        assert "ZeroDivisionError" not in answer.content.decode()


def test_an_unknown_host_is_a_problem(client: Client) -> None:
    answer = client.get(f"{BASE}/agents", headers={"Host": "elsewhere.example"})
    assert (answer.status_code, answer.headers["Content-Type"]) == (400, PROBLEM)


def test_a_parameter_that_does_not_fit_is_named(callers: Callers) -> None:
    answer = callers.admin.get("/agents?limit=0")
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (400, "limit")
    assert answer.json()["detail"].startswith("limit: ")


@pytest.mark.parametrize("name", ["page", "size", "Limit", "owner"])
def test_a_parameter_that_the_call_does_not_take_is_refused_by_name(
    callers: Callers, name: str
) -> None:
    answer = callers.admin.get(f"/agents?limit=5&{name}=2")
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (400, name)
    assert answer.json()["detail"].endswith("This call takes: cursor, limit.")


def test_a_parameter_of_a_call_that_takes_none_is_refused(callers: Callers, path: str) -> None:
    answer = callers.admin.get(f"{path}?page=2")
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (400, "page")


@pytest.mark.parametrize(
    ("address", "body", "field"),
    [
        ("/agents", {"name": "Chef", "timezone": "Europe/Lisbon"}, "timezone"),
        ("{path}/context", {"message": "Hello", "model": "small"}, "model"),
        ("{path}/tools/remember", {"content": "Tea at five.", "date": "today"}, "date"),
        ("{path}/restore", {"reason": "again"}, "reason"),
        ("/memory/{agent}/emergence", {"topic": "tea"}, "topic"),
        ("/memory/{agent}/summarize/c-1", {"topic": "tea"}, "topic"),
    ],
)
def test_a_field_that_the_call_does_not_take_is_refused_by_name(
    world: World, callers: Callers, path: str, address: str, body: dict[str, str], field: str
) -> None:
    answer = callers.admin.post(address.format(path=path, agent=world.agent.pk), body)
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (400, field)


@pytest.mark.parametrize("query", ["limit=%00", "cursor=%00", "x%00=1"])
def test_a_nul_in_a_parameter_is_refused(callers: Callers, query: str) -> None:
    assert callers.admin.get(f"/agents?{query}").status_code == 400


def test_the_documentation_page_is_our_own_and_has_its_own_policy(client: Client) -> None:
    page = client.get(f"{BASE}/docs")
    policy = page.headers["Content-Security-Policy"]
    assert page.status_code == 200
    assert "https://" not in page.content.decode()
    assert "style-src 'self' 'unsafe-inline'" in policy
    assert "script-src 'self'" in policy


def test_other_pages_keep_the_strict_policy(callers: Callers) -> None:
    policy = callers.admin.get("/agents").headers["Content-Security-Policy"]
    assert "unsafe-inline" not in policy


@pytest.mark.parametrize("path", ["/agents", "/nothing/here"])
def test_every_answer_is_framed_and_guessed_by_nobody(callers: Callers, path: str) -> None:
    for api in (callers.admin, callers.anonymous):
        headers = api.get(path).headers
        assert (headers["X-Frame-Options"], headers["X-Content-Type-Options"]) == (
            "DENY",
            "nosniff",
        )
        assert headers["Content-Security-Policy"] == "default-src 'none'; frame-ancestors 'none'"


def test_no_answer_is_kept_by_a_cache(callers: Callers) -> None:
    for api in (callers.admin, callers.anonymous):
        assert api.get("/agents").headers["Cache-Control"] == "no-store"
