"""Whose word a revision, a message and a line is."""

from datetime import UTC, datetime

import pytest

from memoryweb.agents.models import Owner
from memoryweb.agents.owners import room_owner
from memoryweb.memory.conversations.messages import Intake, NewMessage, add_messages
from memoryweb.memory.lines.origins import Origin, Source
from memoryweb.memory.lines.source_classes import (
    source_of,
    source_of_message,
    sources_of_files,
    weakest,
)
from memoryweb.memory.models import AuthorKind, Message, Passage, Revision, SourceClass
from memoryweb.memory.models.writer import Place, Writer, write_transaction
from memoryweb.memory.writing import write
from memoryweb.memory.writing.write import NewLine
from memoryweb.runs.models import Run
from tests.world import World

NOW = datetime(2026, 11, 20, 9, 5, tzinfo=UTC)


def _run(world: World, owner: Owner | None) -> Run:
    return Run(agent=world.agent, team=world.team, owner=owner, kind=Run.Kind.EXTRACTION)


def _talk(world: World, owner: Owner, *said: tuple[str, str], group: bool = False) -> Intake:
    messages = [
        NewMessage(role=role, content="Something.", name=name, id=f"m{n}", timestamp=NOW)
        for n, (role, name) in enumerate(said)
    ]
    with write_transaction(world.team) as tx:
        return add_messages(
            tx,
            agent=world.agent,
            owner=owner,
            conversation_id="talk",
            messages=messages,
            group=group,
        )


def _classes(added: Intake) -> list[SourceClass]:
    rows = list(added.conversation.messages.order_by("position"))
    return [source_of_message(added.conversation, row) for row in rows]


def test_a_person_is_the_owner_of_their_own_memory_only(world: World) -> None:
    bob = Writer(AuthorKind.PERSON, user=world.bob)
    assert source_of(bob, world.bobs_memory) is SourceClass.OWNER
    assert source_of(bob, None) is SourceClass.PERSON
    assert source_of(bob, world.customer) is SourceClass.PERSON


def test_a_program_that_writes_by_itself_is_a_third_party(world: World) -> None:
    by_itself = Writer(AuthorKind.AGENT, integration=world.integration)
    tool = Writer(AuthorKind.AGENT, integration=world.integration, is_tool=True)
    assert source_of(by_itself, world.customer) is SourceClass.THIRD_PARTY
    assert source_of(tool, world.customer) is SourceClass.AGENT


def test_an_extraction_has_the_class_of_who_spoke(world: World) -> None:
    room = room_owner(world.team, "slack", "C1")
    of_customer = Writer(AuthorKind.EXTRACTION, run=_run(world, world.customer))
    of_room = Writer(AuthorKind.EXTRACTION, run=_run(world, room))
    assert source_of(of_customer, None) is SourceClass.OWNER
    assert source_of(of_room, room) is SourceClass.THIRD_PARTY


@pytest.mark.parametrize(
    ("kind", "source"),
    [
        (AuthorKind.DREAM, SourceClass.DREAM),
        (AuthorKind.IMPORT, SourceClass.IMPORT),
        (AuthorKind.SYSTEM, SourceClass.SYSTEM),
        (AuthorKind.AGENT, SourceClass.AGENT),
    ],
)
def test_other_kinds_speak_for_themselves(
    world: World, kind: AuthorKind, source: SourceClass
) -> None:
    assert source_of(Writer(kind), world.customer) is source


def test_it_is_stored_on_the_revision(world: World) -> None:
    with write_transaction(world.team) as tx:
        place = Place(world.agent, world.bobs_memory, "KNOWLEDGE.md")
        write.write(tx, place, "mine\n", writer=Writer(AuthorKind.PERSON, user=world.bob))
    assert Revision.objects.get(file__owner=world.bobs_memory).source == SourceClass.OWNER


def test_assistants_and_tools_are_the_agent_and_the_user_is_the_owner(world: World) -> None:
    added = _talk(world, world.customer, ("user", ""), ("assistant", ""), ("tool", ""))
    assert _classes(added) == [SourceClass.OWNER, SourceClass.AGENT, SourceClass.AGENT]


def test_of_several_names_only_the_owner_s_own_is_the_owner(world: World) -> None:
    owner, third = SourceClass.OWNER, SourceClass.THIRD_PARTY
    added = _talk(world, world.bobs_memory, ("user", "Bob"), ("user", "Eve"), ("user", ""))
    assert _classes(added) == [owner, third, third]
    unknown = _talk(world, world.customer, ("user", "Ann"), ("user", "Eve"))
    assert _classes(unknown) == [third, third]


def test_one_name_alone_is_the_owner_s(world: World) -> None:
    added = _talk(world, world.customer, ("user", "Ann"), ("user", ""), ("user", "ann"))
    assert _classes(added) == [SourceClass.OWNER] * 3


def test_in_a_group_everybody_is_somebody_else(world: World) -> None:
    added = _talk(world, world.customer, ("user", "Ann"), group=True)
    assert _classes(added) == [SourceClass.THIRD_PARTY]


def test_a_line_has_the_class_of_its_message(world: World) -> None:
    added = _talk(world, world.customer, ("user", ""), ("assistant", ""))
    said = list(Message.objects.filter(conversation=added.conversation).order_by("position"))
    lines = [NewLine(f"- line {m.pk}", Origin((Source(message_id=m.pk),))) for m in said]
    with write_transaction(world.team) as tx:
        place = Place(world.agent, world.customer, "memory/2026-11-20.md")
        file = write.append(tx, place, lines, writer=Writer(AuthorKind.EXTRACTION)).file
    assert sources_of_files([file])[file.pk] == {3: SourceClass.OWNER, 4: SourceClass.AGENT}


def test_a_text_is_worth_its_weakest_word() -> None:
    assert weakest([SourceClass.OWNER, SourceClass.IMPORT]) is SourceClass.IMPORT
    assert weakest([]) is SourceClass.SYSTEM


def test_passages_carry_the_class_of_what_they_hold(world: World) -> None:
    added = _talk(world, world.customer, ("user", ""), ("assistant", ""))
    assert [p.source for p in Passage.objects.order_by("line") if p.message_id] == [
        SourceClass.OWNER,
        SourceClass.AGENT,
    ]
    said = added.conversation.messages.get(position=2)
    lines = [NewLine("- By hand."), NewLine("- heard", Origin((Source(message_id=said.pk),)))]
    with write_transaction(world.team) as tx:
        place = Place(world.agent, world.customer, "memory/2026-11-20.md")
        file = write.append(tx, place, lines[:1], writer=Writer(AuthorKind.IMPORT)).file
        write.append(tx, place, lines[1:], writer=Writer(AuthorKind.EXTRACTION))
    found = Passage.objects.filter(file=file).order_by("line").values_list("source", flat=True)
    assert list(found) == [SourceClass.IMPORT, SourceClass.AGENT]
