"""What contradicts each other waits in Review: both sides, four decisions, and a way back."""

import pytest
from django.test import Client

from memoryweb.memory.models import Contradiction
from tests.walls.api_stage import contradicted
from tests.web.pages import actions, text, tight, url
from tests.world import World


@pytest.fixture
def found(world: World) -> Contradiction:
    return Contradiction.objects.get(pk=contradicted(world.home, None))


def test_it_waits_with_both_sides_and_is_counted(
    world: World, bob: Client, vera: Client, found: Contradiction
) -> None:
    page = tight(bob.get(url(world.team, "review")))
    assert "Marta lives in Porto." in page
    assert "Marta lives in Lisbon." in page
    assert 'class="count">1<' in page
    page = tight(bob.get(_page(world, found))).partition('class="changes"')[2]
    assert page.index("In memory now") < page.index("Marta lives in Porto.")
    assert page.index("Says otherwise") < page.index("Marta lives in Lisbon.")
    assert "Keep the current one" in page
    assert "Keep the current one" not in text(vera.get(_page(world, found)))


@pytest.mark.parametrize(
    ("decision", "stand"),
    [
        ("KEEP_A", {"Marta lives in Porto."}),
        ("KEEP_B", {"Marta lives in Lisbon."}),
        ("MERGE", {"Marta lives in Lisbon and Porto."}),
        ("IGNORE", {"Marta lives in Porto.", "Marta lives in Lisbon."}),
    ],
)
@pytest.mark.first_two
def test_a_decision_changes_what_stands_and_can_be_undone(
    world: World, bob: Client, found: Contradiction, decision: str, stand: set[str]
) -> None:
    page = tight(_decide(world, bob, found, decision, "Marta lives in Lisbon and Porto."))
    assert _standing(world) == stand
    assert 'class="count"' not in page
    assert "contradiction.resolved" in actions(world.team)
    page = tight(_decide(world, bob, found, "undo"))
    assert _standing(world) == {"Marta lives in Porto.", "Marta lives in Lisbon."}
    assert 'class="count">1<' in page


def test_of_two_that_were_kept_the_page_says_so(
    world: World, bob: Client, found: Contradiction
) -> None:
    _decide(world, bob, found, "IGNORE")
    page = text(bob.get(_page(world, found)))
    assert "Both kept" in page
    assert "Ignored" not in page


def test_one_line_of_both_has_to_be_written(
    world: World, bob: Client, found: Contradiction
) -> None:
    page = text(_decide(world, bob, found, "MERGE", " "))
    assert "Write the line that says both." in page
    assert _standing(world) == {"Marta lives in Porto.", "Marta lives in Lisbon."}


def test_a_likely_password_in_the_line_of_both_is_asked_about(
    world: World, bob: Client, found: Contradiction
) -> None:
    said = "Marta's Wi-Fi password: " + "tulip" + "4711"
    asked = text(_decide(world, bob, found, "MERGE", said))
    assert "Is this a password?" in asked
    assert _standing(world) == {"Marta lives in Porto.", "Marta lives in Lisbon."}
    sent = {"decision": "MERGE", "value": said, "no_secrets": "on"}
    bob.post(_page(world, found) + "decide/", sent)
    assert _standing(world) == {said}


def test_it_is_decided_once(world: World, bob: Client, found: Contradiction) -> None:
    _decide(world, bob, found, "KEEP_A")
    assert "decided already" in text(_decide(world, bob, found, "KEEP_B"))
    assert _standing(world) == {"Marta lives in Porto."}


def test_a_statement_leads_to_its_contradiction(
    world: World, bob: Client, found: Contradiction
) -> None:
    fact = found.facts.order_by("created_at")[0]
    page = text(bob.get(url(world.team, "agents_fact", world.agent.pk, fact.pk)))
    assert _page(world, found) in page


def test_personal_ones_are_decided_by_their_person(
    world: World, alice: Client, bob: Client
) -> None:
    found = Contradiction.objects.get(pk=contradicted(world.home, world.bobs_memory))
    address = _page(world, found) + "decide/"
    assert alice.post(address, {"decision": "KEEP_A"}).status_code == 403
    page = text(alice.get(url(world.team, "review", query="?state=others")))
    assert "Porto" not in page
    assert "1 thing about you waits for your decision" in text(bob.get(url(world.team, "mine")))
    assert bob.post(address, {"decision": "KEEP_A"}).status_code == 302


def _standing(world: World) -> set[str]:
    return set(world.agent.facts.filter(file__isnull=False).values_list("raw_text", flat=True))


def _page(world: World, found: Contradiction) -> str:
    return url(world.team, "review_item", "contradiction", found.pk)


def _decide(
    world: World, client: Client, found: Contradiction, decision: str, value: str = ""
) -> object:
    said = {"decision": decision, "value": value}
    return client.post(_page(world, found) + "decide/", said, follow=True)
