"""Every answer of a real server, as each role: the table's code, whole to its last byte, no 5xx.

Django's test client reads a stream where the test stands; here nobody but the server reads it.
"""

import csv
import io
import json
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as installed
from django.test import Client
from django.urls import reverse

from memoryweb.agents.one_time_codes import Purpose, issue
from memoryweb.api import mem0
from memoryweb.audit import verify_export
from memoryweb.audit.record import SYSTEM
from tests.api.callers import NAMES, Callers, callers_of
from tests.fakes import ModelServer
from tests.mcp.client import EARLIER
from tests.serving import collect_static, serving
from tests.snapshot import restored_world
from tests.walls.api_routes import CHAT
from tests.walls.api_routes import READ as READERS
from tests.walls.api_routes import ROUTES as OPERATIONS
from tests.walls.api_routes import Route as Operation
from tests.walls.served import Browser, Program
from tests.walls.test_api_access import call as call_api
from tests.walls.test_api_access import foreign
from tests.walls.web_calls import address, form_of
from tests.walls.web_routes import CHANGES, OPEN, PAGES, ROLES, SEE, STREAMED
from tests.walls.web_stage import Stage, restored_stage
from tests.workers import database_url
from tests.world import World, signed_in

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]

# Each form of what mem0's REST reads, one address of it, and what people of the team are answered:
# an end user's memory is none of theirs.
MEM0 = {
    "v1/ping": ("v1/ping/", 200),
    "(?:v1/)?memories": ("memories?user_id=customer-1", 403),
    "v1/events": ("v1/events/", 200),
    mem0._ONE: ("v1/memories/{fact}/", 404),
    mem0._ONE + "/history": ("v1/memories/{fact}/history/", 404),
    "v1/entities": ("v1/entities/", 200),
    "v1/event/(?P<id>[^/]+)": ("v1/event/{run}/", 404),
}
PROTOCOL = {"MCP_Protocol_Version": EARLIER}
MCP: dict[str, dict[str, str]] = {
    "tools/list": {},
    "resources/list": {},
    "resources/templates/list": {},
    "resources/read": {"uri": "memory://root"},
}
FILTERS = (
    *("", "?outcome=ok", "?outcome=ok&actor=system", "?actor={user}", "?agent={agent_id}"),
    *("?target={file_id}", "?since=2001-01-01", "?until=2099-01-01", "?action=file.written"),
    "?action=file.written&agent={agent_id}&since=2001-01-01",
)


@pytest.fixture(scope="module")
def model() -> Iterator[ModelServer]:
    server = ModelServer().start()
    yield server
    server.stop()


