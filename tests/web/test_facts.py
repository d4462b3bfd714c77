"""Statements of an agent as pages: what is held, who said it, what stood there before."""

import re

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from memoryweb.facts.models import Evidence, Fact
from memoryweb.memory.transaction import write_transaction
from memoryweb.memory.write import Place, Writer, write
from memoryweb.workspace.models import AuthorKind
from tests.facts.making import made
from tests.web.pages import text, tight, url
from tests.web.stage import PERSONAL, SHARED, Stage
from tests.world import World


@pytest.fixture
def shared(stage: Stage) -> Fact:
    return Fact.objects.get(file=stage.memory)


def test_a_statement_is_listed_with_its_trust_its_speaker_and_its_place(
    stage: Stage, vera: Client, shared: Fact
) -> None:
    page = tight(vera.get(url(stage.world.team, "agents_facts", stage.world.agent.pk)))
    assert SHARED in page
    assert "Guest" in page
    assert re.search(r"MEMORY\.md:\d+", page)
    assert "0.50 medium" in page


def test_the_switch_leads_to_ones_own(stage: Stage, bob: Client, vera: Client) -> None:
    address = url(stage.world.team, "agents_facts", stage.world.agent.pk, query="?owner=me")
    assert PERSONAL in text(bob.get(address))
    assert "No statements yet" in text(vera.get(address))


def test_filters_narrow_the_list(world: World, bob: Client) -> None:
    made(world, "Tea is served at five.")
    made(world, "Marta lives in Hamburg.", state=Fact.State.SUPERSEDED, kind="identity")
    address = url(world.team, "agents_facts", world.agent.pk)
    for query, tea, town in (
        ("", True, False),
        ("?state=all", True, True),
        ("?state=superseded", False, True),
        ("?q=tea", True, False),
        ("?state=all&kind=identity", False, True),
        ("?trust=high", False, False),
        ("?trust=nonsense", True, False),
    ):
        page = text(bob.get(address + query))
        assert ("Tea is served" in page, "Hamburg" in page) == (tea, town), query
    assert "No matches" in text(bob.get(address + "?q=zebra"))


def test_a_long_list_has_pages_and_costs_no_more(
    world: World, bob: Client, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    text_ = "".join(f"- Shelf {n} holds {n} boxes.\n" for n in range(90))
    with write_transaction(world.team) as work:
        place = Place(world.agent, None, "MEMORY.md")
        write(work, place, text_, writer=Writer(AuthorKind.PERSON, user=world.alice))
    address = url(world.team, "agents_facts", world.agent.pk)
    with django_assert_max_num_queries(14):
        first = text(bob.get(address))
    assert first.count('class="says"') == 40
    assert "page=2" in first
    assert text(bob.get(address + "?page=3")).count('class="says"') == 10


def test_one_statement_tells_what_it_stands_on_and_where(
    stage: Stage, vera: Client, shared: Fact
) -> None:
    page = tight(vera.get(url(stage.world.team, "agents_fact", stage.world.agent.pk, shared.pk)))
    assert f"“{SHARED}”" in page
    assert "Open the conversation" in page
    assert 'class="here"' in page


def test_earlier_values_are_struck_with_their_dates(world: World, vera: Client) -> None:
    key = ("marta", "city")
    now = made(world, "Marta lives in Berlin.", subject=key[0], attribute=key[1])
    was = made(world, "Marta lives in Hamburg.", subject=key[0], attribute=key[1])
    was.state, was.why, was.superseded_by = Fact.State.SUPERSEDED, Fact.Why.SUPERSEDED, now
    was.save()
    page = tight(vera.get(url(world.team, "agents_fact", world.agent.pk, now.pk)))
    assert "<del>Marta lives in Hamburg.</del>" in page
    assert "A newer value replaced it." in page
    assert "Not in the prompt for want of room." in page


def test_evidence_of_another_persons_conversation_is_not_shown(
    stage: Stage, vera: Client, shared: Fact
) -> None:
    message = stage.bobs_talk.messages.order_by("position")[0]
    Evidence.objects.create(team=stage.world.team, fact=shared, message=message)
    address = url(stage.world.team, "agents_fact", stage.world.agent.pk, shared.pk)
    page = text(vera.get(address))
    assert PERSONAL not in page
    assert "another person" in page


def test_a_statement_is_found_only_under_its_owner(stage: Stage, bob: Client) -> None:
    mine = Fact.objects.get(owner=stage.world.bobs_memory)
    address = url(stage.world.team, "agents_fact", stage.world.agent.pk, mine.pk)
    assert bob.get(address).status_code == 404
    assert bob.get(address + "?owner=me").status_code == 200
