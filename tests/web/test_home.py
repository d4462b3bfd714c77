"""An agent's home, and the switch that says whose memory its pages show."""

import re

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from memoryweb.memory.models import Fact
from tests.facts.making import made
from tests.web.pages import text, tight, url
from tests.web.stage import PERSONAL, SHARED, Stage
from tests.world import World

TABS = ("facts", "files", "notes", "dreams", "conversations", "prompt", "moments", "activity")


def home(world: World, query: str = "") -> str:
    return url(world.team, "agents_detail", world.agent.pk, query=query)


def test_home_opens_where_there_is_something(stage: Stage, bob: Client, vera: Client) -> None:
    assert PERSONAL in text(bob.get(home(stage.world)))
    assert SHARED in text(vera.get(home(stage.world)))
    asked = text(bob.get(home(stage.world, "?owner=shared")))
    assert SHARED in asked
    assert PERSONAL not in asked


@pytest.mark.parametrize("name", TABS)
@pytest.mark.first_two
def test_every_tab_keeps_whose_memory_it_is(stage: Stage, bob: Client, name: str) -> None:
    page = tight(
        bob.get(url(stage.world.team, f"agents_{name}", stage.world.agent.pk) + "?owner=me")
    )
    for other in ("agents_detail", "agents_facts", "agents_activity", "agents_settings"):
        assert f'href="{url(stage.world.team, other, stage.world.agent.pk)}?owner=me"' in page
    assert re.search(r'owner=me" aria-current="true"', page)


def test_a_person_switches_to_no_memory_but_their_own(
    world: World, stage: Stage, vera: Client
) -> None:
    for owner in (world.bobs_memory.pk, world.twin.person.pk, "nobody"):
        for name in ("detail", "notes", "dreams", "conversations"):
            address = url(world.team, f"agents_{name}", world.agent.pk, query=f"?owner={owner}")
            assert vera.get(address).status_code == 404, (owner, name)
    page = text(vera.get(home(world)))
    assert PERSONAL not in page
    assert "A person…" not in page


def test_what_was_replaced_is_named_and_what_is_confirmed_marked(
    world: World, vera: Client
) -> None:
    now = made(
        world, "Marta lives in Berlin.", subject="marta", attribute="city", raw_value="Berlin"
    )
    was = made(world, "Marta lives in Hamburg.", raw_value="Hamburg", state=Fact.State.SUPERSEDED)
    Fact.objects.filter(pk=was.pk).update(superseded_by=now)
    Fact.objects.filter(pk=now.pk).update(confirmed_at=timezone.now())
    page = tight(vera.get(home(world)))
    assert "was Hamburg" in page
    assert "confirmed" in page
    assert "Marta lives in Hamburg." not in page


def test_what_is_to_be_forgotten_leaves_home_and_forgetting_tells_what_goes(
    stage: Stage, bob: Client
) -> None:
    world = stage.world
    mine = Fact.objects.get(owner=world.bobs_memory)
    address = url(world.team, "agents_fact_forget", world.agent.pk, mine.pk, query="?owner=me")
    asked = text(bob.get(address))
    assert "Forget this?" in asked
    assert "Sentences in conversations" in asked
    assert PERSONAL in text(bob.get(home(world, "?owner=me")))
    bob.post(address)
    assert mine.raw_text not in text(bob.get(home(world, "?owner=me")))


def test_an_act_goes_back_to_a_page_of_ours_alone(stage: Stage, bob: Client) -> None:
    world = stage.world
    shared = Fact.objects.get(file=stage.memory)
    address = url(world.team, "agents_fact_confirm", world.agent.pk, shared.pk)
    assert bob.post(address, {"next": home(world)}).headers["Location"] == home(world)
    for foreign in ("https://evil.example/", "//evil.example", "javascript:alert(1)"):
        assert "evil" not in bob.post(address, {"next": foreign}).headers["Location"]


def test_home_costs_the_same_however_much_there_is(
    stage: Stage, alice: Client, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    for number in range(30):
        made(stage.world, f"Shelf {number} holds {number} boxes.", heading=f"Room {number % 5}")
    with django_assert_max_num_queries(15):
        page = text(alice.get(home(stage.world, "?owner=shared")))
    assert "of 31 shown" in page
