"""What was asked to be forgotten is nowhere that anybody can look, but where its person decides."""

import re
from collections.abc import Iterator
from itertools import islice

import pytest
from django.urls import reverse
from django_scopes import scope

from tests.api.callers import callers_of
from tests.soaking import first_in_gate
from tests.walls.crawling import Answers, api, api_posts, pages, posts
from tests.walls.forgotten_stage import BOBS, CANARIES, SHARED, Forgotten, planted
from tests.walls.forgotten_stage import forgotten as all_forgotten
from tests.walls.looking import looks_of
from tests.walls.web_routes import ROLES
from tests.world import World, signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def forgotten(world: World) -> Forgotten:
    return all_forgotten(world)


def ids_of(world: World) -> dict[str, list[str]]:
    """Everything of the agent's memory that an address can name."""
    agent = world.agent
    with scope(team=world.team):
        return {
            "path": sorted(set(agent.files.values_list("path", flat=True))),
            "number": [str(n) for n in range(1, 7)],
            "line": [str(n) for n in range(1, 9)],
            "fact_id": [str(pk) for pk in agent.facts.values_list("pk", flat=True)],
            "run_id": [str(pk) for pk in agent.runs.values_list("pk", flat=True)],
            "conversation_id": [str(pk) for pk in agent.conversations.values_list("pk", flat=True)],
            "import_id": [str(pk) for pk in agent.imports.values_list("pk", flat=True)],
        }


_DECIDED = re.compile(r'<ul class="hidden-ones">.*?</ul>', re.DOTALL)
# Where who decides is shown what they decide about: an admin what is shared, everybody their own.
_WHERE_DECIDED = re.compile(r"/files/.+/forget/(\?owner=|$)|/review/[0-9a-f-]{36}/|/requests(\?|$)")
SIGHTS = 8  # of what is not forgotten: so many are enough to know that it would be seen
_MAY_DECIDE = {"admin": {SHARED}, "member": {BOBS}}


def seen(answers: Answers, who: str) -> Iterator[tuple[str, str]]:
    """Without the places where this person decides, or brings it back."""
    for asked, text in answers:
        mine = _MAY_DECIDE.get(who, set())
        folded = (_DECIDED.sub("", text) if who == "member" else text).casefold()
        for canary in CANARIES:
            if canary in folded and not (canary in mine and _WHERE_DECIDED.search(asked)):
                yield asked, canary


@pytest.mark.parametrize("role", ROLES)
def test_no_page_of_the_table_tells_what_is_to_be_forgotten(world: World, role: str) -> None:
    looks = looks_of(world, role).values()
    assert [*seen(((look.url, look.page.text) for look in looks), role)] == []


@pytest.mark.parametrize(
    ("role", "share"),
    first_in_gate(1, [("member", 6), *((role, 1) for role in (*ROLES[1:], "admin"))]),
)
def test_nor_does_a_page_that_ids_and_links_lead_to(world: World, role: str, share: int) -> None:
    looked = {look.url: look.page for look in looks_of(world, role).values()}
    stage, client = all_forgotten(world).stage, signed_in(world.people[role])
    assert [*seen(pages(client, stage, ids_of(world), share, looked), role)] == []


@pytest.mark.slow
def test_nor_does_a_page_of_a_memory_that_was_opened(world: World, forgotten: Forgotten) -> None:
    client = signed_in(world.alice)
    for owner in (world.bobs_memory, world.customer):
        url = reverse("web:owners_open", args=[world.team.slug, owner.pk])
        assert client.post(url, {"reason": "A complaint about a wrong note."}).status_code == 302
    assert [*seen(pages(client, forgotten.stage, ids_of(world)), "admin")] == []


@pytest.mark.parametrize(
    ("role", "share"), first_in_gate(1, [("member", 2), *((role, 1) for role in ROLES)])
)
def test_no_change_is_answered_with_what_is_to_be_forgotten(
    world: World, forgotten: Forgotten, role: str, share: int
) -> None:
    answers = posts(signed_in(world.people[role]), forgotten.stage, share)
    assert [*seen(answers, role)] == []


@pytest.mark.parametrize(
    ("name", "owners", "share"),
    first_in_gate(
        1,
        [
            ("helpdesk", ["api:helpdesk/customer-1"], 3),  # who is given what is shared, too
            ("helpdesk", ["api:helpdesk/customer-1", "shared"], 1),
            ("member", ["", "me"], 1),
            *((name, [""], 1) for name in ("viewer", "admin", "auditor")),
        ],
    ),
)
def test_no_program_is_given_what_is_to_be_forgotten(
    world: World, forgotten: Forgotten, name: str, owners: list[str], share: int
) -> None:
    stage, ids, caller = forgotten.stage, ids_of(world), callers_of(world)[name]
    with scope(team=world.team):
        talks = list(world.agent.conversations.values_list("external_id", flat=True))
    its = {key: [value] for key, value in stage.api.ids().items()}
    its |= {"run": ids["run_id"], "fact": ids["fact_id"], "talk": talks, "dream": ids["run_id"]}
    assert [*seen(api(caller, world, its, owners, share), name)] == []
    about = {"endUserId": "customer-1"} if name == "helpdesk" else {}
    assert [*seen(api_posts(caller, stage.api.ids(), about), name)] == []


def test_the_wall_sees_what_is_not_forgotten(world: World) -> None:
    """So that not seeing it proves something."""
    living = planted(world)
    told = posts(signed_in(world.bob), living.stage)
    assert len([*islice(seen(told, ""), SIGHTS)]) == SIGHTS
    called = api_posts(callers_of(world).member, living.stage.api.ids(), {})
    assert len([*islice(seen(called, ""), SIGHTS)]) == SIGHTS