@pytest.fixture(scope="module", params=[1, 2])
def port(
    request: pytest.FixtureRequest,
    django_db_setup: None,
    model: ModelServer,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[int]:
    """Of a server with one worker; and of two, who share nothing but the database."""
    home = tmp_path_factory.mktemp("served")
    collect_static(home)
    environment = {
        "DATABASE_URL": database_url(),
        "SECRET_KEY": installed.SECRET_KEY,
        "CHECKPOINT_SECRET": installed.CHECKPOINT_SECRET,
        "MODEL_PROVIDER": "openai",
        "MODEL_BASE_URL": model.url,
        "MODEL_KEY": "test-key-of-no-value",
        "MODEL": "fake-model",
    }
    given = {f"MEMORYWEB_{name}": value for name, value in environment.items()}
    with serving(home, request.param, **given) as port:
        yield port


@pytest.fixture
def world(transactional_db: None) -> World:
    return restored_world()


@pytest.fixture
def stage(world: World) -> Stage:
    return restored_stage(world.home, "home", colleague=world.vera)


@pytest.fixture
def browsers(world: World, port: int) -> dict[str, Browser]:
    return {name: browser_of(signed_in(user), port) for name, user in world.people.items()}


def browser_of(client: Client, port: int) -> Browser:
    return Browser(port, {name: morsel.value for name, morsel in client.cookies.items()})


@pytest.mark.parametrize("role", ROLES)
def test_every_page(browsers: dict[str, Browser], stage: Stage, role: str) -> None:
    answers = {key: browsers[role].get(address(route, stage)) for key, route in PAGES.items()}
    expect(answers, {key: route.answers[role] for key, route in PAGES.items()})


def test_every_address_of_no_team(browsers: dict[str, Browser], port: int) -> None:
    for browser, who in ((Browser(port), "nobody"), (browsers["viewer"], "somebody")):
        urls = {name: reverse(name, kwargs=one.kwargs) for name, one in OPEN.items()}
        answers = {name: browser.get(url) for name, url in urls.items()}
        expect(answers, {name: getattr(one, who) for name, one in OPEN.items()})


@pytest.mark.parametrize("name", NAMES)
def test_every_answer_of_the_api(world: World, stage: Stage, port: int, name: str) -> None:
    callers = Callers(**callers_over(world, port))
    routes = {key: one for key, one in OPERATIONS.items() if one.method == "GET"}
    expect(
        {key: call_api(callers, name, one, stage.api.ids()) for key, one in routes.items()},
        {key: code_of(one, name) for key, one in routes.items()},
    )


def code_of(route: Operation, name: str) -> int:
    others = {"anonymous": 401, "stranger": route.stranger, "foreign_helpdesk": foreign(route)}
    return (route.answers | others)[name]


def test_the_descriptions_of_the_api(port: int) -> None:
    names = ("openapi-json", "openapi-view")
    answers = {name: Browser(port).get(reverse(f"api:{name}")) for name in names}
    expect(answers, dict.fromkeys(names, 200))


@pytest.mark.parametrize("role", ROLES)
def test_every_download(browsers: dict[str, Browser], stage: Stage, role: str) -> None:
    routes = {key: CHANGES[key] for key in STREAMED}
    browser = browsers[role]
    answers = {
        k: browser.post(address(one, stage), form_of(one, stage)) for k, one in routes.items()
    }
    expect(answers, {key: one.answers[role] for key, one in routes.items()})


def test_who_came_by_a_link_sees_and_takes_along(world: World, stage: Stage, port: int) -> None:
    made = issue(
        owner=world.customer, integration=world.integration, purpose=Purpose.VISIT, by=SYSTEM
    )
    client = Client()
    client.post(reverse("visit"), {"code": made.secret})
    visitor = browser_of(client, port)
    answers = {"page": visitor.get(reverse("visit_page"))}
    answers["export"] = visitor.post(reverse("visit_export"), {})
    expect(answers, dict.fromkeys(answers, 200))


def test_every_stream_of_a_chat(
    world: World, browsers: dict[str, Browser], stage: Stage, port: int
) -> None:
    say = reverse(
        "web:agents_chat_say", kwargs={"team": world.team.slug, "agent_id": world.agent.pk}
    )
    words = {"message": "Which room?", "talk": "c-9"}
    heard = {role: browsers[role].post(say, words, Accept="text/event-stream") for role in ROLES}
    expect(heard, dict.fromkeys(ROLES, 200))
    assert {answer.kind for answer in heard.values()} == {"text/event-stream"}
    callers = Callers(**callers_over(world, port))
    for message in ("/memory", "Which room?"):
        route = replace(OPERATIONS["stream_chat"], body={**CHAT, "message": message})
        answers = {name: call_api(callers, name, route, stage.api.ids()) for name in READERS}
        expect(answers, route.answers)


def test_every_read_of_mem0(world: World, stage: Stage, port: int) -> None:
    assert {form for method, form, *_rest in mem0.ROUTES if method == "GET"} == MEM0.keys()
    ids = stage.api.ids() | {"fact": stage.ids["customers_fact_id"]}
    for name, program in callers_over(world, port).items():
        paths = {
            form: f"/mem0/{world.agent.pk}/{rest.format(**ids)}" for form, (rest, _) in MEM0.items()
        }
        codes = {form: mem0_code(name, whose) for form, (_, whose) in MEM0.items()}
        expect({form: program.send("GET", path) for form, path in paths.items()}, codes)


def mem0_code(name: str, refused: int) -> int:
    """The memory is of the helpdesk's customer."""
    if name not in READERS:
        return 401 if name == "anonymous" else 404
    return 200 if name == "helpdesk" else refused


def test_every_read_of_mcp(world: World, port: int) -> None:
    sent = {"Memoryweb_Agent": str(world.agent.pk), "Memoryweb_Owner": "shared"}
    for name, program in callers_over(world, port).items():
        answers = {"GET": program.send("GET", "/mcp")}
        for method, params in MCP.items():
            body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
            answers[method] = program.send("POST", "/mcp", body, **sent, **PROTOCOL)
        expect(answers, dict.fromkeys(MCP, 401 if name == "anonymous" else 200) | {"GET": 405})
        if name in READERS:
            assert [key for key in MCP if "error" in json.loads(answers[key].content)] == []


SEEING = [role for role, code in SEE.items() if code == 200]


@pytest.mark.parametrize("role", SEEING)
def test_every_export_of_the_log_is_verified_elsewhere(
    world: World,
    stage: Stage,
    browsers: dict[str, Browser],
    tmp_path: Path,
    role: str,
) -> None:
    browser, export = browsers[role], address(CHANGES["audit_export"], stage)
    shown = browser.get(address(PAGES["audit_verify"], stage)).content.decode()
    [key] = re.findall(r"--key ([0-9a-f]{64})\b", shown)
    for query in FILTERS:
        asked = export + query.format(**stage.ids, user=world.people[role].pk)
        answers = {kind: browser.post(asked, {"kind": kind}) for kind in ("jsonl", "csv")}
        expect(answers, dict.fromkeys(answers, 200))
        path = tmp_path / "audit.jsonl"
        path.write_bytes(answers["jsonl"].content)
        command = [sys.executable, "-I", "-S", verify_export.__file__, str(path), "--key", key]
        assert subprocess.run(command, capture_output=True, check=False).returncode == 0, query
        rows = [json.loads(line) for line in path.read_text().splitlines()[1:-1]]
        text = answers["csv"].content.decode("utf-8-sig")
        listed = [row["hash"] for row in csv.DictReader(io.StringIO(text))]
        # The export before this one is an event, too.
        assert [row["hash"] for row in rows] == listed[: len(rows)]
        assert 0 < len(rows) <= len(listed) <= len(rows) + 1, query


def callers_over(world: World, port: int) -> dict[str, Program]:
    callers = callers_of(world)
    return {name: Program(callers[name].token, port) for name in NAMES}


def expect(answers: Mapping[str, Any], codes: dict[str, int]) -> None:
    assert {key: answer.status_code for key, answer in answers.items()} == codes
    assert {key: answer.fault for key, answer in answers.items() if answer.fault} == {}
