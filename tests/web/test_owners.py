"""My memory for everybody; other owners as counts, and break-glass with a reason."""

import io
import json
import re
import zipfile

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from memoryweb.agents.break_glass import open_glass
from memoryweb.agents.models import BreakGlass, Owner
from memoryweb.agents.owners import api_owner, channel_owner, room_owner
from memoryweb.audit.models import Event
from memoryweb.audit.record import SYSTEM
from tests.web.pages import actions, fragment, text, url
from tests.web.stage import CUSTOMERS, NOTE, Stage
from tests.world import World

REASON = "The customer asked us to find a lost order."


def test_my_memory_counts_what_is_kept(stage: Stage, bob: Client) -> None:
    page = text(bob.get(url(stage.world.team, "mine")))
    assert url(stage.world.team, "agents_files", stage.world.agent.pk) + "?owner=me" in page


def test_my_memory_says_when_there_is_none(world: World, vera: Client) -> None:
    assert "Nothing is learned about you yet" in text(vera.get(url(world.team, "mine")))


def test_pausing_and_resuming(world: World, vera: Client) -> None:
    vera.post(url(world.team, "mine_pause"))
    assert Owner.objects.get(person=world.vera).paused
    vera.post(url(world.team, "mine_resume"))
    assert not Owner.objects.get(person=world.vera).paused
    assert actions(world.team)[-2:] == ["owner.paused", "owner.resumed"]


@pytest.mark.parametrize(("what", "left"), [("keeping", "using"), ("using", "keeping")])
def test_keeping_and_using_are_paused_apart(
    world: World, vera: Client, what: str, left: str
) -> None:
    page = text(fragment(vera, url(world.team, "mine_pause"), "pause", {"what": what}))
    assert re.findall(r'value="(\w+)" role="switch" aria-checked="false"', page) == [what]
    mine = Owner.objects.get(person=world.vera)
    assert (getattr(mine, what), getattr(mine, left), mine.paused) == (False, True, False)
    event = Event.objects.filter(team_id=world.team.pk, action="owner.paused").latest("seq")
    assert json.loads(event.details) == {what: False, left: True}
    vera.post(url(world.team, "mine_resume"), {"what": what})
    mine.refresh_from_db()
    assert mine.keeping
    assert mine.using


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
    assert ">customer-1</a>" in page
    assert "helpdesk" in page
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


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("", {"Bob", "customer-1", "slack:U1", "slack:room:C1", "system"}),
        ("?q=helpdesk", {"customer-1"}),
        ("?q=api:helpdesk/customer", {"customer-1"}),
        ("?q=SLACK:", {"slack:U1", "slack:room:C1"}),
        ("?q=slack:room:", {"slack:room:C1"}),
        ("?q=bob", {"Bob"}),
        ("?q=system", {"system"}),
        ("?source=slack", {"slack:U1"}),
        ("?state=linked", {"slack:U1"}),
        ("?state=paused", {"customer-1"}),
        ("?source=nonsense&q=%00", {"Bob", "slack:U1"}),
        ("?q=nobody", set()),
    ],
)
def test_owners_are_found_by_their_shown_form(
    stage: Stage, audrey: Client, query: str, found: set[str]
) -> None:
    world = stage.world
    room_owner(world.team, "slack", "C1")
    Owner.objects.filter(pk=world.sender.pk).update(person=world.vera)
    Owner.objects.filter(pk=world.customer.pk).update(keeping=False, using=False)
    page = text(audrey.get(url(world.team, "owners", query=query)))
    rows = set(page.split("<tbody>")[-1].split("</tbody>")[0].split('class="path"')[1:])
    shown = {row.split(">", 1)[1].split("</a>")[0] for row in rows}
    everybody = {"Bob", "customer-1", "slack:U1", "slack:room:C1", "system"}
    assert shown & everybody >= found
    if "nonsense" not in query:
        assert shown & everybody == found


def test_another_teams_owners_are_not_found(stage: Stage, audrey: Client) -> None:
    channel_owner(stage.world.twin.team, "feishu", "secret-twin")
    page = text(audrey.get(url(stage.world.team, "owners", query="?q=secret-twin")))
    assert "No matches" in page


def test_the_list_counts_conversations_and_says_who_is_linked(stage: Stage, audrey: Client) -> None:
    Owner.objects.filter(pk=stage.world.customer.pk).update(person=stage.world.vera)
    page = text(audrey.get(url(stage.world.team, "owners", query="?q=customer-1")))
    assert 'data-th="Conversations">1<' in page
    assert "linked to Vera" in page


def test_more_owners_take_no_more_queries(stage: Stage, audrey: Client) -> None:
    address = url(stage.world.team, "owners")
    audrey.get(address)
    with CaptureQueriesContext(connection) as few:
        audrey.get(address)
    for number in range(60):
        api_owner(stage.world.team, stage.world.integration, f"c{number}")
    with CaptureQueriesContext(connection) as many:
        page = text(audrey.get(address))
    assert len(many) == len(few)
    assert "Next" in page


def test_an_owners_page_shows_outcomes_and_never_text(stage: Stage, audrey: Client) -> None:
    world = stage.world
    page = text(audrey.get(url(world.team, "owners_detail", world.customer.pk)))
    assert url(world.team, "agents_run", stage.customers_run.pk) in page
    assert "Not linked" in page
    assert CUSTOMERS not in page
    assert "Export for this person" not in page


def test_an_admin_exports_only_what_is_open_to_them(stage: Stage, alice: Client) -> None:
    world = stage.world
    address = url(world.team, "owners_export", world.customer.pk)
    assert alice.post(address).status_code == 403
    grant = open_glass(owner=world.customer, user=world.alice, reason=REASON, by=SYSTEM)
    answer = alice.post(address)
    archive = zipfile.ZipFile(io.BytesIO(b"".join(answer.streaming_content)))  # type: ignore[attr-defined]
    whole = b"".join(archive.read(name) for name in archive.namelist()).decode()
    assert CUSTOMERS in whole
    assert "walnuts" not in whole
    event = Event.objects.filter(team_id=world.team.pk).latest("seq")
    assert (event.action, event.on_behalf_of) == ("personal.exported", world.customer.pk)
    assert str(grant.pk) in event.details


def test_the_owner_is_told_of_that_export(stage: Stage, alice: Client, bob: Client) -> None:
    world = stage.world
    open_glass(owner=world.bobs_memory, user=world.alice, reason=REASON, by=SYSTEM)
    alice.post(url(world.team, "owners_export", world.bobs_memory.pk))
    page = text(bob.get(url(world.team, "mine")))
    assert "Exported this memory." in page
    assert "Alice" in page


@pytest.mark.parametrize("role", ["audrey", "bob", "vera"])
def test_nobody_but_an_admin_exports_for_another(
    stage: Stage, role: str, request: pytest.FixtureRequest
) -> None:
    world = stage.world
    user = getattr(world, role)
    open_glass(owner=world.customer, user=user, reason=REASON, by=SYSTEM)
    client: Client = request.getfixturevalue(role)
    assert client.post(url(world.team, "owners_export", world.customer.pk)).status_code == 403
