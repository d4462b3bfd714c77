"""My memory for everybody; other owners as counts, and break-glass with a reason."""

from django.test import Client

from memoryweb.agents.break_glass import open_glass
from memoryweb.agents.models import BreakGlass, Owner
from memoryweb.audit.record import SYSTEM
from tests.web.pages import actions, fragment, text, url
from tests.web.stage import CUSTOMERS, NOTE, Stage
from tests.world import World

REASON = "The customer asked us to find a lost order."


def test_my_memory_counts_what_is_kept(stage: Stage, bob: Client) -> None:
    page = text(bob.get(url(stage.world.team, "mine")))
    assert url(stage.world.team, "agents_files", stage.world.agent.pk) + "?owner=me" in page


def test_my_memory_says_when_there_is_none(world: World, vera: Client) -> None:
    assert "Nothing is kept about you" in text(vera.get(url(world.team, "mine")))


def test_pausing_and_resuming(world: World, vera: Client) -> None:
    vera.post(url(world.team, "mine_pause"))
    assert Owner.objects.get(person=world.vera).paused
    vera.post(url(world.team, "mine_resume"))
    assert not Owner.objects.get(person=world.vera).paused
    assert actions(world.team)[-2:] == ["owner.paused", "owner.resumed"]


def test_pausing_by_htmx_answers_the_fragment_and_its_message(world: World, vera: Client) -> None:
    page = text(fragment(vera, url(world.team, "mine_pause"), "pause", {}))
    assert "Memory is paused" in page
    assert 'hx-swap-oob="true"' in page
    assert "<html" not in page


def test_the_person_sees_who_looked_and_why(stage: Stage, alice: Client, bob: Client) -> None:
    open_glass(owner=stage.world.bobs_memory, user=stage.world.alice, reason=REASON, by=SYSTEM)
    query = f"?owner={stage.world.bobs_memory.pk}"
    alice.get(url(stage.world.team, "agents_file", stage.world.agent.pk, NOTE, query=query))
    page = text(bob.get(url(stage.world.team, "mine")))
    assert REASON in page
    assert "Alice" in page
    assert "1 page read" in page


def test_owners_are_counts_without_text(stage: Stage, audrey: Client) -> None:
    page = text(audrey.get(url(stage.world.team, "owners")))
    assert "api:helpdesk/customer-1" in page
    assert CUSTOMERS not in page


def test_opening_needs_a_reason(stage: Stage, audrey: Client) -> None:
    address = url(stage.world.team, "owners_open", stage.world.customer.pk)
    assert audrey.post(address, {"reason": " "}).status_code == 422
    assert not BreakGlass.objects.exists()


def test_opening_lasts_sixty_minutes_and_is_an_event(stage: Stage, audrey: Client) -> None:
    address = url(stage.world.team, "owners_open", stage.world.customer.pk)
    audrey.post(address, {"reason": REASON})
    grant = BreakGlass.objects.get()
    assert (grant.expires_at - grant.created_at).total_seconds() == 3600
    assert "breakglass.opened" in actions(stage.world.team)
    query = f"?owner={stage.world.customer.pk}"
    file = url(stage.world.team, "agents_file", stage.world.agent.pk, NOTE, query=query)
    assert CUSTOMERS in text(audrey.get(file))


def test_a_grant_reads_but_does_not_write(stage: Stage, alice: Client) -> None:
    open_glass(owner=stage.world.customer, user=stage.world.alice, reason=REASON, by=SYSTEM)
    query = f"?owner={stage.world.customer.pk}"
    edit = url(stage.world.team, "agents_edit", stage.world.agent.pk, NOTE, query=query)
    assert alice.get(edit).status_code == 403


def test_nobody_opens_their_own_memory(stage: Stage, alice: Client) -> None:
    owner = Owner.objects.create(
        team=stage.world.team, source="user", external_id="x", person=stage.world.alice
    )
    address = url(stage.world.team, "owners_open", owner.pk)
    assert alice.post(address, {"reason": REASON}).status_code == 403
