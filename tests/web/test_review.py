from django.test import Client

from memoryweb.agents.break_glass import open_glass
from memoryweb.audit.record import SYSTEM
from memoryweb.memory.transaction import unit
from memoryweb.memory.write import Place, Writer, write
from memoryweb.workspace.models import AuthorKind
from tests.web.pages import actions, text, url
from tests.web.stage import Stage

CHANGE = "The office smells of cinnamon."


def test_it_shows_the_change_and_the_guard_that_stopped_it(stage: Stage, vera: Client) -> None:
    page = text(vera.get(_page(stage)))
    assert CHANGE in page
    assert "The new text would be too long." in page
    assert "Accept the whole change" not in page


def test_accepting_writes_it(stage: Stage, bob: Client) -> None:
    bob.post(_page(stage, "review_accept"))
    assert CHANGE in stage.memory.content
    assert "proposal.accepted" in actions(stage.world.team)


def test_rejecting_leaves_the_file_alone(stage: Stage, bob: Client) -> None:
    bob.post(_page(stage, "review_reject"))
    assert CHANGE not in stage.memory.content
    stage.proposal.refresh_from_db()
    assert (stage.proposal.state, stage.proposal.decided_by) == ("rejected", stage.world.bob)


def test_deciding_twice_says_so(stage: Stage, bob: Client) -> None:
    bob.post(_page(stage, "review_reject"))
    page = text(bob.post(_page(stage, "review_accept"), follow=True))
    assert "decided already" in page


def test_what_the_file_has_outgrown_cannot_be_accepted(stage: Stage, bob: Client) -> None:
    writer = Writer(AuthorKind.PERSON, user=stage.world.alice)
    with unit(stage.world.team) as work:
        place = Place(stage.world.agent, None, "MEMORY.md")
        write(work, place, "# Memory\n\n- Newer.\n", writer=writer)
    page = text(bob.post(_page(stage, "review_accept"), follow=True))
    assert "cannot be accepted" in page
    stage.proposal.refresh_from_db()
    assert stage.proposal.state == "pending"


def test_personal_memory_is_decided_by_its_person(stage: Stage, alice: Client, bob: Client) -> None:
    address = url(stage.world.team, "review_accept", stage.bobs_proposal.pk)
    assert alice.post(address).status_code == 403
    assert bob.post(address).status_code == 302


def test_a_grant_decides_too(stage: Stage, alice: Client) -> None:
    open_glass(
        owner=stage.world.bobs_memory, user=stage.world.alice, reason="Bob is ill.", by=SYSTEM
    )
    address = url(stage.world.team, "review_reject", stage.bobs_proposal.pk)
    assert alice.post(address).status_code == 302


def test_the_rail_counts_what_waits_for_the_person(stage: Stage, vera: Client, bob: Client) -> None:
    tonight = url(stage.world.team, "tonight")
    assert 'class="count">2<' in text(bob.get(tonight))
    assert 'class="count"' not in text(vera.get(tonight))


def test_decided_ones_are_kept(stage: Stage, bob: Client) -> None:
    bob.post(_page(stage, "review_reject"))
    listed = url(stage.world.team, "review")
    address = _page(stage)
    assert address not in text(bob.get(listed))
    assert address in text(bob.get(f"{listed}?state=decided"))


def _page(stage: Stage, name: str = "review_detail") -> str:
    return url(stage.world.team, name, stage.proposal.pk)
