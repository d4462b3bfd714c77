"""What a program may, and reading across owners for a reason that every owner sees."""

from typing import Any

from django.test import Client

from memoryweb.accounts.integrations import grant
from memoryweb.accounts.models import Integration
from memoryweb.accounts.permissions import Scope
from memoryweb.accounts.tokens import recognise
from memoryweb.audit.record import SYSTEM
from memoryweb.memory.agents import archive_agent
from memoryweb.memory.models.writer import write_transaction
from tests.web.pages import actions, text, url
from tests.web.stage import Stage
from tests.world import World, integration_token

REASON = "Answers a complaint with all that was said."
FORM: dict[str, Any] = {
    "name": "frontdesk",
    "channels": "slack, feishu",
    "reach": "every",
    "scopes": ["memory:read", "audit:read"],
}


def test_changing_what_it_may(world: World, alice: Client) -> None:
    alice.post(_edit(world), FORM)
    changed = _now(world)
    assert changed.name == "frontdesk"
    assert changed.channels == ["feishu", "slack"]
    assert changed.scopes == ["audit:read", "memory:read"]
    assert actions(world.team)[-1] == "integration.changed"


def test_what_is_set_stands_in_the_form(world: World, alice: Client) -> None:
    page = text(alice.get(_edit(world)))
    assert 'value="helpdesk"' in page
    assert 'value="slack"' in page
    assert page.count("checked") == 1 + len(_now(world).scopes)


def test_a_choice_of_agents_is_kept(world: World, alice: Client) -> None:
    agents = [str(world.agent.pk)]
    alice.post(_edit(world), FORM | {"reach": "some", "agents": agents})
    assert _now(world).agents == agents
    assert "Beacon" not in _row(text(alice.get(url(world.team, "settings_tokens"))))


def test_no_agent_chosen_is_not_every_agent(world: World, alice: Client) -> None:
    assert alice.post(_edit(world), FORM | {"reach": "some"}).status_code == 422
    assert actions(world.team)[-1] != "integration.changed"


def test_one_that_was_given_an_archived_agent_alone_keeps_to_it(
    world: World, alice: Client
) -> None:
    given = FORM | {"reach": "some", "agents": [str(world.agent.pk)]}
    alice.post(_edit(world), given)
    with write_transaction(world.team) as tx:
        archive_agent(tx, world.agent)
    assert "Atlas (archived)" in text(alice.get(_edit(world)))
    alice.post(_edit(world), given | {"name": "again"})
    assert _now(world).agents == [str(world.agent.pk)]


def test_a_taken_name_is_422(world: World, alice: Client) -> None:
    alice.post(url(world.team, "settings_integration_new"), FORM)
    answer = alice.post(_edit(world), FORM)
    assert answer.status_code == 422
    assert "is taken" in text(answer)


def test_a_revoked_one_cannot_be_changed(world: World, alice: Client) -> None:
    alice.post(url(world.team, "settings_integration_revoke", world.integration.pk))
    assert alice.get(_edit(world)).status_code == 404
    assert alice.post(_edit(world), FORM).status_code == 404
    assert _edit(world) not in text(alice.get(url(world.team, "settings_tokens")))


def test_reading_across_owners_is_granted_with_a_reason(world: World, alice: Client) -> None:
    assert alice.post(_grant(world), {"reason": "so"}).status_code == 422
    alice.post(_grant(world), {"reason": REASON})
    assert _now(world).personal_read_reason == REASON
    assert Scope.PERSONAL_READ in _now(world).scopes
    assert REASON in text(alice.get(_edit(world)))


def test_every_owner_sees_who_may_read_and_why(
    stage: Stage, alice: Client, bob: Client, vera: Client
) -> None:
    world = stage.world
    alice.post(_grant(world), {"reason": REASON})
    for page in (
        text(bob.get(url(world.team, "mine"))),
        text(vera.get(url(world.team, "mine"))),
        text(alice.get(url(world.team, "owners_detail", world.customer.pk))),
    ):
        assert "helpdesk" in page
        assert REASON in page


