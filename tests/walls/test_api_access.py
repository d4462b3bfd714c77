"""Every operation as nobody, a stranger, each role and a program. One without an entry fails."""

from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest
from django.db.models import Model

from memoryweb.api.urls import api
from memoryweb.audit.models import Event
from memoryweb.memory.models import ForgetRequest
from tests.api.callers import NAMES, Callers, callers_of
from tests.api.standing import standing
from tests.snapshot import StandingWorld, restored_world
from tests.soaking import first_in_gate
from tests.walls.api_routes import CHAT, CUSTOMER, END_USER, ROUTES, Route
from tests.walls.api_stage import CANARY, OTHER, Stage, furnish
from tests.walls.web_calls import Rows, everything, undone
from tests.world import Home, World

NO_IDS = ("none", "%00", "..", "1")
# Whom the text of the helpdesk's customer is not for.
OTHERS = {"admin", "member", "viewer", "auditor", "stranger", "foreign_helpdesk"}

if TYPE_CHECKING:
    from django.test.client import _MonkeyPatchedWSGIResponse as Answer

PROGRAMS = {"helpdesk", "foreign_helpdesk"}
# What somebody has seen is theirs alone, and changes no memory.
SEEN = "mark_morning_card_seen"
# The talk is a customer's, and a person alone says so (tests/stories/test_that_is_wrong.py).
OF_NOBODY_HERE = "retire_carried_fact"
# Its code stands in a mail alone (tests/api/test_owner_addresses.py).
MAILED = "confirm_address"
MODEL = "complete_chat"
_LEFT_OUT = {SEEN, OF_NOBODY_HERE, MAILED, MODEL}
EVENTS = [name for name in ROUTES if ROUTES[name].changes and name not in _LEFT_OUT]
# Their own message in the table is to read what is known.
CHATS, REBUILD = {"send_chat", "stream_chat"}, CHAT | {"message": "/memory rebuild"}
each_route = pytest.mark.parametrize("route", ROUTES.values(), ids=ROUTES.keys())
# Rows that a read may touch: what is recorded about reading, and the token's last use.
MAY_CHANGE = frozenset(
    {
        *("audit.Event", "audit.ChainHead", "audit.Label", "accounts.Token"),
        *("memory.Injection", "memory.InjectedSpan"),
    }
)


@dataclass(frozen=True)
class Built:
    world: World
    callers: Callers
    stage: Stage
    twin: dict[str, str]  # ids of another team


@pytest.fixture(scope="module")
def built(standing_world: StandingWorld) -> Iterator[Built]:
    with standing(standing_world, _build) as made:
        yield made


@pytest.fixture(scope="module")
def still(built: Built, standing_world: StandingWorld) -> Rows:
    """What each test finds, and a read leaves."""
    with standing_world.blocker.unblock():
        return everything(but=MAY_CHANGE)


@pytest.fixture
def world(built: Built, db: None) -> World:
    return built.world


@pytest.fixture
def callers(built: Built, db: None) -> Callers:
    return built.callers


@pytest.fixture
def stage(built: Built, db: None) -> Stage:
    return built.stage


def call(callers: Callers, name: str, route: Route, ids: dict[str, str]) -> "Answer":
    path = route.path.format(**ids)
    body: Any = route.body
    if isinstance(body, dict) and "agentId" in body:
        body = {**body, "agentId": ids["agent"]}
    named = {"X-Agent": ids["agent"]} if route is ROUTES[MODEL] else {}
    if name in PROGRAMS and route.about == "query":
        path += f"{'&' if '?' in path else '?'}owner={CUSTOMER}"
        if "files/MEMORY.md" in path and "revisions" not in path:
            path = path.replace(CUSTOMER, "shared")
    if name in PROGRAMS and route.about == "body":
        body = {**(body or {}), **END_USER}
    return callers[name].call(route.method, path, body, **named)


def test_every_operation_has_an_entry() -> None:
    assert described().keys() == ROUTES.keys()


