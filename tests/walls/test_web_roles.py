"""Every address as nobody, a stranger and each role (pages: test_web_looks). One without an entry
fails."""

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse

from memoryweb.audit.models import Event
from tests.soaking import first_in_gate
from tests.walls.test_web_changes import POSSIBLE, prepare
from tests.walls.web_calls import addresses, call, clients_of, everything, looks, named, undone
from tests.walls.web_routes import CHANGES, OPEN, PAGES, ROLES, ROUTES, STREAMED
from tests.walls.web_stage import BOBS_CANARY, NUMBERS, Stage, only_here, restored_stage
from tests.world import World, signed_in

# Ids within a team's address; `number` and `line` name no row, and `link` is signed.
IDS = {"agent_id", "path", "run_id", "conversation_id", "owner_id"} | {
    "membership_id",
    "integration_id",
    "token_id",
    "invitation_id",
    "upload_id",
    "item_id",
    "import_id",
    "contradiction_id",
    "test_id",
    "fact_id",
    "file_id",
    "hold_id",
    "webhook_id",
    "delivery_id",
}


@pytest.fixture
def stage(world: World, settings: Any) -> Stage:
    settings.MODEL_HOSTS = ["models.example"]
    return restored_stage(world.home, "home", colleague=world.vera)


@pytest.fixture
def twin(world: World, stage: Stage) -> Stage:
    return restored_stage(world.twin, "twin", colleague=world.charlie)


@pytest.fixture
def clients(world: World) -> dict[str, Client]:
    return clients_of(world)


def test_every_address_has_an_entry() -> None:
    ours = {f"web:{route.name}" for route in ROUTES.values()} | OPEN.keys()
    assert addresses().keys() == ours


def test_every_id_in_an_address_is_walked() -> None:
    found = {name for ids in addresses().values() for name in ids}
    assert found == IDS | NUMBERS | {"team", "kind", "rest", "link", "name", "sha256"}


@pytest.mark.databases
def test_a_change_is_answered_as_the_table_says(clients: dict[str, Client], stage: Stage) -> None:
    """To those who may; the others are refused below. On PostgreSQL to the first of them, to whom
    test_web_changes does on SQLite what changes anything."""
    for key, route in CHANGES.items():
        may = [role for role, code in route.answers.items() if code < 400]
        for role in may[key in POSSIBLE :] if connection.vendor == "sqlite" else may[:1]:
            with undone():
                prepare(clients, route, stage)
                answer = call(clients[role], route, stage)
            assert answer.status_code == route.answers[role], (key, role)
            assert answer.streaming == (key in STREAMED), key  # tried by test_served


def test_a_change_that_is_refused_changes_nothing_and_is_an_event(
    world: World, clients: dict[str, Client], stage: Stage
) -> None:
    rows, known = everything(), set(Event.objects.values_list("pk", flat=True))
    for key, route in CHANGES.items():
        for role in (role for role, code in route.answers.items() if code >= 400):
            status = call(clients[role], route, stage).status_code
            assert status == route.answers[role], (key, role)
            events = Event.objects.exclude(pk__in=known)
            known |= {event.pk for event in events}
            if status == 403:
                said = [(e.action, e.outcome, e.team_id, e.actor_id, e.actor_role) for e in events]
                who = (world.team.pk, str(world.people[role].pk), role)
                assert said == [("access.denied", "denied", *who)], (key, role)
        assert everything() == rows, key


def test_who_is_not_signed_in_is_sent_to_the_sign_in_page(
    clients: dict[str, Client], stage: Stage
) -> None:
    for route in ROUTES.values():
        answer = call(clients["anonymous"], route, stage)
        assert answer.status_code == 302, route
        assert answer.headers["Location"].startswith(reverse("account_login")), route


def test_a_strangers_404_reads_like_any_other_and_leaves_no_event(
    clients: dict[str, Client], stage: Stage
) -> None:
    """That of a team that nobody has, or of another id that nobody has, is the same everywhere."""
    before, client = Event.objects.count(), clients["stranger"]
    of_nobody = looks(call(client, PAGES["last_night"], stage.with_random("team")))
    assert of_nobody[0] == 404
    for key, route in ROUTES.items():
        assert looks(call(client, route, stage)) == of_nobody, key
        for name in named(route) if key.startswith("GET ") else {"team"}:
            random = stage.with_random(route.ids.get(name, name))
            assert looks(call(client, route, random)) == of_nobody, (key, name)
    assert Event.objects.count() == before


@pytest.mark.parametrize("role", first_in_gate(1, ROLES))
def test_an_id_of_another_team_reads_like_one_that_nobody_has(
    clients: dict[str, Client], stage: Stage, twin: Stage, role: str
) -> None:
    """For everybody who gets as far as looking for it. A 404 is the same everywhere."""
    foreign_ids = twin.ids | dict.fromkeys(("path", "global_path"), only_here(twin))
    of_nobody = looks(call(clients[role], PAGES["agents_detail"], stage.with_random("agent_id")))
    for key, route in ROUTES.items():
        for name, kept in named(route).items():
            if name not in IDS:
                continue
            with undone():
                foreign = call(clients[role], route, stage.but(**{kept: foreign_ids[kept]}))
            if foreign.status_code == 404:
                assert looks(foreign) == of_nobody, (key, name)
                continue
            # Who has not the right may be refused before anything is looked for.
            assert (foreign.status_code, route.answers[role]) == (403, 403), (key, name)
            with undone():
                random = call(clients[role], route, stage.with_random(kept))
            assert looks(foreign) == looks(random), (key, name)


@pytest.mark.parametrize("role", first_in_gate(2, ROLES))
def test_an_owner_of_another_team_reads_like_one_that_nobody_has(
    clients: dict[str, Client], stage: Stage, twin: Stage, role: str
) -> None:
    foreign = stage.but(owner_id=twin.ids["owner_id"], my_owner_id=twin.ids["my_owner_id"])
    random = stage.with_random("owner_id").with_random("my_owner_id")
    asked = [route for route in ROUTES.values() if "owner_id" in route.query]
    for route in asked:
        found = [looks(call(clients[role], route, where)) for where in (foreign, random)]
        assert found[0] == found[1], route
        assert found[0][0] in {403, 404}, route


def test_ones_own_text_is_on_the_page(clients: dict[str, Client], stage: Stage) -> None:
    for key in ("agents_file", "agents_run", "agents_conversation", "review_item proposal"):
        answer = call(clients["member"], PAGES[f"{key} of Bob"], stage)
        assert BOBS_CANARY in answer.content.decode(), key


def test_whose_membership_has_ended_is_a_stranger(world: World, stage: Stage) -> None:
    client = signed_in(world.bob)
    tonight = PAGES["last_night"]
    world.team.memberships.filter(user=world.bob).delete()
    unknown = call(client, tonight, stage.with_random("team"))
    assert looks(call(client, tonight, stage)) == looks(unknown)


def test_an_address_of_no_team_answers_nobody_and_somebody_as_the_table_says(
    clients: dict[str, Client], world: World
) -> None:
    answers, here = {}, {"host": "localhost"}  # where apps may sign in without https
    for name, address in OPEN.items():
        url, who = reverse(name, kwargs=address.kwargs), (Client(), signed_in(world.vera))
        nobody, somebody = (client.get(url, headers=here) for client in who)
        answers[name] = (nobody.status_code, somebody.status_code)
    assert answers == {name: (a.nobody, a.somebody) for name, a in OPEN.items()}
