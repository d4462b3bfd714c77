"""The demo goes with one button, and takes nothing else along."""

from uuid import UUID

import pytest
from django.apps import apps
from django.db import IntegrityError
from django.test import Client
from django.urls import reverse

from memoryweb.accounts.exceptions import NotDemo
from memoryweb.accounts.members import add_member
from memoryweb.accounts.models import Team, User
from memoryweb.accounts.permissions import Role
from memoryweb.accounts.teams import create_team, remove_demo, system_team
from memoryweb.audit.models import Event, Label
from memoryweb.audit.record import SYSTEM
from memoryweb.audit.verify import verify
from memoryweb.llm.models import Usage
from tests.accounts.refusal import refusing_events
from tests.walls.web_routes import AGENT
from tests.web.pages import text, url
from tests.web.stage import Stage
from tests.world import World

CHAIN = {"audit.ChainHead", "audit.Event", "audit.Label"}


@pytest.fixture
def demo(world: World) -> Team:
    world.team.is_demo = True
    world.team.save(update_fields=["is_demo"])
    return world.team


def rows_of(team_id: UUID) -> dict[str, int]:
    """Of every table that says whose a row is."""
    counts = {
        model._meta.label: model._base_manager.filter(team_id=team_id).count()
        for model in apps.get_models()
        if any(field.attname == "team_id" for field in model._meta.concrete_fields)
    }
    return {label: count for label, count in counts.items() if count}


def elsewhere(user: User) -> Team:
    team = create_team(name="Pier", by=SYSTEM)
    add_member(team=team, email=user.email, role=Role.VIEWER, by=SYSTEM)
    return team


def test_everything_of_it_goes_but_its_chain(stage: Stage, demo: Team) -> None:
    team_id, others = demo.pk, rows_of(stage.world.twin.team.pk)
    Usage.objects.create(team_id=team_id, day="2026-03-01", used_in=7)
    assert rows_of(team_id).keys() > {"memory.LineOrigin", "dreaming.Candidate", "llm.Usage"}
    remove_demo(team=demo, by=SYSTEM)
    assert rows_of(team_id).keys() == CHAIN
    assert not Team.objects.filter(pk=team_id).exists()
    assert rows_of(stage.world.twin.team.pk) == others


def test_its_chain_still_verifies_without_a_word(stage: Stage, demo: Team) -> None:
    team_id = demo.pk
    before = verify(team_id).events
    remove_demo(team=demo, by=SYSTEM)
    assert verify(team_id).ok
    assert verify(team_id).events == before
    assert not Label.objects.filter(team_id=team_id).exclude(text="").exists()


def test_who_is_in_no_other_team_goes_with_it(world: World, demo: Team) -> None:
    elsewhere(world.bob)
    remove_demo(team=demo, by=SYSTEM)
    left = User.objects.filter(pk__in=[user.pk for user in world.people.values()])
    assert set(left) == {world.bob, world.charlie}


def test_it_is_an_event_of_the_installation(world: World, demo: Team, alice: Client) -> None:
    team_id = str(demo.pk)
    alice.post(url(demo, "settings_demo_remove"))
    event = Event.objects.get(team_id=system_team().pk, action="team.removed")
    assert (event.target_id, event.actor_id) == (team_id, str(world.alice.pk))


def test_without_its_event_nothing_goes(world: World, demo: Team) -> None:
    before = rows_of(demo.pk)
    with refusing_events(), pytest.raises(IntegrityError):
        remove_demo(team=Team.objects.get(pk=demo.pk), by=SYSTEM)
    assert rows_of(demo.pk) == before


def test_no_other_team_can_be_removed(world: World) -> None:
    with pytest.raises(NotDemo, match="demo"):
        remove_demo(team=world.team, by=SYSTEM)
    assert Team.objects.filter(pk=world.team.pk).exists()


def test_the_page_says_who_goes_too(world: World, demo: Team, alice: Client) -> None:
    elsewhere(world.bob)
    assert "A made-up team" in text(alice.get(url(demo, "last_night")))
    page = text(alice.get(url(demo, "settings_demo_remove_confirm")))
    assert "Yours, too" in page
    assert world.vera.email in page
    assert world.bob.email not in page


def test_who_is_gone_is_signed_out_and_told(demo: Team, alice: Client) -> None:
    answer = alice.post(url(demo, "settings_demo_remove"), follow=True)
    assert answer.redirect_chain[-1][0] == reverse("account_login")
    assert "The demo team and everything in it was removed" in text(answer)


def test_who_has_another_team_goes_on_there(world: World, demo: Team, alice: Client) -> None:
    team = elsewhere(world.alice)
    answer = alice.post(url(demo, "settings_demo_remove"), follow=True)
    assert answer.redirect_chain[-1][0] == url(team, "last_night")
    assert "The demo team and everything in it was removed" in text(answer)


def test_a_team_that_is_no_demo_has_no_such_page(world: World, alice: Client) -> None:
    assert "A made-up team" not in text(alice.get(url(world.team, "settings")))
    assert alice.post(url(world.team, "settings_start_own")).status_code == 404
    assert alice.get(url(world.team, "settings_demo_remove_confirm")).status_code == 404
    assert alice.post(url(world.team, "settings_demo_remove")).status_code == 404


def test_members_do_not_see_the_button(demo: Team, bob: Client) -> None:
    page = text(bob.get(url(demo, "settings")))
    assert "A made-up team" in page
    assert url(demo, "settings_demo_remove_confirm") not in page
    assert bob.post(url(demo, "settings_start_own")).status_code == 403


def test_a_team_of_one_s_own_begins_with_an_agent(world: World, demo: Team, alice: Client) -> None:
    """Once: who has one is led there, and outlives the demo."""
    answer = alice.post(url(demo, "settings_start_own"))
    own = Team.objects.get(memberships__user=world.alice, is_demo=False)
    assert answer["Location"] == url(own, "agents_new")
    assert alice.post(url(demo, "settings_start_own"))["Location"] == url(own, "agents_new")
    remove_demo(team=demo, by=SYSTEM)
    made = alice.post(url(own, "agents_new"), AGENT | {"name": "Nova"}, follow=True)
    assert "Say something to Nova" in text(made)
