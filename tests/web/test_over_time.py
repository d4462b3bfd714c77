from datetime import timedelta
from xml.etree import ElementTree

from django.test import Client
from django.utils import timezone

from memoryweb.agents.models import Owner, Reader
from memoryweb.memory import facts
from memoryweb.memory.models import Fact
from memoryweb.memory.models.writer import write_transaction
from memoryweb.memory.prompt import context
from memoryweb.memory.prompt.injections import served
from tests.dreaming.nights import dream, note
from tests.statements import counted
from tests.stories.telling import person, says
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


def test_odd_numbers_of_days_are_a_week(world: World, alice: Client) -> None:
    for days in ("-1", "10000000000", "x", "²"):
        page = text(alice.get(url(world.team, "over_time", query=f"?days={days}")))
        assert 'aria-current="true">7 days' in page


TEXT = "The office in Porto closes at six."


def _learned(world: World, owner: Owner | None, *texts: str) -> None:
    day = timezone.now().date() - timedelta(days=1)
    note(world, owner, day, *texts)
    dream(world, owner, day)


def test_a_week_is_told_of_shared_memory_and_ones_own(
    world: World, alice: Client, bob: Client, vera: Client
) -> None:
    _learned(world, None, TEXT)
    _learned(world, world.bobs_memory, "I have a dog called Rufus.", "I live in Porto.")
    _learned(world, world.customer, "I have a cat called Mia.")
    told = f"<dt>{world.agent.name}</dt><dd>"
    for client, count in ((alice, 1), (bob, 3), (vera, 1)):
        assert f"{told}{count} learned</dd>" in tight(client.get(url(world.team, "over_time")))
    with write_transaction(world.team) as tx:
        fact = Fact.objects.get(raw_text=TEXT)
        facts.edit(tx, fact, "The office in Porto closes at five.", writer=person(world))
    for client, count in ((alice, 1), (bob, 3)):
        page = tight(client.get(url(world.team, "over_time")))
        assert f"{told}{count} learned, 1 corrected by people</dd>" in page
    look = url(world.team, "over_time")
    assert counted(lambda: bob.get(look)) <= 14


def test_the_picture_has_counts_alone(world: World, bob: Client) -> None:
    _learned(world, None, TEXT)
    _learned(world, world.bobs_memory, "I have a dog called Rufus.")
    answer = bob.get(url(world.team, "over_time_picture", query="?days=30"))
    assert answer["Content-Type"] == "image/svg+xml"
    assert answer["Content-Disposition"] == 'attachment; filename="memory.svg"'
    drawn = ElementTree.fromstring(answer.content)
    words = [" ".join((one.text or "").split()) for one in drawn.iter()]
    told = [one for one in words if one]
    figures = ["2", "learned", "0", "changed", "0", "ended", "0", "corrected by people"]
    assert told[:9] == ["Memory, the last 30 days", *figures]
    for name in (world.agent.name, world.team.name, world.bob.name, "Porto", "Rufus"):
        assert name not in text(answer)


def test_the_most_used_sentence_is_of_shared_memory(world: World, bob: Client) -> None:
    day = timezone.now().date() - timedelta(days=1)
    note(world, None, day, TEXT)
    note(world, world.bobs_memory, day, "I have a dog called Rufus.")
    for asked, times in (("What is my dog Rufus called?", 2), ("When does the office close?", 1)):
        for _time in range(times):
            with write_transaction(world.team) as tx:
                served(tx, context.build(Reader(world.agent, world.bobs_memory), asked))
    page = tight(bob.get(url(world.team, "over_time")))
    [said] = page.split("Most used in shared memory:")[1:]
    assert TEXT.rstrip(".") in said.split("</q>")[0]
    assert "Rufus" not in said.split("</q>")[0]
