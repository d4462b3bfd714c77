"""A page or route takes as many statements for many rows and agents as for a few."""

from collections.abc import Callable, Iterator
from functools import partial

import pytest
from django_scopes import scope

from memoryweb.memory.models import CrowdedFile, ReviewItem
from memoryweb.memory.models.review import follow
from tests.api.callers import callers_of
from tests.mcp.client import Mcp
from tests.mem0.client import Mem0
from tests.soaking import first_in_gate
from tests.statements import counted
from tests.walls import crowd
from tests.walls.api_routes import ROUTES
from tests.walls.test_api_access import call as call_api
from tests.walls.web_calls import call
from tests.walls.web_routes import PAGES
from tests.walls.web_stage import Stage, restored_stage
from tests.world import World, signed_in

FEW, MANY = 2, 4
# Pages that ask more than others, by their names.
MOST = {
    "last_night": 20,
    "search": 20,
    "agents_provenance": 19,
}
# Pages whose first look does what is done once an hour, or kept.
KEPT = {"last_night", "agents_detail"}
Calls = Iterator[tuple[str, Callable[[], object]]]


# The admin sees what the team has; Bob what he has, too, by the same queries.
@pytest.mark.parametrize("role", first_in_gate(1, ["admin", "member"]))
def test_every_page_and_route_takes_few_statements_and_as_many_for_many_rows(
    world: World, role: str
) -> None:
    stage = restored_stage(world.home, "home", colleague=world.vera)
    _grow(world, range(FEW))
    few = {}
    for key, look in _looks(world, stage, role):
        if key in KEPT:
            look()
        few[key] = counted(look)
    _grow(world, range(FEW, MANY))
    other = {}
    for key, look in _looks(world, stage, role):
        if counted(look) > few[key] and (count := counted(look)) > few[key]:
            other[key] = (few[key], count)
    assert other == {}
    pages = {key: route for key, route in PAGES.items() if route.answers[role] == 200}
    assert {key: few[key] for key, one in pages.items() if few[key] > MOST.get(one.name, 15)} == {}


@pytest.mark.databases
@pytest.mark.only_on("postgresql", why="above they are looked at three times on SQLite")
def test_every_page_and_route_answers_on_the_other_database(world: World) -> None:
    stage = restored_stage(world.home, "home", colleague=world.vera)
    for key, look in _looks(world, stage, "admin", readers=("helpdesk",)):
        assert getattr(look(), "status_code", 200) < 500, key  # or it raises


def test_pages_of_what_waits_take_few_statements_with_each_kind(world: World) -> None:
    stage = restored_stage(world.home, "home", colleague=world.vera)
    with scope(team=world.team):
        memory = world.agent.files.get(owner=None, path="MEMORY.md")
        crowded = CrowdedFile.objects.create(team=world.team, file=memory)
        follow(ReviewItem.Kind.CROWDED, [crowded.pk])
    client, counts = signed_in(world.people["admin"]), {}
    for key, most in {"last_night": 20, "review": 15, "review_item contradiction": 15}.items():
        look = partial(call, client, PAGES[key], stage)
        look()
        counts[key] = (counted(look), most)
    assert {key: (n, most) for key, (n, most) in counts.items() if n > most} == {}


def _grow(world: World, numbers: range) -> None:
    with scope(team=world.team):
        for number in numbers:
            crowd.add(world.home, number)


def _looks(world: World, stage: Stage, role: str, readers: tuple[str, ...] = ("admin",)) -> Calls:
    client = signed_in(world.people[role])
    for key, route in PAGES.items():
        yield key, partial(call, client, route, stage)
    if role == "admin":
        yield from _reads(world, stage, readers)
        yield from _over_mcp(world)
        yield from _as_mem0(world)


def _reads(world: World, stage: Stage, readers: tuple[str, ...]) -> Calls:
    callers = callers_of(world)
    for name in readers:
        for key, route in ROUTES.items():
            if route.method == "GET":
                yield f"{key} as {name}", partial(call_api, callers, name, route, stage.api.ids())


def _over_mcp(world: World) -> Calls:
    host = Mcp(callers_of(world).helpdesk.token)
    host = host.as_host(agent=str(world.agent.pk), owner="api:customer-1")
    view = {"command": "view", "path": "/memories"}
    for tool, arguments in (("memory", view), ("memory_search", {"query": "tea"})):
        yield f"{tool} over MCP", partial(host.call, tool, **arguments)
    for method in ("tools/list", "resources/list"):
        yield f"{method} over MCP", partial(host.modern, method)


def _as_mem0(world: World) -> Calls:
    """Of customer-1, whose memory grows."""
    mem0 = Mem0(callers_of(world).helpdesk.token, str(world.agent.pk))
    of_customer = {"filters": {"user_id": "customer-1"}}
    yield "pages as mem0", partial(mem0, "POST", "/v3/memories/", of_customer)
    search = {"query": "tea", **of_customer}
    yield "search as mem0", partial(mem0, "POST", "/v3/memories/search/", search)
    yield "entities as mem0", partial(mem0, "GET", "/v1/entities/")