def test_they_see_how_often_it_read(stage: Stage, bob: Client, client: Client) -> None:
    world = stage.world
    grant(scope=Scope.PERSONAL_READ, integration=world.integration, reason=REASON, by=SYSTEM)
    bearer = f"Bearer {integration_token(_now(world))}"
    answer = client.get(
        f"/api/v1/agents/{world.agent.pk}/workspace/files?owner={world.bobs_memory.pk}",
        headers={"Authorization": bearer},
    )
    assert answer.status_code == 200
    assert "1 read" in text(bob.get(url(world.team, "mine")))


def test_withdrawing_takes_it_off_their_pages(world: World, alice: Client, bob: Client) -> None:
    alice.post(_grant(world), {"reason": REASON})
    alice.post(url(world.team, "settings_integration_withdraw", world.integration.pk))
    assert Scope.PERSONAL_READ not in _now(world).scopes
    assert "helpdesk" not in text(bob.get(url(world.team, "mine")))


def test_withdrawing_what_was_not_granted_is_no_event(world: World, alice: Client) -> None:
    alice.post(url(world.team, "settings_integration_withdraw", world.integration.pk))
    assert "integration.changed" not in actions(world.team)


def test_a_token_of_it_can_be_given_the_grant(world: World, alice: Client) -> None:
    tokens = url(world.team, "settings_tokens", query=f"?holder={world.integration.pk}")
    assert "(only helpdesk)" not in text(alice.get(tokens))
    alice.post(_grant(world), {"reason": REASON})
    assert "memory (only helpdesk)" in text(alice.get(tokens))
    data = {
        "name": "desk",
        "holder": str(world.integration.pk),
        "days": 9,
        "scopes": ["memory:read", "personal:read"],
    }
    page = text(alice.post(url(world.team, "settings_token_new"), data))
    token = recognise("mwp_" + page.split("<code>mwp_")[1].split("<")[0])
    assert token is not None
    assert "personal:read" in token.scopes


def test_nobody_gives_themselves_the_grant(world: World, alice: Client) -> None:
    alice.post(_grant(world), {"reason": REASON})
    data = {"name": "me", "holder": "me", "days": 9, "scopes": ["personal:read"]}
    assert alice.post(url(world.team, "settings_token_new"), data).status_code == 422


def test_members_change_nothing(world: World, bob: Client, audrey: Client) -> None:
    for client in (bob, audrey):
        assert client.get(_edit(world)).status_code == 403
        assert client.post(_grant(world), {"reason": REASON}).status_code == 403


def test_writing_shared_files_is_granted_with_a_reason_that_is_shown(
    world: World, alice: Client
) -> None:
    grant_it = url(world.team, "settings_integration_sharing_grant", world.integration.pk)
    assert alice.post(grant_it, {"reason": "so"}).status_code == 422
    alice.post(grant_it, {"reason": REASON})
    assert Scope.SHARED_WRITE in _now(world).scopes
    assert REASON in text(alice.get(_edit(world)))
    assert REASON in text(alice.get(url(world.team, "settings_tokens")))
    tokens = url(world.team, "settings_tokens", query=f"?holder={world.integration.pk}")
    assert "Write shared prompt files (only helpdesk)" in text(alice.get(tokens))
    alice.post(url(world.team, "settings_integration_sharing_withdraw", world.integration.pk))
    assert Scope.SHARED_WRITE not in _now(world).scopes
    assert REASON not in text(alice.get(_edit(world)))


def _edit(world: World) -> str:
    return url(world.team, "settings_integration_edit", world.integration.pk)


def _grant(world: World) -> str:
    return url(world.team, "settings_integration_grant", world.integration.pk)


def _now(world: World) -> Integration:
    return Integration.objects.get(pk=world.integration.pk)


def _row(page: str) -> str:
    return page.split("<tbody>")[1].split("</tbody>")[0]
