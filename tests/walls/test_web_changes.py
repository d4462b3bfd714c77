"""Looking changes nothing; what changes something asks for POST, and leaves an event or nothing."""

from collections.abc import Callable, Iterable
from typing import Any

import pytest
from django.db import DatabaseError
from django.test import Client
from django.urls import reverse

from memoryweb.accounts.models import Team
from memoryweb.accounts.teams import system_team
from memoryweb.audit.models import Event
from memoryweb.audit.verify import verify
from tests.accounts.refusal import refusing_events
from tests.soaking import first_in_gate
from tests.walls.web_calls import address, call, clients_of, everything, undone
from tests.walls.web_routes import CHANGES, OPEN, PAGES, Route
from tests.walls.web_stage import Stage, restored_stage
from tests.world import World

POSSIBLE = {
    k: route
    for k, route in CHANGES.items()
    if min(route.answers.values()) < 400 and not route.is_look
}

# What is told to another team than the one that is looked at.
CHAINS: dict[str, Callable[[], Team]] = {
    "settings_demo_remove": system_team,
    "settings_start_own": lambda: Team.objects.latest("created_at"),
}
TEXTS = ("Tea is served", "kayak", "umbrella", "example.org", "complaint")


@pytest.fixture
def stage(world: World, settings: Any) -> Stage:
    settings.MODEL_HOSTS = ["models.example"]
    return restored_stage(world.home, "home", colleague=world.vera)


@pytest.fixture
def clients(world: World) -> dict[str, Client]:
    return clients_of(world)


def succeeds(route: Route) -> str:
    """The first role of the entry that may."""
    return next(role for role, code in route.answers.items() if code < 400)


def prepare(clients: dict[str, Client], route: Route, stage: Stage) -> Client:
    client = clients[succeeds(route)]
    if route.first:
        prepare(clients, CHANGES[route.first], stage)
        call(client, CHANGES[route.first], stage)
    return client


def events() -> set[int]:
    return set(Event.objects.values_list("pk", flat=True))


def test_a_look_at_an_address_of_no_team_changes_nothing(clients: dict[str, Client]) -> None:
    before = everything()
    for name, open_address in OPEN.items():
        clients["viewer"].get(reverse(name, kwargs=open_address.kwargs))
        assert everything() == before, name


def test_what_only_changes_rejects_get(clients: dict[str, Client], stage: Stage) -> None:
    has_a_page = {route.name for route in PAGES.values()}
    for key, route in CHANGES.items():
        if route.name not in has_a_page:
            answer = call(clients["admin"], route, stage, method="GET")
            assert answer.status_code == 405, key


def test_a_page_alone_rejects_post(clients: dict[str, Client], stage: Stage) -> None:
    can_change = {route.name for route in CHANGES.values()}
    for key, route in PAGES.items():
        if route.name not in can_change:
            assert call(clients["admin"], route, stage, method="POST").status_code == 405, key


def test_a_change_needs_the_token_of_its_form(world: World, stage: Stage) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(world.alice)
    before = everything()
    for key, route in CHANGES.items():
        assert client.post(address(route, stage), route.data).status_code == 403, key
    assert everything() == before


def words_in(events: Iterable[Event]) -> list[str]:
    said = b"".join(bytes(event.canonical) for event in events).decode()
    return [words for words in TEXTS if words in said]


# To look at the whole log again takes as long as the change: in the gate after some, by turns.
@pytest.mark.parametrize("share", first_in_gate(1, [8, 1]))
def test_a_change_is_an_event_of_whoever_made_it_and_holds_no_text_of_anyone(
    world: World, clients: dict[str, Client], stage: Stage, share: int
) -> None:
    still = everything()
    assert words_in(Event.objects.all()) == []
    for turn, (key, route) in enumerate(POSSIBLE.items()):
        with undone():
            client, role = prepare(clients, route, stage), succeeds(route)
            rows, before = everything() if route.first else still, events()
            assert call(client, route, stage).status_code == route.answers[role], key
            assert (everything() == rows) is route.is_export, key
            made = Event.objects.exclude(pk__in=before)
            by = {(e.actor_kind, e.actor_id, e.actor_role) for e in made}
            assert by == {("person", str(world.people[role].pk), role)}, key
            chain = CHAINS.get(key, lambda: world.team)()
            assert {event.team_id for event in made} == {chain.pk}, key
            assert turn % share or verify(world.team.pk).ok, key
            assert words_in(made) == [], key


# Acts below the pages are tried without their events in test_audit_coverage, each of them.
@pytest.mark.parametrize("share", first_in_gate(1, [4, 1]))
def test_without_its_event_a_change_does_not_happen(
    clients: dict[str, Client], stage: Stage, share: int
) -> None:
    # The head counts the checkpoint that was signed for an export: that one stands, made or not.
    unseen = frozenset({"sessions.Session", "audit.ChainHead"})
    still = everything(but=unseen)
    for key, route in [*POSSIBLE.items()][::share]:
        with undone():
            client = prepare(clients, route, stage)
            before = everything(but=unseen) if route.first else still
            with refusing_events(), pytest.raises(DatabaseError):
                call(client, route, stage)
            assert everything(but=unseen) == before, key


def test_a_text_that_is_posted_to_be_shown_is_not_kept(
    clients: dict[str, Client], stage: Stage
) -> None:
    before = everything()
    for key, route in CHANGES.items():
        if route.is_look and min(route.answers.values()) < 400:
            call(clients[succeeds(route)], route, stage)
            assert everything() == before, key


def test_a_profile_changes_with_an_event_or_not_at_all(
    world: World, clients: dict[str, Client]
) -> None:
    said = {"name": "Bobby", "time_zone": "Europe/Lisbon"}
    with refusing_events(), pytest.raises(DatabaseError):
        clients["member"].post(reverse("profile"), said)
    world.bob.refresh_from_db()
    assert world.bob.name == "Bob"
    clients["member"].post(reverse("profile"), said)
    event = Event.objects.filter(team_id=world.team.pk).latest("seq")
    assert (event.action, event.actor_id) == ("profile.changed", str(world.bob.pk))