@each_route
def test_each_caller_is_answered_as_the_table_says_and_not_with_anothers_text(
    callers: Callers, stage: Stage, still: Rows, route: Route
) -> None:
    """And a read changes nothing, and an id of a stranger's reads like one that nobody has."""
    answers = {}
    for name in NAMES:
        with undone() if route.changes else nullcontext():
            answer = call(callers, name, route, stage.ids())
        answers[name] = answer.status_code
        if name in {"stranger", "foreign_helpdesk"}:
            # Who may not do it at all is told so, whatever the id.
            refused = 404 if name == "stranger" else route.foreign or 404
            for wanted in route.ids:
                random = call(callers, name, route, stage.with_random(wanted))
                assert (random.status_code, random.content) == (refused, answer.content)
                assert dict(random.headers) == dict(answer.headers)
        if answer.streaming:  # tried by test_served
            assert route is ROUTES["stream_chat"]
        if name in OTHERS:
            assert CANARY not in b"".join(answer).decode(errors="replace"), name
    assert answers == {
        **route.answers,
        "anonymous": 401,
        "stranger": route.stranger,
        "foreign_helpdesk": foreign(route),
    }
    operation = next(name for name, one in ROUTES.items() if one is route)
    assert {*answers.values()} <= described()[operation]
    if not route.changes:
        assert everything(but=MAY_CHANGE) == still


@each_route
def test_a_members_wrong_id_is_not_found(
    built: Built, callers: Callers, stage: Stage, route: Route
) -> None:
    """An id of the twin within an address of one's own reads like one that nobody has."""
    twin = built.twin
    for wanted in set(route.ids) & set(twin):
        with undone():
            foreign = call(callers, "admin", route, stage.ids() | {wanted: twin[wanted]})
        with undone():
            random = call(callers, "admin", route, stage.with_random(wanted))
        assert (foreign.status_code, foreign.content) == (404, random.content)


@each_route
@pytest.mark.parametrize("count", first_in_gate(1, [1, len(NO_IDS)]))
def test_what_is_no_id_is_not_found(
    callers: Callers, stage: Stage, route: Route, count: int
) -> None:
    """In the gate one of them each, by turns."""
    first = [*ROUTES.values()].index(route) % len(NO_IDS)
    for wanted in set(route.ids) - {"talk"}:
        for text in (NO_IDS * 2)[first : first + count]:
            answer = call(callers, "admin", route, stage.ids() | {wanted: text})
            assert answer.status_code in {404, 405}, (wanted, text)
            assert answer.headers["Content-Type"] == "application/problem+json"


@pytest.mark.parametrize("name", EVENTS)
def test_a_change_is_an_event_with_the_callers_token(
    world: World, callers: Callers, stage: Stage, name: str
) -> None:
    route = ROUTES[name]
    if name in CHATS:
        route = replace(route, body=REBUILD)
    caller = next(caller for caller in ("member", "helpdesk", "admin") if ok(route, caller))
    callers[caller].get("/agents")  # the first use of an hour is an event of its own
    before = set(Event.objects.values_list("pk", flat=True))
    call(callers, caller, route, stage.ids())
    new = Event.objects.filter(team_id=world.team.pk).exclude(pk__in=before)
    assert {event.token_id for event in new} - {None}


def test_the_owner_reads_the_same_text(callers: Callers, stage: Stage) -> None:
    for name in ("read_run", "read_report", "read_conversation"):
        assert CANARY in call(callers, "helpdesk", ROUTES[name], stage.ids()).content.decode()


@cache
def described() -> dict[str, set[int]]:
    """By the name of an operation, the codes that its description has."""
    paths = api.get_openapi_schema(path_prefix="/api/v1/")["paths"].values()
    found = (operation for methods in paths for operation in methods.values())
    return {one["operationId"]: {*map(int, one["responses"])} for one in found}


def _build() -> Built:
    world = restored_world()
    furnish(world.twin, OTHER)
    return Built(world, callers_of(world), furnish(world.home), _ids_of(world.twin))


def _ids_of(home: Home) -> dict[str, str]:
    rows: dict[str, Model] = {
        "agent": home.agent,
        "run": home.team.runs.exclude(owner=None).get(),
        "fact": home.agent.facts.filter(owner=None)[0],
        "retired": home.agent.facts.filter(owner=None)[0],
        "contradiction": home.agent.contradictions.get(state="open"),
        "resolved": home.agent.contradictions.get(state="resolved"),
        "asked": ForgetRequest.objects.get(agent=home.agent),
        "owner": home.sender,
        "test": home.agent.memory_tests.get(owner=None),
        "proposal": home.agent.files.get(proposals__isnull=False).proposals.get(),
    }
    return {name: str(row.pk) for name, row in rows.items()}


def foreign(route: Route) -> int:
    if route.foreign is not None:
        return route.foreign
    return route.stranger if is_for(route, "helpdesk") else 403


def ok(route: Route, caller: str) -> bool:
    return route.answers[caller] < 300


def is_for(route: Route, caller: str) -> bool:
    """What names a row looks for it first; only then does it matter what the caller may do."""
    return bool(route.ids) or ok(route, caller)
