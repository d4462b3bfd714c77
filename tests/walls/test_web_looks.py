"""Each role looks at every page once: what it is answered, what it reads, and what that leaves."""

from dataclasses import dataclass

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django_scopes import scopes_disabled

from memoryweb.audit.models import Event
from tests.snapshot import StandingWorld, restored_world
from tests.statements import statements
from tests.walls.api_stage import CANARY
from tests.walls.web_calls import call, everything, undone
from tests.walls.web_routes import PAGES, ROLES
from tests.walls.web_stage import BOBS_CANARY, Stage, restored_stage
from tests.world import World, signed_in

pytestmark = pytest.mark.django_db


@dataclass(frozen=True)
class Look:
    status: int
    text: str
    changes_rows: bool
    events: list[Event]


@dataclass(frozen=True)
class Looker:
    role: str
    world: World
    looks: dict[str, Look]


@pytest.fixture(scope="module", params=ROLES)
def looker(request: pytest.FixtureRequest, standing_world: StandingWorld) -> Looker:
    standing_world.leave()
    with standing_world.blocker.unblock(), scopes_disabled(), undone():
        world = restored_world()
        stage = restored_stage(world.home, "home", colleague=world.vera)
        looks = _looks(signed_in(world.people[request.param]), stage)
    return Looker(request.param, world, looks)


def test_a_page_answers_as_the_table_says(looker: Looker) -> None:
    answers = {key: look.status for key, look in looker.looks.items()}
    assert answers == {key: route.answers[looker.role] for key, route in PAGES.items()}


def test_the_text_of_another_is_on_no_page(looker: Looker) -> None:
    forbidden = {CANARY} if looker.role == "member" else {CANARY, BOBS_CANARY}
    said = {key: look.text for key, look in looker.looks.items()}
    assert [key for key, text in said.items() if any(one in text for one in forbidden)] == []


def test_a_look_changes_nothing(looker: Looker) -> None:
    assert [key for key, look in looker.looks.items() if look.changes_rows] == []


def test_a_look_leaves_no_event_but_of_a_refusal(looker: Looker) -> None:
    """And of an export: a look that carries memory away."""
    said = {key: [event.action for event in look.events] for key, look in looker.looks.items()}
    assert said == {key: _expected(key, look.status) for key, look in looker.looks.items()}


def test_a_refusal_is_an_event_that_says_whose(looker: Looker) -> None:
    refused = [event for look in looker.looks.values() for event in look.events]
    actor = str(looker.world.people[looker.role].pk)
    for event in refused:
        if event.action == "access.denied":
            assert event.outcome == "denied"
            assert event.team_id == looker.world.team.pk
            assert (event.actor_id, event.actor_role) == (actor, looker.role)


def _expected(key: str, status: int) -> list[str]:
    if status == 403:
        return ["access.denied"]
    return ["snapshot.exported"] if status == 200 and "export" in key else []


def _looks(client: Client, stage: Stage) -> dict[str, Look]:
    looks, before = {}, everything()
    known = set(Event.objects.values_list("pk", flat=True))
    for key, route in PAGES.items():
        with CaptureQueriesContext(connection) as queries:
            answer = call(client, route, stage)
        writes = [sql for sql in statements(queries) if not sql.startswith("SELECT")]
        events = list(Event.objects.exclude(pk__in=known).order_by("pk"))
        known |= {event.pk for event in events}
        text = answer.content.decode(errors="replace")
        changes_rows = bool(writes) and everything() != before
        looks[key] = Look(answer.status_code, text, changes_rows, events)
    return looks
