"""Each role looks at every page once a process, on the stage that holds what is to be forgotten.

Tests compare what it was answered, what it read, and what that left.
"""

import re
from dataclasses import dataclass

from django.apps import apps
from django.test import Client

from memoryweb.audit.models import Event
from tests.statements import listening, without_control
from tests.walls.crawling import Page, page_of
from tests.walls.forgotten_stage import forgotten
from tests.walls.web_calls import MAY_CHANGE, address, call, everything, undone
from tests.walls.web_routes import PAGES
from tests.walls.web_stage import Stage
from tests.world import World, signed_in


@dataclass(frozen=True)
class Look:
    url: str
    status: int
    page: Page
    changes_rows: bool
    events: list[Event]


_looked: dict[str, dict[str, Look]] = {}


def looks_of(world: World, role: str) -> dict[str, Look]:
    """By the keys of the table."""
    if role not in _looked:
        with undone():
            stage = forgotten(world).stage
            _looked[role] = _looks(signed_in(world.people[role]), stage)
    return _looked[role]


def _looks(client: Client, stage: Stage) -> dict[str, Look]:
    looks, before = {}, everything()
    known = set(Event.objects.values_list("pk", flat=True))
    for key, route in PAGES.items():
        with listening() as told:
            answer = call(client, route, stage)
        events = list(Event.objects.exclude(pk__in=known).order_by("pk"))
        known |= {event.pk for event in events}
        changes_rows = _writes_more(without_control(told)) and everything() != before
        url = address(route, stage)
        looks[key] = Look(url, answer.status_code, page_of(url, answer), changes_rows, events)
    return looks


def _writes_more(told: list[str]) -> bool:
    """Than into the tables that a look may touch."""
    allowed = {apps.get_model(label)._meta.db_table for label in MAY_CHANGE}
    writes = [sql for sql in told if not sql.startswith("SELECT")]
    tables = [re.search(r'"(\w+)"', sql) for sql in writes]
    return any(table is None or table[1] not in allowed for table in tables)
