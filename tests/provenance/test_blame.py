from collections.abc import Sequence

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from hypothesis import given
from hypothesis import strategies as st

from memoryweb.memory.conversations.messages import NewMessage, add_messages
from memoryweb.memory.lines.history import Version, blame, blame_of
from memoryweb.memory.lines.origins import Origin, Source
from memoryweb.memory.models import AuthorKind, File, Message
from memoryweb.memory.models.writer import Place, Writer, write_transaction
from memoryweb.memory.writing.write import NewLine, append, delete, restore, write
from tests.pace import assert_linear
from tests.world import World

TEXTS = st.lists(st.lists(st.sampled_from(["a", "b", "c", ""]), max_size=6), min_size=1, max_size=6)


def test_a_line_is_of_the_version_that_brought_it() -> None:
    versions = _versions("one\ntwo", "one\nnew\ntwo", "one\nnew\nTwo, but changed")
    assert blame(versions).brought == [1, 2, 3]


def test_a_line_that_moved_keeps_its_version() -> None:
    assert blame(_versions("a\nb\nc", "c\na\nb")).brought == [1, 1, 1]


def test_added_lines_are_of_what_added_them() -> None:
    versions = [Version(1, "# Day\n\n"), Version(2, "- a\n", is_appended=True)]
    versions.append(Version(3, "- b\n", is_appended=True))
    assert blame(versions).brought == [1, 1, 2, 3, 3]


def test_what_is_added_to_a_line_makes_it_ones_own() -> None:
    assert blame([Version(1, "half"), Version(2, " and half", is_appended=True)]).brought == [2]


def test_restored_lines_are_of_who_wrote_them_first() -> None:
    versions = [*_versions("a\nb", "x"), Version(3, "a\nb", restored_from=1)]
    assert blame(versions, {1}).brought == [1, 1]


@given(TEXTS)
def test_every_line_has_a_version_that_holds_it(texts: list[list[str]]) -> None:
    versions = _versions(*("\n".join(text) for text in texts))
    brought = blame(versions).brought
    lines = versions[-1].text.split("\n")
    assert len(brought) == len(lines)
    for number, line in zip(brought, lines, strict=True):
        assert line in versions[number - 1].text.split("\n")


def test_additions_are_followed_in_the_time_of_one_pass() -> None:
    start = Version(1, "# Day\n\n")
    added = [Version(n, f"- line {n}\n", is_appended=True) for n in range(2, 1_002)]
    assert blame([start, *added]).brought[2:-1] == list(range(2, 1_002))
    assert_linear(blame, lambda times: [start, *added[:1] * times])


def test_it_says_what_line_origins_say(world: World) -> None:
    file = _story(world)
    brought = blame_of(file, file.revision)
    said = dict(file.origins.values_list("line", "since"))
    assert said
    assert {line: brought[line - 1] for line in said} == said


def test_an_old_revision_is_told_as_well(world: World) -> None:
    file = _story(world)
    assert blame_of(file, 2) == [1, 1, 2, 2]


def test_it_takes_the_same_statements_for_a_long_history(world: World) -> None:
    file = _story(world)
    with CaptureQueriesContext(connection) as few:
        blame_of(file, 2)
    with write_transaction(world.team) as tx:
        for number in range(30):
            append(tx, _place(world), [NewLine(f"- {number}")], writer=_dream())
    file.refresh_from_db()
    with CaptureQueriesContext(connection) as many:
        blame_of(file, 2)
    assert len(many) == len(few)


@pytest.mark.parametrize("gone", [False, True])
def test_restored_lines_stay_the_words_of_who_wrote_them(world: World, gone: bool) -> None:
    """A person who brings a dream's text back did not write it: dreams may still change it."""
    file = _story(world)
    with write_transaction(world.team) as tx:
        if gone:
            delete(tx, file, writer=_person(world))
        else:
            write(tx, _place(world), "All new.\n", writer=_person(world))
        restored = restore(tx, file, 3, writer=_person(world)).file
    kinds = dict(restored.origins.values_list("line", "author_kind"))
    assert kinds == {3: AuthorKind.DREAM, 4: AuthorKind.PERSON}
    assert blame_of(restored, restored.revision) == [1, 1, 2, 3, 2]


