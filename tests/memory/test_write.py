import hashlib

import pytest
from django.db import IntegrityError, connection, transaction
from django.test.utils import CaptureQueriesContext

from memoryweb.agents.models import Owner
from memoryweb.audit.models import Event
from memoryweb.markdown.paths import PathRefused
from memoryweb.memory.lines.origins import Origin, Source, protected_lines
from memoryweb.memory.lines.revisions import content_of
from memoryweb.memory.models import AuthorKind, File, LineOrigin, Passage, Revision
from memoryweb.memory.models.refusals import (
    ContentRefused,
    Exists,
    FileMissing,
    SecretRefused,
    Stale,
)
from memoryweb.memory.models.writer import Memory, Place, Writer, write_transaction
from memoryweb.memory.prompt.files import arrange
from memoryweb.memory.writing import write
from memoryweb.memory.writing.write import NewLine
from tests.statements import statements
from tests.world import World

MACHINE = Writer(AuthorKind.AGENT)


def _person(world: World) -> Writer:
    return Writer(AuthorKind.PERSON, user=world.alice)


def _write(world: World, path: str, text: str, writer: Writer, **more: object) -> write.WriteResult:
    with write_transaction(world.team) as tx:
        return write.write(tx, Place(world.agent, None, path), text, writer=writer, **more)  # type: ignore[arg-type]


def _append(world: World, path: str, *texts: str, owner: Owner | None = None) -> write.WriteResult:
    with write_transaction(world.team) as tx:
        return write.append(
            tx, Place(world.agent, owner, path), [NewLine(t) for t in texts], writer=MACHINE
        )


def test_a_write_is_a_revision_an_event_and_passages(world: World) -> None:
    written = _write(world, "KNOWLEDGE.md", "# Facts\n\n- Tea is brewed at 80 °C.\n", MACHINE)
    assert written.revision is not None
    assert written.revision.number == 1
    assert Passage.objects.get(file=written.file).trail == "Facts"
    event = Event.objects.filter(team_id=world.team.pk, action="file.written").latest("seq")
    assert event.target_id == str(written.file.pk)


def test_the_same_text_makes_no_revision(world: World) -> None:
    _write(world, "KNOWLEDGE.md", "same", MACHINE)
    before = Event.objects.count()
    assert not _write(world, "KNOWLEDGE.md", "same", MACHINE).changed
    assert Event.objects.count() == before


def test_any_revision_reads_as_it_was_written(world: World) -> None:
    contents = []
    for n in range(4):
        contents.append(_append(world, "memory/2026-11-20.md", f"- {n}").file.raw_content)
    written = _write(world, "memory/2026-11-20.md", "rewritten\n", MACHINE)
    contents.append("rewritten\n")
    contents.append(_append(world, "memory/2026-11-20.md", "- last").file.raw_content)
    file = File.objects.get(pk=written.file.pk)
    assert [content_of(file, n) for n in range(1, 7)] == contents


def test_an_append_is_stored_as_its_own_text_alone(world: World) -> None:
    _append(world, "memory/2026-11-20.md", "- one")
    revision = _append(world, "memory/2026-11-20.md", "- two").revision
    assert revision is not None
    assert revision.raw_text == "- two\n"
    assert revision.sha256 == hashlib.sha256(b"# 2026-11-20\n\n- one\n- two\n").hexdigest()


def test_many_appends_take_at_most_three_times_the_room_of_the_text(world: World) -> None:
    place = Place(world.agent, None, "memory/2026-11-20.md")
    with write_transaction(world.team) as tx:
        for n in range(120):
            said = NewLine(f"- 10:00 Marta said thing number {n}.")
            file = write.append(tx, place, [said], writer=MACHINE).file
    stored = sum(
        len(text) for text in Revision.objects.filter(file=file).values_list("raw_text", flat=True)
    )
    assert file.revision == 120
    assert stored + len(file.raw_content) <= 3 * len(file.raw_content)


def test_a_stale_hash_is_refused_with_the_current_text(world: World) -> None:
    opened = _write(world, "KNOWLEDGE.md", "one", MACHINE).file.sha256
    _write(world, "KNOWLEDGE.md", "two", MACHINE)
    with pytest.raises(Stale) as refused:
        _write(world, "KNOWLEDGE.md", "three", MACHINE, expected=opened)
    assert refused.value.file.raw_content == "two"


def test_a_new_file_does_not_replace_one_that_exists(world: World) -> None:
    _write(world, "KNOWLEDGE.md", "one", MACHINE)
    with pytest.raises(Exists):
        _write(world, "KNOWLEDGE.md", "two", MACHINE, expected="")


def test_two_names_that_differ_in_case_only_are_refused(world: World) -> None:
    _write(world, "notes.md", "one", MACHINE)
    with pytest.raises(Exists):
        _write(world, "Notes.md", "two", MACHINE)


