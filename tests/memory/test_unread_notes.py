"""What an owner said today and yesterday, and no dream has read, is given beside their memory."""

from datetime import UTC, datetime, timedelta

import pytest
from django.utils import timezone

from memoryweb.agents.models import Reader
from memoryweb.agents.owners import set_paused
from memoryweb.audit.record import SYSTEM
from memoryweb.memory.models import Conversation
from memoryweb.memory.prompt.context import Context, build
from tests.dreaming.nights import TOOL, dream, note
from tests.memory.test_context import everything, fenced, only
from tests.stories.telling import reverts, says
from tests.world import World

TODAY = timezone.now().date()
LEEDS, HENS = "I live in Leeds.", "Otto feeds the hens."
ASKED = "Shall we cook something tonight?"  # no word of what is noted


def given(world: World, message: str = ASKED, *, talk: Conversation | None = None) -> Context:
    return build(Reader(world.agent, world.customer), message, conversation=talk)


@pytest.mark.databases
def test_it_is_given_before_any_dream_and_no_hit(world: World) -> None:
    says(world, "a", LEEDS, day=TODAY - timedelta(days=1))
    says(world, "b", HENS, day=TODAY)
    context = given(world)
    assert fenced(context) == (
        f"--- memory/{TODAY - timedelta(days=1)}.md ---\n- 09:00 {LEEDS}\n\n"
        f"--- memory/{TODAY}.md ---\n- 09:00 {HENS}\n"
    )
    assert (context.is_silent, context.system) == (True, build(Reader(world.agent), ASKED).system)


def test_nobody_else_is_given_it(world: World) -> None:
    says(world, "a", LEEDS, day=TODAY)
    note(world, None, TODAY, "The office moves to Aveiro.", writer=TOOL)
    for reader in (Reader(world.agent), Reader(world.agent, world.sender)):
        assert "Leeds" not in everything(build(reader, "Where do I live?"))
    assert "Aveiro" not in everything(given(world))  # the shared prompt stays byte for byte


def test_older_notes_are_for_search(world: World) -> None:
    says(world, "a", LEEDS, day=TODAY - timedelta(days=2))
    assert given(world).memory == ()


def test_what_a_dream_made_a_statement_of_stands_once(world: World) -> None:
    says(world, "a", LEEDS, HENS, day=TODAY)
    dream(world, world.customer, TODAY)
    assert everything(given(world)).count(LEEDS) == 1
    says(world, "b", "My sister Carla plays the cello.", day=TODAY)
    last = "- 09:00 My sister Carla plays the cello.\n"
    assert fenced(given(world)).endswith(f"--- memory/{TODAY}.md ---\n{last}")


def test_neither_what_was_found_nor_what_is_in_the_talk_is_told_again(world: World) -> None:
    talk = says(world, "a", LEEDS, day=TODAY)
    assert (given(world, talk=talk).memory, everything(given(world, talk=talk)).count(LEEDS)) == (
        (),
        1,
    )
    says(world, "b", HENS, day=TODAY)
    found = given(world, "Who feeds the hens?")
    assert everything(found).count(HENS) == 1
    assert f"- 09:00 {LEEDS}" in fenced(found)


def test_what_is_reverted_or_not_used_is_not_given(world: World) -> None:
    talk = says(world, "a", LEEDS, day=TODAY)
    for paused in (True, False):
        set_paused(owner=world.customer, paused=paused, by=SYSTEM, what=["using"])
        assert (LEEDS in everything(given(world))) is not paused
    reverts(world, talk)
    assert given(world).memory == ()


def test_of_a_full_day_the_last_is_given(world: World) -> None:
    texts = [f"Box {number} of the cellar holds {number} jars of plums." for number in range(200)]
    says(world, "a", *texts, day=TODAY)
    context = given(world)
    assert texts[-1] in fenced(context)
    assert texts[0] not in fenced(context)
    assert context.gauge.memory < 800


def test_a_note_that_a_person_put_into_the_prompt_stands_there_whole(world: World) -> None:
    path = f"memory/{TODAY}.md"
    only(world, {path: f"# {TODAY}\n\n- 09:00 {LEEDS}\n"}, world.customer)
    assert everything(given(world)).count(LEEDS) == 1
    assert f"# {TODAY}" in fenced(given(world))


def test_what_was_given_is_recorded(world: World) -> None:
    says(world, "a", LEEDS, day=TODAY)
    says(world, "b", HENS, day=TODAY)
    (one,) = given(world, "Who feeds the hens?").personal
    assert (one.file.path, [one.holds(line) for line in (3, 4)]) == (
        f"memory/{TODAY}.md",
        [True, False],
    )


def test_what_its_owner_asks_to_forget_is_given_no_more(world: World) -> None:
    says(world, "a", LEEDS, HENS, day=TODAY)
    said = datetime.now(UTC)
    says(world, "b", "Forget that Otto feeds the hens.", said=said, is_noted=False)
    context = everything(given(world))
    assert (HENS in context, LEEDS in context) == (False, True)
