"""Each role looks at every page once: what it is answered, what it reads, and what that leaves."""

from dataclasses import dataclass

import pytest

from tests.walls.api_stage import CANARY
from tests.walls.looking import Look, looks_of
from tests.walls.web_routes import PAGES, ROLES
from tests.walls.web_stage import BOBS_CANARY
from tests.world import World

pytestmark = pytest.mark.django_db


@dataclass(frozen=True)
class Looker:
    role: str
    world: World
    looks: dict[str, Look]


@pytest.fixture(params=ROLES)
def looker(request: pytest.FixtureRequest, world: World) -> Looker:
    return Looker(request.param, world, looks_of(world, request.param))


def test_a_page_answers_as_the_table_says(looker: Looker) -> None:
    answers = {key: look.status for key, look in looker.looks.items()}
    assert answers == {key: route.answers[looker.role] for key, route in PAGES.items()}


def test_the_text_of_another_is_on_no_page(looker: Looker) -> None:
    forbidden = {CANARY} if looker.role == "member" else {CANARY, BOBS_CANARY}
    said = {key: look.page.text for key, look in looker.looks.items()}
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
