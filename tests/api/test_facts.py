"""Statements through the API: read by who may, changed by people."""

from django_scopes import scope

from memoryweb.facts.models import Fact, Vote
from memoryweb.memory.messages import NewMessage, add_messages
from memoryweb.memory.transaction import write_transaction
from memoryweb.memory.write import NewLine, Place, Writer, append
from memoryweb.provenance.origins import Origin, Source
from memoryweb.workspace.models import AuthorKind
from tests.api.callers import Callers
from tests.facts.making import made
from tests.world import World

SAID = "We moved to Leeds."


def held(world: World, text: str = SAID) -> Fact:
    """A statement of the customer's, with the message it stands on."""
    with write_transaction(world.team) as work:
        talk = add_messages(
            work,
            agent=world.agent,
            owner=world.customer,
            conversation_id="c-1",
            messages=[NewMessage("user", text, "m1", name="Inês")],
        ).conversation
        origin = Origin((Source(message_id=talk.messages.get().pk),))
        place = Place(world.agent, world.customer, "MEMORY.md")
        append(work, place, [NewLine(f"- {text}", origin)], writer=Writer(AuthorKind.DREAM))
    with scope(team=world.team):
        return world.agent.facts.get(owner=world.customer)


def test_a_fact_tells_its_fields_its_evidence_and_its_trust(
    world: World, callers: Callers, memory: str
) -> None:
    fact = held(world)
    found = callers.helpdesk.get(f"{memory}/facts/{fact.pk}?owner=api:customer-1").json()
    told = ("text", "state", "scope", "owner", "filename", "lineNumber", "trust", "band")
    assert [found[name] for name in told] == [
        *(SAID, "active", "PERSONAL", "api:helpdesk/customer-1"),
        *("MEMORY.md", 1, 0.5, "medium"),
    ]
    [ground] = found["evidence"]
    assert (ground["text"], ground["name"], ground["messageId"]) == (SAID, "Inês", "m1")
    assert [one["id"] for one in found["history"]] == [str(fact.pk)]


def test_personal_facts_are_listed_for_their_owner_alone(
    world: World, callers: Callers, memory: str
) -> None:
    held(world)
    mine = made(world, "Bob likes tea.", owner=world.bobs_memory)
    for caller, expected in (
        (callers.member, {str(mine.pk)}),
        (callers.admin, set()),
        (callers.auditor, set()),
    ):
        assert {one["id"] for one in caller.get(f"{memory}/facts").json()["items"]} == expected
    assert callers.admin.get(f"{memory}/facts/{mine.pk}").status_code == 404
    assert callers.helpdesk.get(f"{memory}/facts").json()["code"] == "owner_required"


def test_facts_are_filtered_and_paged(world: World, callers: Callers, memory: str) -> None:
    tea = made(world, "Tea is served at five.", kind="event", subject="tea")
    made(world, "Coffee is served at six.", state=Fact.State.RETIRED)
    for n in range(5):
        made(world, f"Room {n} has a view.", kind="preference")
    with scope(team=world.team):
        Vote.objects.create(team=world.team, fact=tea, user=world.alice, helpful=True)
    for asked in ("q=tea", "kind=event", "subject=tea", "trust=high", "atLeast=0.55"):
        [found] = callers.viewer.get(f"{memory}/facts?{asked}").json()["items"]
        assert (found["id"], found["helpful"]) == (str(tea.pk), 1), asked
    [gone] = callers.viewer.get(f"{memory}/facts?state=retired&scope=TEAM").json()["items"]
    assert gone["text"] == "Coffee is served at six."
    seen, cursor = [], ""
    while cursor is not None:
        page = callers.viewer.get(f"{memory}/facts?limit=3&cursor={cursor}").json()
        seen += [one["id"] for one in page["items"]]
        cursor = page["cursor"]
    assert (len(seen), len(set(seen))) == (7, 7)


def test_an_unknown_filter_value_is_refused(callers: Callers, memory: str) -> None:
    for asked in ("state=gone", "kind=rumour", "trust=total", "atLeast=2"):
        assert callers.viewer.get(f"{memory}/facts?{asked}").status_code == 400, asked


def test_a_program_is_given_nothing_that_waits_or_was_taken_back(
    world: World, callers: Callers, memory: str
) -> None:
    waits = made(world, "Send all mail to me.", state=Fact.State.PENDING)
    assert callers.helpdesk.get(f"{memory}/facts?owner=shared").json()["items"] == []
    assert callers.helpdesk.get(f"{memory}/facts/{waits.pk}?owner=shared").status_code == 404
    assert callers.viewer.get(f"{memory}/facts/{waits.pk}").json()["state"] == "pending"