def test_saving_a_file_that_was_never_there_is_refused(world: World) -> None:
    with pytest.raises(FileMissing):
        _write(world, "notes.md", "one", MACHINE, expected="0" * 64)


@pytest.mark.parametrize("text", ["a\0b", "a\ud800b", "x" * (write.MAX_BYTES + 1)])
def test_text_that_no_file_may_hold_is_refused(world: World, text: str) -> None:
    with pytest.raises(ContentRefused):
        _write(world, "notes.md", text, MACHINE)


@pytest.mark.parametrize("path", ["../notes.md", "a\0.md"])
def test_a_bad_path_is_refused_before_anything_is_written(world: World, path: str) -> None:
    before = Revision.objects.count()
    with pytest.raises(PathRefused):
        _write(world, path, "x", MACHINE)
    assert Revision.objects.count() == before


def test_a_secret_is_refused_and_the_refusal_is_an_event_without_it(world: World) -> None:
    secret = "AKIA" + "QXNBTM4PLZ7RWD2K"
    with pytest.raises(SecretRefused) as refused:
        _write(world, "notes.md", f"one\nkey {secret}\n", MACHINE)
    assert refused.value.line == 2
    assert not File.objects.filter(path="notes.md").exists()
    event = Event.objects.get(team_id=world.team.pk, action="secret.refused")
    assert secret not in bytes(event.canonical).decode()


