from datetime import timedelta

from django.test import Client
from django.utils import timezone

from memoryweb.agents.models import Reader
from memoryweb.memory.models.writer import write_transaction
from memoryweb.memory.prompt import context
from memoryweb.memory.prompt.injections import served
from tests.dreaming.nights import dream
from tests.stories.telling import says
from tests.web.pages import text, tight, url
from tests.world import World


def test_it_counts_what_is_held_said_and_asked(world: World, alice: Client) -> None:
    day = timezone.now().date() - timedelta(days=1)
    says(world, "talk", "I have a dog called Rufus.", "I live in Porto.", day=day)
    dream(world, world.customer, day)
    with write_transaction(world.team) as tx:
        served(tx, context.build(Reader(world.agent, world.customer), "How are you?"))
    page = tight(alice.get(url(world.team, "over_time")))
    for said in ("<b>2</b>statements now", "<b>2</b>messages", "<b>1</b>prompts"):
        assert said in page
    other = world.team.agents.exclude(pk=world.agent.pk).first()
    assert other is not None
    page = tight(alice.get(url(world.team, "over_time", query=f"?agent={other.pk}")))
    assert "Nothing happened in these days" in page


def test_a_member_is_told_nothing_of_how_much_there_is_about_others(
    world: World, vera: Client
) -> None:
    says(world, "talk", "I live in Porto.", day=timezone.now().date())
    assert "Nothing happened in these days" in text(vera.get(url(world.team, "over_time")))


def test_an_agent_of_nowhere_is_not_found(world: World, alice: Client) -> None:
    for wanted in (world.twin.agent.pk, "none"):
        address = url(world.team, "over_time", query=f"?agent={wanted}")
        assert alice.get(address).status_code == 404


def test_odd_numbers_of_days_are_thirty(world: World, alice: Client) -> None:
    for days in ("-1", "10000000000", "x", "²"):
        page = text(alice.get(url(world.team, "over_time", query=f"?days={days}")))
        assert 'aria-current="true">30 days' in page