@pytest.mark.parametrize("gone", [False, True])
def test_a_restored_line_has_its_message_back(world: World, gone: bool) -> None:
    file, message = _extracted(world)
    with write_transaction(world.team) as tx:
        if gone:
            delete(tx, file, writer=_person(world))
        else:
            write(tx, _place(world), "All new.\n", writer=_person(world))
        restored = restore(tx, file, 1, writer=_person(world)).file
    row = restored.origins.get(line=1)
    kept = (row.since, row.author_kind, row.message_id, row.durable, row.category)
    assert kept == (1, AuthorKind.EXTRACTION, message.pk, True, "plan")


def test_a_line_has_what_it_stood_on_when_it_last_lived(world: World) -> None:
    """A dream took the line up again with another source; then somebody removed it."""
    file, _message = _extracted(world)
    note = world.agent.files.get(path="AGENTS.md", owner=None)
    taken_up = {1: Origin((Source(note.pk, 1, 1),))}
    with write_transaction(world.team) as tx:
        text = f"{file.raw_content}- More.\n"
        write(tx, _place(world), text, writer=_dream(), origins=taken_up)
        write(tx, _place(world), "", writer=_person(world))
        restored = restore(tx, file, 2, writer=_person(world)).file
    row = restored.origins.get(line=1)
    assert (row.since, row.source_file_id, row.message_id) == (2, note.pk, None)
    assert blame_of(restored, 1)[0] == 1


def test_restoring_takes_the_same_statements_for_many_lines(world: World) -> None:
    counted = []
    for lines in (3, 60):
        file, _message = _extracted(world, lines)
        with write_transaction(world.team) as tx:
            write(tx, _place(world), "All new.\n", writer=_person(world))
            with CaptureQueriesContext(connection) as queries:
                restore(tx, file, file.revision, writer=_person(world))
        counted.append(len(queries))
    assert counted[0] == counted[1]


def _extracted(world: World, lines: int = 1) -> tuple[File, Message]:
    """Lines of an extraction, all from one message."""
    world.agent.files.filter(path="MEMORY.md", owner=None).delete()
    said = NewMessage(role="user", content=f"Tea, {lines} times.")
    with write_transaction(world.team) as tx:
        added = add_messages(
            tx,
            agent=world.agent,
            owner=world.customer,
            conversation_id=f"c{lines}",
            messages=[said],
        )
        message = added.conversation.messages.get()
        origin = Origin((Source(message_id=message.pk),), durable=True, category="plan")
        writer = Writer(AuthorKind.EXTRACTION, is_vouched=True)
        text = "".join(f"- {number} Tea.\n" for number in range(lines))
        origins = dict.fromkeys(range(1, lines + 1), origin)
        file = write(tx, _place(world), text, writer=writer, origins=origins).file
    return file, message


def _story(world: World) -> File:
    """A heading of the system, a line of a dream, a line of Bob's, a heading changed by a dream."""
    world.agent.files.all().delete()
    with write_transaction(world.team) as tx:
        write(tx, _place(world), "# Day\n", writer=Writer(AuthorKind.SYSTEM))
        write(tx, _place(world), "# Day\n\n- dreamt\n", writer=_dream())
        write(tx, _place(world), "# Day\n\n- dreamt\n- said\n", writer=_person(world))
        written = write(tx, _place(world), "# Days\n\n- dreamt\n- said\n", writer=_dream())
    return written.file


def _versions(*texts: str) -> Sequence[Version]:
    return [Version(number, text) for number, text in enumerate(texts, start=1)]


def _place(world: World) -> Place:
    return Place(world.agent, None, "MEMORY.md")


def _dream() -> Writer:
    return Writer(AuthorKind.DREAM, is_vouched=True)


def _person(world: World) -> Writer:
    return Writer(AuthorKind.PERSON, user=world.bob)
