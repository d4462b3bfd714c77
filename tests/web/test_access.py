"""The walls around every page: anonymous, stranger, each role; foreign id = random id."""

import uuid
from typing import Any

import pytest
from django.apps import apps
from django.db import transaction
from django.test import Client
from django.urls import reverse

from memoryweb.web.urls import team_patterns
from tests.web.pages import actions, text, url
from tests.web.routes import ROUTES, Route
from tests.web.stage import CUSTOMERS, NOTE, PERSONAL, Stage
from tests.world import signed_in

MEMBERS = ("admin", "member", "viewer", "auditor")
# Without fields they change nothing; their own tests send some.
_NEED_A_FORM = {
    "agents_delete",
    "mine_resume",
    "owners_open",
    "settings_member_add",
    "settings_member_change",
    "settings_token_new",
}


def test_every_route_has_an_entry() -> None:
    names = {pattern.name for pattern in _flat(team_patterns)}
    assert names == {route.name for route in ROUTES}


def test_anonymous_is_asked_to_sign_in(stage: Stage) -> None:
    sign_in = reverse("account_login")
    answers = {route.name: _send(Client(), stage, route) for route in ROUTES}
    let_in = [
        name
        for name, answer in answers.items()
        if answer.status_code != 302 or not answer["Location"].startswith(sign_in)
    ]
    assert let_in == []


def test_stranger_gets_404(stage: Stage) -> None:
    client = signed_in(stage.world.charlie)
    let_in = [r.name for r in ROUTES if _send(client, stage, r).status_code != 404]
    assert let_in == []


@pytest.mark.parametrize("role", MEMBERS)
def test_the_table_of_roles_holds(stage: Stage, role: str) -> None:
    client = signed_in(stage.world.people[role])
    wrong = []
    for route in ROUTES:
        with transaction.atomic():
            status = _send(client, stage, route).status_code
            transaction.set_rollback(True)
        # Whose token it is, is nobody else's business: not theirs is not there.
        refused = {403, 404} if route.name == "settings_token_revoke" else {403}
        if (status in refused) is (role in route.who) or status >= 500:
            wrong.append((route.name, status))
    assert wrong == []


def test_mutations_reject_get(stage: Stage, alice: Client) -> None:
    team = stage.world.team
    posts = [route for route in ROUTES if route.post]
    answers = {r.name: alice.get(url(team, r.name, *r.args(stage))).status_code for r in posts}
    assert set(answers.values()) == {405}


def test_every_mutation_leaves_an_event(stage: Stage, alice: Client) -> None:
    silent = []
    for route in ROUTES:
        if not route.post or route.name in _NEED_A_FORM:
            continue
        before = len(actions(stage.world.team))
        with transaction.atomic():
            answer = _send(alice, stage, route)
            events = len(actions(stage.world.team))
            transaction.set_rollback(True)
        if events == before:
            silent.append((route.name, answer.status_code))
    assert silent == []


def test_foreign_id_is_a_random_id_byte_for_byte(stage: Stage, alice: Client) -> None:
    told_apart = []
    for route in ROUTES:
        if route.foreign is None:
            continue
        foreign, ours = route.foreign(stage), route.args(stage)
        random = [_random(a) if a != b else a for a, b in zip(foreign, ours, strict=True)]
        answers = [_at(alice, stage, route, args) for args in (foreign, random)]
        if [a.status_code for a in answers] != [404, 404]:
            told_apart.append((route.name, answers[0].status_code))
        elif answers[0].content != answers[1].content:
            told_apart.append((route.name, 404))
    assert told_apart == []


def test_a_foreign_team_is_an_unknown_team(stage: Stage, alice: Client) -> None:
    theirs = alice.get(url(stage.world.twin.team, "tonight"))
    unknown = alice.get(reverse("web:tonight", args=["no-such-team"]))
    assert theirs.status_code == unknown.status_code == 404
    assert theirs.content == unknown.content


def test_a_membership_that_has_ended_opens_nothing(stage: Stage, bob: Client) -> None:
    stage.world.team.memberships.filter(user=stage.world.bob).update(ends_at="2020-01-01T00:00Z")
    assert bob.get(url(stage.world.team, "tonight")).status_code == 404


def test_a_refusal_leaves_an_event(stage: Stage, vera: Client) -> None:
    vera.get(url(stage.world.team, "audit"))
    assert actions(stage.world.team)[-1] == "access.denied"


@pytest.mark.parametrize("who", ["admin", "member", "viewer"])
def test_no_page_shows_another_owners_text(stage: Stage, who: str) -> None:
    client = signed_in(stage.world.people[who])
    for address in _addresses(stage):
        page = text(client.get(address))
        assert CUSTOMERS not in page, address
        if who != "member":
            assert PERSONAL not in page, address


def test_a_get_changes_nothing(stage: Stage) -> None:
    """But audit rows: a refusal, and reading under a grant."""
    client = signed_in(stage.world.alice)
    before = _rows()
    for address in _addresses(stage):
        client.get(address)
    assert _rows() == before


def _flat(patterns: Any) -> list[Any]:
    found: list[Any] = []
    for pattern in patterns:
        found += _flat(pattern.url_patterns) if hasattr(pattern, "url_patterns") else [pattern]
    return found


def _send(client: Client, stage: Stage, route: Route) -> Any:
    return _at(client, stage, route, route.args(stage))


def _at(client: Client, stage: Stage, route: Route, args: list[Any]) -> Any:
    address = url(stage.world.team, route.name, *args)
    return client.post(address) if route.post else client.get(address)


def _random(value: Any) -> Any:
    return uuid.uuid4() if isinstance(value, uuid.UUID) else 10**9


def _addresses(stage: Stage) -> list[str]:
    """Every GET page, of the shared memory and of each owner, and every run and conversation."""
    team, world = stage.world.team, stage.world
    found = [url(team, route.name, *route.args(stage)) for route in ROUTES if not route.post]
    owners = [f"?owner={owner.pk}" for owner in (world.bobs_memory, world.customer)]
    for query in ("?owner=me", *owners):
        found += [
            url(team, name, world.agent.pk, path, query=query)
            for path in ("MEMORY.md", "DREAMS.md", NOTE)
            for name in ("agents_file", "agents_revisions", "agents_compare", "agents_edit")
        ]
        found.append(url(team, "agents_files", world.agent.pk, query=query))
        found.append(url(team, "agents_why", world.agent.pk, NOTE, 3, query=query))
    for run in (stage.bobs_run, stage.customers_run):
        found.append(url(team, "agents_run", run.pk))
    for talk in (stage.bobs_talk, stage.customers_talk):
        found.append(url(team, "agents_conversation", world.agent.pk, talk.pk))
    found.append(url(team, "review_detail", stage.bobs_proposal.pk))
    return found


def _rows() -> dict[str, int]:
    kept = {"audit", "sessions"}
    models = [model for model in apps.get_models() if model._meta.app_label not in kept]
    return {model.__name__: model._default_manager.count() for model in models}
