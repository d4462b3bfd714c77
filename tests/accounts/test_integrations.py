import uuid
from typing import Any

import pytest
from django.db import IntegrityError

from memoryweb.accounts import integrations, tokens
from memoryweb.accounts.exceptions import (
    AgentRefused,
    ChannelRefused,
    NameRefused,
    NameTaken,
    NotFound,
    ReasonMissing,
    Revoked,
    ScopeMissing,
    ScopeRefused,
)
from memoryweb.accounts.models import Integration
from memoryweb.accounts.permissions import Scope
from memoryweb.audit.models import Event
from memoryweb.audit.record import SYSTEM
from tests.accounts.refusal import refusing_events
from tests.world import World, integration_token

READ = [Scope.MEMORY_READ.value]


def _create(world: World, **settings: Any) -> Integration:
    return integrations.create_integration(
        **{"team": world.team, "by": SYSTEM, "name": "Support desk", **settings}
    )


def _change(integration: Integration, **settings: Any) -> Integration:
    as_it_is = {name: getattr(integration, name) for name in ("name", "channels", "agents")}
    return integrations.change_integration(
        **{"integration": integration, "by": SYSTEM, **as_it_is, "scopes": READ, **settings}
    )


def test_an_integration_may_nothing_that_was_not_given(world: World) -> None:
    created = _create(world)
    assert created.channels == []
    assert Scope.PERSONAL_READ not in created.scopes


def test_a_name_is_used_once_in_a_team(world: World) -> None:
    with pytest.raises(NameTaken):
        _create(world, name="helpdesk")


@pytest.mark.parametrize("name", ["", "a/b", "a:b", "x" * 65, "a\u0007"])
def test_a_name_that_would_confuse_owners_is_refused(world: World, name: str) -> None:
    with pytest.raises(NameRefused):
        _create(world, name=name)


@pytest.mark.parametrize(
    "channel", ["", "Slack", "1x", "a b", "a:b", "x" * 33, "user", "api", "system", "größe"]
)
def test_what_is_no_channel_is_refused(world: World, channel: str) -> None:
    with pytest.raises(ChannelRefused):
        _create(world, channels=[channel])


def test_channels_are_kept_once_and_in_order(world: World) -> None:
    assert _create(world, channels=["slack", "feishu-2", "slack"]).channels == ["feishu-2", "slack"]


def test_agents_are_those_of_the_team(world: World) -> None:
    assert _create(world, agents=[str(world.agent.pk)]).agents == [str(world.agent.pk)]


def test_the_agent_of_another_team_is_refused_like_one_that_does_not_exist(world: World) -> None:
    for stranger in (str(world.twin.agent.pk), str(uuid.uuid4()), "rubbish"):
        with pytest.raises(AgentRefused):
            _create(world, agents=[stranger])


@pytest.mark.parametrize(
    "scopes", [["memory:eat"], [Scope.PERSONAL_READ.value], [Scope.SHARED_WRITE.value]]
)
def test_a_scope_that_cannot_be_given_so_is_refused(world: World, scopes: list[str]) -> None:
    with pytest.raises(ScopeRefused):
        _create(world, scopes=scopes)


def test_an_integration_needs_a_scope(world: World) -> None:
    with pytest.raises(ScopeMissing):
        _create(world, scopes=[])


def test_reading_across_owners_needs_a_reason(world: World) -> None:
    with pytest.raises(ReasonMissing):
        integrations.grant(
            scope=Scope.PERSONAL_READ, integration=world.integration, reason=" ", by=SYSTEM
        )


def test_reading_across_owners_outlives_other_changes_until_withdrawn(world: World) -> None:
    granted = integrations.grant(
        scope=Scope.PERSONAL_READ, integration=world.integration, reason="Yearly review", by=SYSTEM
    )
    assert Scope.PERSONAL_READ in _change(granted).scopes
    withdrawn = integrations.withdraw(scope=Scope.PERSONAL_READ, integration=granted, by=SYSTEM)
    assert Scope.PERSONAL_READ not in withdrawn.scopes
    assert withdrawn.personal_read_reason == ""


def test_one_grant_says_nothing_of_the_other(world: World) -> None:
    granted = integrations.grant(
        scope=Scope.SHARED_WRITE, integration=world.integration, reason="Opening hours", by=SYSTEM
    )
    assert Scope.PERSONAL_READ not in _change(granted).scopes
    assert (granted.shared_write_reason, granted.personal_read_reason) == ("Opening hours", "")


def test_a_change_keeps_the_name_it_has(world: World) -> None:
    assert _change(world.integration, channels=["feishu"]).channels == ["feishu"]


def test_a_change_to_a_name_in_use_is_refused(world: World) -> None:
    with pytest.raises(NameTaken):
        _change(_create(world), name="helpdesk")


def test_revoking_ends_every_token_of_it(world: World) -> None:
    secret = integration_token(world.integration)
    integrations.revoke_integration(integration=world.integration, by=SYSTEM)
    assert tokens.recognise(secret) is None


def test_what_is_revoked_stays_so(world: World) -> None:
    integrations.revoke_integration(integration=world.integration, by=SYSTEM)
    with pytest.raises(Revoked):
        integrations.revoke_integration(integration=world.integration, by=SYSTEM)
    with pytest.raises(Revoked):
        _change(world.integration)


def test_each_act_is_an_event(world: World) -> None:
    created = _create(world)
    _change(created)
    integrations.revoke_integration(integration=created, by=SYSTEM)
    events = Event.objects.filter(target_id=str(created.pk)).order_by("seq")
    assert [event.action for event in events] == [
        "integration.created",
        "integration.changed",
        "integration.revoked",
    ]


def test_no_event_no_integration(world: World) -> None:
    with refusing_events(), pytest.raises(IntegrityError):
        _create(world)
    assert not Integration.objects.filter(name="Support desk").exists()


def test_no_event_no_change(world: World) -> None:
    with refusing_events(), pytest.raises(IntegrityError):
        _change(world.integration, channels=["feishu"])
    assert Integration.objects.get(pk=world.integration.pk).channels == ["slack"]


def test_no_event_no_revocation(world: World) -> None:
    with refusing_events(), pytest.raises(IntegrityError):
        integrations.revoke_integration(integration=world.integration, by=SYSTEM)
    assert Integration.objects.get(pk=world.integration.pk).revoked_at is None


def test_an_integration_is_found_by_name_or_id_in_its_team(world: World) -> None:
    assert integrations.find(world.team, "helpdesk") == world.integration
    assert integrations.find(world.team, str(world.integration.pk)) == world.integration
    with pytest.raises(NotFound):
        integrations.find(world.twin.team, str(world.integration.pk))


def test_the_audit_log_is_given_only_on_purpose(world: World) -> None:
    assert "audit:read" not in _create(world, name="shop").scopes
    given = _create(world, name="archive", scopes=["audit:read"])
    assert given.scopes == ["audit:read"]
