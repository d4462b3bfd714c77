"""What would go with a statement: wherever the same is said; what comes near it is offered."""

import pytest
from django_scopes import scope

from memoryweb.memory.conversations.messages import NewMessage, add_messages
from memoryweb.memory.forgetting import finding
from memoryweb.memory.models import File, Target
from memoryweb.memory.models.writer import Memory, write_transaction
from memoryweb.memory.visible.text_matching import Sought, comes_near, is_telling, says
from tests.forgetting.asking import ECHO, MORNING, WEIGHT, lived
from tests.world import World

Kind = Target.Kind


@pytest.mark.django_db
def test_a_statement_goes_with_its_note_line_and_all_that_was_said_of_it(world: World) -> None:
    fact = lived(world, world.customer)
    paraphrase = NewMessage("user", "My weight: 62, by the way. Rain again.", timestamp=MORNING)
    with write_transaction(world.team) as tx:
        add_messages(
            tx,
            agent=world.agent,
            owner=world.customer,
            conversation_id="later",
            messages=[paraphrase],
        )
        found = finding.of_facts(Memory(world.agent, world.customer), [fact])
    meant = {(one.kind, one.text) for one in found.meant}
    assert meant == {
        (Kind.FACT, WEIGHT),
        (Kind.LINE, WEIGHT),
        (Kind.MESSAGE, WEIGHT),
        (Kind.MESSAGE, "Noted: you weigh 62 kilos."),
    }
    assert [one.text for one in found.candidates] == ["My weight: 62, by the way."]


@pytest.mark.django_db
def test_another_owner_s_same_words_stay(world: World) -> None:
    fact = lived(world, world.customer)
    lived(world, world.sender)
    with scope(team=world.team):
        for found in (
            finding.of_facts(Memory(world.agent, world.customer), [fact]),
            finding.of_text(Memory(world.agent, world.customer), "62 kilos"),
        ):
            owners = {one.file.owner_id for one in found.meant if one.file}
            owners |= {one.message.conversation.owner_id for one in found.meant if one.message}
            assert owners == {world.customer.pk}


@pytest.mark.django_db
def test_a_line_of_a_note_goes_with_the_statement_that_says_it(world: World) -> None:
    fact = lived(world, world.customer)
    with scope(team=world.team):
        note = File.objects.select_related("agent", "owner").get(
            owner=world.customer, path="memory/2026-03-01.md"
        )
        number = note.raw_content.split("\n").index(f"- 08:00 {WEIGHT}") + 1
        found = finding.of_lines(note, [number])
    assert fact.pk in {one.fact.pk for one in found.meant if one.fact}


@pytest.mark.django_db
def test_what_never_was_is_not_found(world: World) -> None:
    lived(world, world.customer)
    with scope(team=world.team):
        assert finding.of_text(Memory(world.agent, world.customer), "a boat in Kiel").meant == ()


@pytest.mark.parametrize(
    ("text", "other", "is_same"),
    [
        (ECHO.split(". ")[0], WEIGHT, True),
        ("I weigh 63 kilos.", WEIGHT, False),
        ("体重は62キロです。", "体重は62キロです", True),
        ("I weigh 62 kilos and like tea.", "62 kilos", True),
        ("I like 162 kilos of tea.", "62 kilos", False),
    ],
)
def test_whether_a_text_says_another(text: str, other: str, *, is_same: bool) -> None:
    assert says(text, other) is is_same


def test_what_only_shares_the_number_is_offered() -> None:
    assert comes_near("It was 62 again this morning.", WEIGHT)
    assert not comes_near("It rains again.", WEIGHT)


@pytest.mark.parametrize(
    ("text", "tells"),
    [
        ("yes.", False),
        ("Yes please", False),
        ("I weigh 62 kilos.", True),
        ("Call Jonas", True),
        ("She keeps bees and grows tomatoes", True),
    ],
)
def test_only_what_tells_something_is_kept_out(text: str, *, tells: bool) -> None:
    assert is_telling(text) is tells


def test_the_very_words_are_found_in_any_case_and_as_json() -> None:
    sought = Sought(["Größe: „62“ kilos"])
    assert sought.is_in("so GRÖSSE: nothing") is False
    assert sought.is_in('{"a": "größe: „62“ KILOS"}')
    assert sought.is_in('{"a": "Gr\\u00f6\\u00dfe: \\u201e62\\u201c kilos"}')
    assert Sought(["yes."]).is_in("yes.") is False
    assert Sought(["tea in May"]).without("tea in Mayfair, Tea  in may.") == (
        "tea in Mayfair, [forgotten]."
    )
