"""Every row belongs to a team, and outside that team's scope a query raises."""

import pytest
from django.db import models
from django_scopes import scope
from django_scopes.exceptions import ScopeError

from memoryweb.agents.models import Agent
from memoryweb.core.tables import TeamManager
from tests.walls.models import BEFORE_SCOPE, BY_VALUE, OURS, SCOPED, WITHOUT_TEAM, columns
from tests.world import World


def _label(model: type[models.Model]) -> str:
    return model._meta.label


@pytest.mark.parametrize("model", OURS, ids=_label)
def test_every_row_belongs_to_a_team(model: type[models.Model]) -> None:
    assert ("team_id" in columns(model)) != (_label(model) in WITHOUT_TEAM)


@pytest.mark.parametrize("model", SCOPED, ids=_label)
def test_it_is_guarded_by_the_team_manager(model: type[models.Model]) -> None:
    assert isinstance(model._default_manager, TeamManager)


@pytest.mark.parametrize("model", SCOPED, ids=_label)
def test_it_cannot_be_read_outside_a_scope(model: type[models.Model]) -> None:
    with scope(), pytest.raises(ScopeError):
        model._default_manager.count()


def test_the_exceptions_are_models_that_exist() -> None:
    assert {_label(model) for model in OURS} >= WITHOUT_TEAM | BEFORE_SCOPE | BY_VALUE


def test_a_scope_shows_its_own_team_alone(world: World) -> None:
    with scope(team=world.team):
        assert {agent.team_id for agent in Agent.objects.all()} == {world.team.pk}


def test_a_scope_hides_what_is_asked_for_by_id(world: World) -> None:
    with scope(team=world.team):
        assert not Agent.objects.filter(pk=world.twin.agent.pk).exists()