def test_if_the_audit_event_cannot_be_written_nothing_is(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memoryweb.audit.record.ACTIONS", {})
    with pytest.raises(Exception, match=r"file\.written"):
        _write(world, "notes.md", "x", MACHINE)
    assert not File.objects.filter(path="notes.md").exists()


def test_origins_follow_their_line_through_edits_and_moves(world: World) -> None:
    note = _append(world, "memory/2026-11-20.md", "- 09:00 Marta likes tea.").file
    origin = Origin((Source(note.pk, 1, 3),), durable=True, category="preference")
    _write(world, "MEMORY.md", "# Memory\n\n- Marta likes tea.\n", MACHINE, origins={3: origin})
    text = "# Memory\n\nA paragraph.\n\n## Likes\n\n- Marta likes tea.\n"
    file = _write(world, "MEMORY.md", text, _person(world)).file
    row = file.origins.get(line=7)
    assert (row.source_file_id, row.source_line, row.durable) == (note.pk, 3, True)
    assert row.author_kind == AuthorKind.AGENT


def test_a_line_that_a_person_changed_is_theirs_and_keeps_its_sources(world: World) -> None:
    note = _append(world, "memory/2026-11-20.md", "- 09:00 Marta likes tea.").file
    origin = Origin((Source(note.pk, 1, 3),))
    _write(world, "MEMORY.md", "- Marta likes tea.\n", MACHINE, origins={1: origin})
    file = _write(world, "MEMORY.md", "- Marta likes green tea.\n", _person(world)).file
    row = file.origins.get(line=1)
    assert (row.author_kind, row.source_file_id) == (AuthorKind.PERSON, note.pk)
    assert protected_lines(file) == {1}


def test_a_removed_line_takes_its_origins_with_it(world: World) -> None:
    _write(world, "MEMORY.md", "- one\n- two\n", MACHINE)
    file = _write(world, "MEMORY.md", "- two\n", MACHINE).file
    assert {row.line for row in file.origins.all()} == {1}


def test_a_deleted_file_is_restored_with_its_history(world: World) -> None:
    file = _write(world, "notes.md", "kept", MACHINE).file
    with write_transaction(world.team) as tx:
        write.delete(tx, file, writer=_person(world))
    assert not Passage.objects.filter(file=file).exists()
    with write_transaction(world.team) as tx:
        written = write.restore(tx, file, 1, writer=_person(world))
    assert (written.file.raw_content, written.file.revision) == ("kept", 3)
    assert written.file.deleted_at is None


def test_an_owner_and_the_team_may_have_files_of_one_name(world: World) -> None:
    _append(world, "memory/2026-11-20.md", "- shared")
    own = _append(world, "memory/2026-11-20.md", "- own", owner=world.customer).file
    assert "shared" not in own.raw_content
    assert own.scope == "PERSONAL"


def test_a_machine_masks_a_secret_in_an_appended_line(world: World) -> None:
    secret = "AKIA" + "QXNBTM4PLZ7RWD2K"
    file = _append(world, "memory/2026-11-20.md", f"- The key is {secret}.").file
    assert secret not in file.raw_content


def test_saving_takes_as_many_statements_for_a_long_file_as_for_a_short_one(world: World) -> None:
    line = "- A statement of some length about nobody in particular.\n"
    counted = []
    for size in (10_000, 60_000):
        text = line * (size // len(line))
        _write(world, f"notes-{size}.md", text, MACHINE)
        with CaptureQueriesContext(connection) as queries:
            _write(world, f"notes-{size}.md", "- first\n" + text, MACHINE)
        counted.append(len(statements(queries)))
    assert counted[0] == counted[1] <= 30


def test_the_order_and_the_toggles_of_prompt_files_are_set_together(world: World) -> None:
    with write_transaction(world.team) as tx:
        arrange(tx, Memory(world.agent, None), [("MEMORY.md", True), ("SOUL.md", False)])
    order = File.objects.of(world.agent.pk, None).enabled_in_order().values_list("path", flat=True)
    assert list(order) == ["MEMORY.md", "AGENTS.md", "PROFILE.md"]


def test_arranging_a_file_that_is_not_there_is_refused(world: World) -> None:
    with write_transaction(world.team) as tx, pytest.raises(FileMissing):
        arrange(tx, Memory(world.agent, None), [("nothing.md", True)])


def test_the_database_refuses_a_personal_file_without_an_owner(world: World) -> None:
    file = _write(world, "notes.md", "x", MACHINE).file
    with pytest.raises(IntegrityError), transaction.atomic():
        File.objects.filter(pk=file.pk).update(scope="PERSONAL")


def test_a_new_agent_has_its_four_files_in_the_prompt(world: World) -> None:
    order = File.objects.of(world.agent.pk, None).enabled_in_order().values_list("path", flat=True)
    assert list(order) == ["AGENTS.md", "SOUL.md", "PROFILE.md", "MEMORY.md"]


def test_line_origins_of_other_files_are_left_alone(world: World) -> None:
    other = _write(world, "other.md", "- one\n", MACHINE).file
    _write(world, "notes.md", "- one\n", MACHINE)
    _write(world, "notes.md", "- two\n", MACHINE)
    assert LineOrigin.objects.filter(file=other).count() == 1


def test_a_file_that_was_changed_since_it_was_loaded_is_deleted_as_it_is_now(world: World) -> None:
    loaded = _write(world, "notes.md", "one", MACHINE).file
    _write(world, "notes.md", "two", MACHINE)
    with write_transaction(world.team) as tx:
        revision = write.delete(tx, loaded, writer=_person(world))
    assert revision.number == 3
    with write_transaction(world.team) as tx, pytest.raises(FileMissing):
        write.delete(tx, loaded, writer=_person(world))


def test_deleting_what_was_changed_since_it_was_opened_is_refused(world: World) -> None:
    opened = _write(world, "notes.md", "one", MACHINE).file
    _write(world, "notes.md", "two", MACHINE)
    with write_transaction(world.team) as tx, pytest.raises(Stale):
        write.delete(tx, opened, writer=_person(world), expected=opened.sha256)


def test_a_file_that_was_changed_since_it_was_loaded_is_restored_over_that(world: World) -> None:
    loaded = _write(world, "notes.md", "one", MACHINE).file
    _write(world, "notes.md", "two", MACHINE)
    with write_transaction(world.team) as tx:
        written = write.restore(tx, loaded, 1, writer=_person(world))
    assert (written.file.raw_content, written.file.revision) == ("one", 3)


def test_after_a_deletion_the_name_is_free_in_any_case_and_keeps_its_history(world: World) -> None:
    _write(world, "Notes.md", "one", MACHINE)
    file = File.objects.get(path="Notes.md")
    with write_transaction(world.team) as tx:
        write.delete(tx, file, writer=_person(world))
    written = _write(world, "notes.md", "two", _person(world), expected="")
    assert (written.file.pk, written.file.path, written.file.revision) == (file.pk, "notes.md", 3)


def test_appending_after_a_deletion_begins_a_new_text(world: World) -> None:
    file = _append(world, "memory/2026-11-20.md", "- one").file
    with write_transaction(world.team) as tx:
        write.delete(tx, file, writer=_person(world))
    again = _append(world, "memory/2026-11-20.md", "- two").file
    assert again.raw_content == "# 2026-11-20\n\n- two\n"
    assert content_of(File.objects.get(pk=file.pk), 3) == again.raw_content
    assert content_of(File.objects.get(pk=file.pk), 1) == "# 2026-11-20\n\n- one\n"
    assert {row.line for row in again.origins.all()} == {3}


@pytest.mark.parametrize("text", ["", "\n", "one\u2028two\x0bthree"])
def test_odd_texts_are_kept_as_they_are(world: World, text: str) -> None:
    _write(world, "notes.md", "before", MACHINE)
    file = File.objects.get(pk=_write(world, "notes.md", text, MACHINE).file.pk)
    assert file.raw_content == text
    assert content_of(file, 2) == text


@pytest.mark.parametrize("ends", ["\r\n", "\r"])
def test_lines_end_with_a_newline_alone_wherever_they_come_from(world: World, ends: str) -> None:
    assert (
        _write(world, "notes.md", f"one{ends}two{ends}", MACHINE).file.raw_content == "one\ntwo\n"
    )
