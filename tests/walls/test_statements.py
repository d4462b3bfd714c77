"""A page or route takes as many statements for many rows and agents as for a few."""

from collections.abc import Callable, Iterator
from functools import partial

from django.db import connection
from django.test.utils import CaptureQueriesContext
from django_scopes import scope

from tests.api.callers import callers_of
from tests.statements import statements
from tests.walls import crowd
from tests.walls.api_routes import ROUTES
from tests.walls.test_api_access import call as call_api
from tests.walls.web_calls import call
from tests.walls.web_routes import PAGES
from tests.walls.web_stage import Stage, restored_stage
from tests.world import World, signed_in

FEW, MANY = 2, 6
Calls = Callable[[World, Stage], Iterator[tuple[str, Callable[[], object]]]]


def test_every_page_takes_as_many_statements_for_many_rows_as_for_few(world: World) -> None:
    _check(world, _pages)


def test_every_route_that_reads_takes_as_many_statements_for_many_rows(world: World) -> None:
    _check(world, _reads)


def _check(world: World, calls: Calls) -> None:
    stage = restored_stage(world.home, "home", colleague=world.vera)
    few = _counted(world, stage, calls, range(FEW))
    many = _counted(world, stage, calls, range(FEW, MANY))
    assert {key: (few[key], n) for key, n in many.items() if n > few[key]} == {}


def _counted(world: World, stage: Stage, calls: Calls, more: range) -> dict[str, int]:
    with scope(team=world.team):
        for number in more:
            crowd.add(world.home, number)
    found = {}
    for key, look in calls(world, stage):
        look()  # what is done once an hour, or kept
        with CaptureQueriesContext(connection) as queries:
            look()
        found[key] = len(statements(queries))
    return found


def _pages(world: World, stage: Stage) -> Iterator[tuple[str, Callable[[], object]]]:
    """The admin sees what the team has, Bob what he has, too."""
    for role in ("admin", "member"):
        client = signed_in(world.people[role])
        for key, route in PAGES.items():
            yield f"{key} as {role}", partial(call, client, route, stage)


def _reads(world: World, stage: Stage) -> Iterator[tuple[str, Callable[[], object]]]:
    callers = callers_of(world)
    for name in ("admin", "member", "helpdesk"):
        for key, route in ROUTES.items():
            if route.method == "GET":
                yield f"{key} as {name}", partial(call_api, callers, name, route, stage.api.ids())
